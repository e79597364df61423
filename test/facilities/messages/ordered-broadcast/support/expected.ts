/** What the program of uses must say (programs/uses.program.ts). */
import * as assert from "uvu/assert";
import type { Args } from "../programs/uses.program.ts";

const MISUSE: readonly RegExp[] = [
  /^backend: expected one of "ump", "fastforward", got "tcp"/,
  /^slots: expected a power of two from 2 to 2\^20, got 3/,
  /^partBytes: expected a whole number from 64 to 2\^24, got 1/,
  /^item: expected an item type .*got "u32"/,
  /^partBytes: not allowed for an ordered broadcast of items/,
  /^orderedBroadcast: unknown option 'slot'; did you mean 'slots'\?/,
  /^submit: expected \{ at: u32, value: f64 \}, got \(1\) .*_USAGE/,
  /^trySubmit: expected \{ at: u32, value: f64 \}, got \("1", 2\) .*_USAGE/,
  /^submit: expected a typed array or a DataView that is not detached, got \[ 1 \] .*_USAGE/,
  /^submit: expected a typed array or a DataView that is not detached, got Uint8Array/,
  /^trySubmit: expected at most 104 bytes, the longest part .*got 105; use submit or submitAsync.*_USAGE/,
  /^timeout: expected milliseconds >= 0, got -1/,
  /^deliver: unknown option 'time'; did you mean 'timeout'\?/,
  /^PE \d waited for \d+ ms, .*No message came: some member must submit one in the ordered broadcast.*_TIMEOUT/,
  /No message came: .* in the ordered broadcast "points".*_TIMEOUT/,
  /^false,,false,,-1,-1$/,
  /^7 0.5 1 0$/,
  /^submit: this ordered broadcast "points" was freed; make another.*_STATE/,
  /^deliver: this ordered broadcast was freed; make another.*_STATE/,
  /^canSubmit: this ordered broadcast was freed; make another.*_STATE/,
];

export const STEPS: readonly Args[] = (
  ["misuse", "freed", "freed meanwhile", "async", "groups", "lengths", "full", "stalled", "aside"] as const
).map((part) => ({ part }));

export type Said = readonly [
  misuse: string[],
  freed: string[],
  meanwhile: string[],
  async: string[],
  groups: number,
  lengths: number,
  full: [string, boolean, boolean, boolean, number, string],
  stalled: boolean[],
  aside: number,
];

const endedBy = (call: string, rank: number) =>
  new RegExp(`^${call}: PE ${rank} has freed its end of the ordered broadcast.*no further message.*_STATE`);

/** @param all what STEPS gave, by PE */
export function checkUses(all: readonly Said[], size: number, text = ""): void {
  assert.is(all.length, size, text);
  const last = size - 1;
  for (const [rank, [misuse, freed, meanwhile, later, groups, lengths, full, stalled, aside]] of all.entries()) {
    assert.is(misuse.length, MISUSE.length);
    for (const [i, expected] of MISUSE.entries()) assert.match(misuse[i] as string, expected);
    if (rank !== last) {
      const [delivered, ...calls] = freed;
      assert.is(delivered, [0, 1, 2].map((i) => `${i}:${last}:${i}`).join(" "));
      for (const [i, call] of ["deliver", "submit", "trySubmit", "canSubmit", "tryDeliver", "canDeliver"].entries())
        assert.match(calls[i] as string, endedBy(call, last));
    }
    if (rank !== 0) {
      assert.match(meanwhile[0] as string, endedBy("deliver", 0));
      assert.match(meanwhile[1] as string, endedBy("deliverAsync", 0));
      assert.match(meanwhile[2] as string, /^submit: (PE 0 has freed its end|\d+ messages or parts .* deliver some)/);
    }
    for (const one of later.slice(0, 3)) assert.match(one, /: deliverAsync has not settled yet; await it.*_STATE/);
    assert.is(later[3], "5");
    assert.match(later[4] as string, /longer than it was given\. .*No message came.*_TIMEOUT/);
    assert.match(later[5] as string, /aborted: "enough".*_ABORTED/);
    for (const one of later.slice(6, -1))
      assert.match(one, /^(submit|submitAsync|trySubmit): submitAsync has not settled yet; await it.*_STATE/);
    assert.is(later.length, rank === 1 ? 10 : 7);
    assert.is(later.at(-1), "4000000 9 1 1");
    assert.is(groups, 0);
    assert.is(lengths, 0);
    const [refused, ...others] = full;
    assert.match(refused, /^submit: \d+ messages or parts of messages wait to be delivered at this PE.*_STATE/);
    assert.equal(others.slice(0, 4), [false, true, true, -1]);
    assert.is(others[4], all[0]?.[6][5], "what all have delivered");
    assert.equal(stalled, [true, true, true]);
    assert.is(aside, 50);
  }
}
