/** Ordered broadcasts on virtual PEs, while PEs crash and stall: one sequence, of which each PE has a begin. */

import * as assert from "uvu/assert";
import { type PE, RankLostError } from "../../../../src/index.ts";
import { orderedBroadcast } from "../../../../src/messages.ts";
import { Random } from "../support/network.ts";
import { checkOwnOrder, checkPrefixes, drawsOf, opened, runIn, settingOf, workUntil } from "./setting.ts";

export interface OrderedOutcome {
  readonly delivered: number;
  /** PEs whose sequence ended early, and that live. */
  readonly cut: number;
  readonly crashes: number;
  readonly events: number;
}

type Draws = ReturnType<typeof drawsOf>;

/** @param swaps one PE notes two messages in the other order */
export async function orderedRun(seed: number, swaps = false): Promise<OrderedOutcome> {
  const random = new Random(seed);
  const setting = settingOf(random, seed, 2);
  const { members, crashes } = setting;
  const shape = {
    slots: random.pick([2, 4, 64]),
    partBytes: random.pick([64, 1000, 8192]),
    backend: random.pick(["ump", "fastforward"] as const),
  };
  const longest = random.pick([4, 100, 3000]);
  const counts = members.map(() => random.whole(0, 30));
  const pause = random.pick([0, 500, 1e5 * setting.suspectAfter]);

  /** Submits and delivers at once. @returns whether all of it was delivered */
  const play = async (pe: PE, ranks: readonly number[], list: number[], draws: Draws): Promise<boolean> => {
    const place = ranks.indexOf(pe.rank);
    const broadcast = opened(() => orderedBroadcast(pe.group(ranks), shape));
    workUntil(pe, setting);
    const all = ranks.reduce((sum, rank) => sum + (counts[members.indexOf(rank)] as number), 0);
    const submit = async () => {
      const own = counts[members.indexOf(pe.rank)] as number;
      for (let i = 0; i < own; i++) {
        if (draws.chance(0.3)) pe.work(pause * draws.next());
        const bytes = new Uint8Array(draws.chance(0.7) ? 4 : draws.whole(4, longest)).fill(place);
        new DataView(bytes.buffer).setUint32(0, (place << 16) + i);
        await broadcast.submitAsync(bytes);
      }
    };
    const deliver = async () => {
      while (list.length < all) {
        const bytes = await broadcast.deliverAsync();
        if (draws.chance(0.1)) pe.work(pause * draws.next());
        const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
        assert.ok(bytes.subarray(4).every((byte) => byte === number >> 16));
        list.push(number);
      }
    };
    const ends = await Promise.allSettled([submit(), deliver()]);
    for (const end of ends) {
      if (end.status === "rejected" && !(end.reason instanceof RankLostError)) throw end.reason;
    }
    const isWhole = ends.every(({ status }) => status === "fulfilled");
    if (isWhole) broadcast.free();
    return isWhole;
  };

  const first: number[][] = members.map(() => []);
  const second: number[][] = members.map(() => []);
  let cut = 0;
  let isSecond = false;
  const { events } = await runIn(setting, async (pe) => {
    const place = members.indexOf(pe.rank);
    const draws = drawsOf(seed, pe.rank);
    if (place >= 0 && !(await play(pe, members, first[place] as number[], draws))) cut++;
    if (crashes.size !== 1) return;
    // the loss comes, if it has not; then once more without that one
    try {
      for (;;) {
        pe.work(20_000);
        await pe.barrierAsync();
      }
    } catch (error) {
      if (!(error instanceof RankLostError)) throw error;
    }
    const rest = members.filter((rank) => !crashes.has(rank));
    if (rest.includes(pe.rank)) {
      isSecond = true;
      assert.ok(await play(pe, rest, second[place] as number[], draws), "the rest goes on");
    }
  });
  const [one] = first;
  if (swaps && one !== undefined && one.length > 1) one.push(...one.splice(-2, 1));
  const delivered = checkPrefixes(first);
  checkOwnOrder(delivered, (number) => number >> 16);
  checkOwnOrder(checkPrefixes(second), (number) => number >> 16);
  // whole where nobody was lost
  const sizes = (lists: readonly unknown[][]) => new Set(lists.map(({ length }) => length));
  const whole = (ranks: readonly number[]) =>
    ranks.reduce((sum, rank) => sum + (counts[members.indexOf(rank)] as number), 0);
  if (crashes.size === 0) assert.equal([...sizes(first)], [whole(members)]);
  const rest = members.filter((rank) => !crashes.has(rank));
  if (isSecond) assert.equal([...sizes(rest.map((rank) => second[members.indexOf(rank)] as number[]))], [whole(rest)]);
  return { delivered: delivered.length, cut, crashes: crashes.size, events };
}
