/** Sessions whose turns are taken by the loop in compiled code, by the engine, and by the program. */
import { type Conveyor, conveyor, PUT_BACK } from "../../../../src/conveyor.ts";
import { CompiledSession, useCompiled } from "../../../../src/facilities/conveyor/belts/compiled-session.ts";
import { f64, type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { mix } from "../support/payloads.ts";

export interface Args {
  readonly part:
    | "mixed"
    | "sleepers"
    | "inSink"
    | "full"
    | "kept"
    | "later"
    | "otherTerms"
    | "late"
    | "leaving"
    | "aborted";
  readonly seed?: number;
  readonly rounds?: number;
  /** Whether the engine takes all turns. */
  readonly isEngine?: boolean;
}

const BUFFERS = [64, 256, 2048, 16_384] as const;
const nobody = new Int32Array(new SharedArrayBuffer(4));
const rest = (ms: number): unknown => Atomics.wait(nobody, 0, 0, ms);

/** A session of one of several ways, with the items `first` to `end` - 1 of columns. */
function session(
  c: Conveyor<typeof u32>,
  way: number,
  dests: Uint32Array,
  column: Uint32Array,
  end: number,
  see: (from: number, value: number) => void,
): void {
  const takeAll = ({ columns, from, count }: { columns: Uint32Array; from: Uint32Array; count: number }): void => {
    for (let k = 0; k < count; k++) see(from[k] as number, columns[k] as number);
  };
  const source = { dests, columns: column, end };
  switch (way) {
    case 0:
      c.run(source, { takeAll });
      return;
    case 1: {
      // every third is delivered twice
      let calls = 0;
      c.run(source, (item, from) => {
        if (++calls % 3 === 0) return PUT_BACK;
        see(from, item);
        return undefined;
      });
      return;
    }
    case 2:
      c.run(
        (push) => {
          for (let i = 0; i < end; i++) push(dests[i] as number, column[i] as number);
        },
        { takeAll },
      );
      return;
    case 3:
      c.begin();
      for (let i = 0; c.advance(i === end); ) {
        for (; i < end && c.push(dests[i] as number, column[i] as number); i++);
        while (c.pull()) see(c.from, c.item);
      }
      c.reset();
      return;
    default:
      c.begin();
      for (let i = 0; c.advance(i === end); ) {
        i = c.pushAll(dests, column, i, Math.min(end, i + 100));
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) takeAll(batch);
      }
      c.reset();
  }
}

/** Each PE takes another way in each session: all items come, in order for each pair, and the counts are right. */
function mixed(pe: PE, { seed = 0, rounds = 100 }: Args): number {
  const bufferBytes = BUFFERS[mix(seed, 1) % BUFFERS.length] as number;
  const buffersPerLink = ([1, 2, 4] as const)[mix(seed, 2) % 3] as 1 | 2 | 4;
  const c = conveyor(pe, u32, { bufferBytes, buffersPerLink });
  const countOf = (rank: number, round: number): number => mix(seed, rank, round, 3) % (1 << (mix(seed, round) % 12));
  const destOf = (rank: number, round: number, i: number): number => mix(rank, round, i >>> 2) % pe.size;
  const most = 1 << 12;
  // some of them in the heap, where nothing is staged
  const isHere = mix(seed, 4) % 2 === 0;
  const array = (): Uint32Array => (isHere ? pe.alloc(Uint32Array, most) : new Uint32Array(most));
  const [dests, column] = [array(), array()];
  for (let round = 0; round < rounds; round++) {
    const end = countOf(pe.rank, round);
    for (let i = 0; i < end; i++) {
      dests[i] = destOf(pe.rank, round, i);
      column[i] = i;
    }
    const next = new Array<number>(pe.size).fill(0);
    let come = 0;
    session(c, mix(seed, pe.rank, round, 5) % 5, dests, column, end, (from, value) => {
      let expected = next[from] as number;
      while (destOf(from, round, expected) !== pe.rank) expected++;
      if (value !== expected) throw new Error(`round ${round}: ${value} from ${from}, not ${expected}`);
      next[from] = expected + 1;
      come++;
    });
    let wanted = 0;
    for (let rank = 0; rank < pe.size; rank++) {
      for (let i = countOf(rank, round) - 1; i >= 0; i--) if (destOf(rank, round, i) === pe.rank) wanted++;
    }
    if (come !== wanted) throw new Error(`round ${round}: ${come} items, not ${wanted}`);
    const { pushes, pulls, unpulls } = c.stats();
    if (pushes !== end || pulls - unpulls !== come) throw new Error(`round ${round}: ${pushes} pushes, ${pulls} pulls`);
  }
  c.free();
  return rounds;
}

/** PEs that come late, and rest in their sinks: who waits for them sleeps, and is woken. */
function sleepers(pe: PE, { rounds = 6 }: Args): number {
  const c = conveyor(pe, f64, { bufferBytes: 256 });
  const items = 2000;
  const dests = Uint32Array.from({ length: items }, (_, i) => i % pe.size);
  const columns = Float64Array.from(dests.keys());
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    if (round % pe.size === pe.rank) rest(5);
    let calls = 0;
    c.run({ dests, columns }, (item) => {
      sum += item;
      if (calls++ === 100 && (round + 1) % pe.size === pe.rank) rest(5);
    });
  }
  const all = pe.allreduce(sum, "sum");
  return all - (pe.size * rounds * items * (items - 1)) / 2;
}

/** A sink that pulls the next items itself, pushes, and asks for the counts. */
function inSink(pe: PE): number {
  const c = conveyor(pe, u32, { bufferBytes: 128, lossy: true });
  const items = 3000;
  const dests = Uint32Array.from({ length: items }, (_, i) => mix(pe.rank, i) % pe.size);
  let [come, pushed, wrong] = [0, 0, 0];
  for (let round = 0; round < 20; round++) {
    const before = come;
    c.run({ dests, columns: dests }, (item) => {
      come++;
      if (item !== pe.rank) wrong++;
      if (come % 5 === 0 && c.state === "working" && c.push((pe.rank + 1) % pe.size, (pe.rank + 1) % pe.size)) pushed++;
      if (come % 7 === 0)
        while (c.pull()) {
          come++;
          if (c.item !== pe.rank) wrong++;
        }
      if (come % 11 === 0 && c.stats().pushes > items + pushed) wrong++;
    });
    if (c.stats().pulls !== come - before) wrong++;
  }
  return wrong + pe.allreduce(come - pushed, "sum") - 20 * items * pe.size;
}

/** Buffers sent before and after an advance that finds one of the slow start full, then one that finds none. */
function full(pe: PE): string {
  const c = conveyor(pe, u32);
  const next = (pe.rank + 1) % pe.size;
  c.begin();
  // as many as the first short buffer holds
  for (let i = 0; i < 8; i++) c.push(next, i);
  const sent = [c.stats().buffers];
  for (let turn = 0; turn < 2; turn++) {
    c.advance();
    sent.push(c.stats().buffers);
  }
  c.push(next, 8);
  let come = 0;
  while (c.advance(true)) while (c.pull()) come++;
  const { buffers, sentFor, votes } = c.stats();
  c.reset();
  return `${sent} then ${buffers}: ${sentFor.full} full, ${sentFor.end} last, ${votes} votes, ${come} items`;
}

/** What is shown of the last buffer stays until the next pull, also when the PE is done; it cannot be put back then. */
function kept(pe: PE): string {
  const c = conveyor(pe, u32);
  c.begin();
  c.push((pe.rank + 1) % pe.size, 7);
  let batch = null;
  for (; batch === null; batch = c.pullAll()) c.advance(true);
  const { columns } = batch;
  for (let turn = 0; turn < 3; turn++) c.advance(true);
  const seen = [columns[0], c.item, c.unpull()];
  while (c.advance(true)) while (c.pull());
  c.reset();
  return String(seen);
}

/** By session of a conveyor whose items are pushed one by one: whether compiled code has taken its turns. */
function later(pe: PE): string {
  const { advance } = CompiledSession.prototype;
  let turns = 0;
  CompiledSession.prototype.advance = function counted(done) {
    turns++;
    return advance.call(this, done);
  };
  const dests = Uint32Array.from({ length: 100 }, (_, i) => i % pe.size);
  const c = conveyor(pe, u32);
  try {
    const by = Array.from({ length: 11 }, () => {
      let come = 0;
      turns = 0;
      session(c, 3, dests, dests, dests.length, () => come++);
      return come === dests.length ? (turns > 0 ? "c" : "e") : `${come} items`;
    });
    return by.join("");
  } finally {
    CompiledSession.prototype.advance = advance;
  }
}

/** PE 0 begins with items of another type. */
function otherTerms(pe: PE): void {
  const dests = new Uint32Array(100).fill(1 - pe.rank);
  const c = conveyor(pe, u32);
  if (pe.rank === 0) {
    const other = c.begin(f64);
    other.push(1, 1);
    while (other.advance(true));
  } else c.run({ dests, columns: dests }, () => {});
}

/** PE 1 comes after the end of the patience of the others. */
function late(pe: PE): void {
  const c = conveyor(pe, u32, { timeout: 100 });
  if (pe.rank === 1) rest(1000);
  c.run({ dests: new Uint32Array(5000).fill(1), columns: new Uint32Array(5000) }, () => {});
}

function leaving(pe: PE): void {
  const c = conveyor(pe, u32, { bufferBytes: 128 });
  if (pe.rank === 1) return;
  c.run({ dests: new Uint32Array(5000).fill(1), columns: new Uint32Array(5000) }, () => {});
}

/** Nobody takes what PE 0 pushes; its signal is aborted already when it begins. */
function aborted(pe: PE): void {
  const c = conveyor(pe, u32, { signal: AbortSignal.abort("enough") });
  c.run({ dests: new Uint32Array(5000), columns: new Uint32Array(5000) }, () => {});
}

const parts = { mixed, sleepers, inSink, full, kept, later, otherTerms, late, leaving, aborted };

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => {
    useCompiled(step.isEngine !== true);
    return parts[step.part](pe, step);
  }),
);
export default program;
