/** Messages by rank and tag: random ones, which follow from a seed, and misuse. On threads, over nodes, and on virtual PEs. */

import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type Message, type Messenger, messenger } from "../../../../src/messages.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { rejected } from "../../../support/thrown.ts";
import { mix } from "../../conveyor/support/payloads.ts";

export interface Args {
  readonly part: "random" | "misuse" | "head to head" | "self" | "returns" | "never made" | "rate";
  readonly seed?: number;
  readonly count?: number;
  readonly isAsync?: boolean;
}

const TAGS = 3;

/** Message `i` of a sender: to whom, with which tag, how long; its bytes say the same and a number. */
function messageOf(seed: number, size: number, from: number, i: number) {
  const lengths = [8, 40, 300, 5000, 20_000];
  return {
    to: mix(seed, from, i, 1) % size,
    tag: mix(seed, from, i, 2) % TAGS,
    bytes: lengths[mix(seed, from, i, 3) % lengths.length] as number,
  };
}

const randomOf = (seed: number, rank: number) => {
  let i = 0;
  return (below: number) => mix(seed, rank, i++, 9) % below;
};

/** Sends and receives random messages in a random order, with random filters. @returns received messages, or what is wrong */
async function random(pe: PE, m: Messenger, { seed = 1, count = 100, isAsync = false }: Args): Promise<number> {
  const { rank, size } = pe;
  const next = randomOf(seed, rank);
  // by sender and tag: what is to come, in order
  const due = new Map<string, { i: number; bytes: number }[]>();
  let left = 0;
  for (let from = 0; from < size; from++) {
    for (let i = 0; i < count; i++) {
      const { to, tag, bytes } = messageOf(seed, size, from, i);
      if (to !== rank) continue;
      const key = `${from} ${tag}`;
      due.set(key, [...(due.get(key) ?? []), { i, bytes }]);
      left++;
    }
  }
  const all = left;
  let sent = 0;
  const got = ({ from, tag, bytes }: Message) => {
    const expected = due.get(`${from} ${tag}`)?.shift();
    const [i] = new Uint32Array(bytes.slice(0, 4).buffer);
    if (expected?.i !== i || expected.bytes !== bytes.length || bytes.at(-1) !== (i & 255)) {
      throw new Error(
        `from ${from}, tag ${tag}: ${i} of ${bytes.length} bytes in place of ${JSON.stringify(expected)}`,
      );
    }
    left--;
  };
  /** A filter that takes something that is still to come. */
  const filter = () => {
    const keys = [...due].filter(([, list]) => list.length > 0).map(([key]) => key.split(" ").map(Number));
    const [from, tag] = keys[next(keys.length)] as [number, number];
    return [{}, { from }, { tag }, { from, tag }][next(4)] as object;
  };
  while (sent < count || left > 0) {
    if (sent < count && (left === 0 || next(2) === 0)) {
      const { to, tag, bytes } = messageOf(seed, size, rank, sent);
      const data = new Uint8Array(bytes);
      new DataView(data.buffer).setUint32(0, sent, true);
      data[bytes - 1] = sent & 255;
      sent++;
      if (isAsync) await m.sendAsync(to, data, tag);
      else m.send(to, data, tag);
    } else if (sent === count) {
      got(isAsync ? await m.receiveAsync(filter()) : m.receive(filter()));
    } else {
      const wanted = filter();
      const seen = next(3) === 0 ? m.probe(wanted)?.bytes.slice() : undefined;
      const message = m.tryReceive(wanted);
      if (seen !== undefined && Buffer.compare(seen, message?.bytes ?? new Uint8Array(0)) !== 0)
        throw new Error("a probed message was not received");
      if (message !== undefined) got(message);
    }
  }
  return all;
}

async function misuse(pe: PE, m: Messenger): Promise<string[]> {
  const one = new Uint8Array(1);
  const other = 1 - pe.rank;
  const wrong: unknown[] = [-1, 2 ** 31, 1.5, "7"];
  const texts: string[] = [];
  for (const tag of wrong) texts.push(await rejected(() => m.send(other, one, tag as number)));
  for (const to of [-1, 2, "0"]) texts.push(await rejected(() => m.send(to as number, one)));
  texts.push(await rejected(() => m.send(other, [1] as unknown as Uint8Array)));
  texts.push(await rejected(() => m.receive({ tags: 7 } as object)));
  texts.push(await rejected(() => m.receive({ from: 2 })));
  texts.push(await rejected(() => m.receive({ tag: -1 })));
  texts.push(await rejected(() => m.receive({ from: other, timeout: 20 })));
  texts.push(await rejected(() => m.receiveAsync({ timeout: 20 })));
  texts.push(await rejected(() => m.receiveAsync({ signal: AbortSignal.timeout(20) })));
  texts.push(await rejected(() => messenger(pe, { partBytes: 1 })));
  // after all that, at both
  pe.barrier();
  m.send(other, Float64Array.of(2.5), 5);
  const { tag, bytes } = m.receive({ from: other });
  texts.push(`${tag} ${new Float64Array(bytes.slice().buffer)[0]}`);
  m.free();
  texts.push(await rejected(() => m.send(other, one)));
  return texts;
}

/** Each sends 40 MB before it receives. */
async function headToHead(pe: PE, m: Messenger): Promise<number> {
  const data = new Uint8Array(1 << 20).fill(pe.rank + 1);
  const others = Array.from({ length: pe.size }, (_, rank) => rank).filter((rank) => rank !== pe.rank);
  for (let i = 0; i < 10; i++) for (const to of others) m.send(to, data, i);
  let wrong = 0;
  for (let i = 9; i >= 0; i--) {
    for (const from of others) {
      const { bytes } = m.receive({ from, tag: i });
      if (bytes.length !== data.length || bytes[7] !== from + 1 || bytes.at(-1) !== from + 1) wrong++;
    }
  }
  return wrong;
}

async function play(pe: PE, args: Args): Promise<unknown> {
  if (args.part === "never made" && pe.rank === 1) return "returned";
  const m = messenger(pe, { slots: 16, partBytes: 1000 });
  if (args.part === "random") return random(pe, m, args);
  if (args.part === "misuse") return misuse(pe, m);
  if (args.part === "head to head") return headToHead(pe, m);
  if (args.part === "self") {
    m.send(pe.rank, Uint8Array.of(7), 3);
    return m.receive({ tag: 3, from: pe.rank }).bytes[0];
  }
  if (args.part === "rate") {
    const { count = 1 } = args;
    const data = new Uint8Array(8);
    let last = -1;
    for (let i = 0; i < count; i++) {
      if (pe.rank === 0) {
        data[0] = i & 255;
        m.send(1, data, 1);
      } else {
        const value = m.receive({ from: 0, tag: 1 }).bytes[0] as number;
        if (value !== (i & 255)) return i;
        last = i;
      }
    }
    return last;
  }
  if (args.part === "never made") return rejected(() => m.receiveAsync({ from: 1 }));
  // PE 1 sends one message and returns
  if (pe.rank === 1) {
    m.send(0, Uint8Array.of(9));
    return "returned";
  }
  const first = m.receive({ from: 1 }).bytes[0];
  return [first, await rejected(() => m.receive({ from: 1 }))];
}

const program: Spmd = spmd((pe: PE, args: unknown) =>
  playInTurn(args as Args | readonly Args[], (step) => play(pe, step)),
);
export default program;
