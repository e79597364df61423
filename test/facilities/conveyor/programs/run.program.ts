/** Whole sessions in one call, and what goes wrong in them. */
import { biconveyor, conveyor, elasticBiconveyor, elasticConveyor, PUT_BACK } from "../../../../src/conveyor.ts";
import { f64, i32, type PE, type Spmd, spmd, struct, u32 } from "../../../../src/index.ts";
import { playInTurn } from "../../../support/in-turn.ts";
import { mix } from "../support/payloads.ts";

export type Part =
  | "histogram"
  | "structs"
  | "relay"
  | "elastic"
  | "gather"
  | "elasticGather"
  | "columns"
  | "pingPong"
  | "allSend"
  | "throwingSink"
  | "throwingSource"
  | "outsideTable"
  | "waitingSink"
  | "keptPush"
  | "bulk"
  | "bulkTable"
  | "bulkRefused"
  | "throwingNull"
  | "bulkNoRank"
  | "bulkReturned";

export interface Args {
  readonly part: Part;
  readonly items?: number;
  readonly hops?: 1 | 2;
}

/** Counts a table together, three times with one conveyor: what is left when a count made alone is taken off. */
function histogram(pe: PE, { items = 3000, hops = 1 }: Args): number {
  const table = 1000;
  const indexAt = (rank: number, i: number) => mix(rank, i) % table;
  const counts = new Int32Array(table);
  const c = conveyor(pe, u32, { bufferBytes: 1024, hops });
  for (let round = 0; round < 3; round++) {
    c.run(
      (push) => {
        for (let i = 0; i < items; i++) push(indexAt(pe.rank, i) % pe.size, indexAt(pe.rank, i));
      },
      (index) => {
        counts[index]++;
      },
    );
  }
  c.free();
  for (let rank = 0; rank < pe.size; rank++) {
    for (let i = 0; i < items; i++) if (indexAt(rank, i) % pe.size === pe.rank) counts[indexAt(rank, i)] -= 3;
  }
  return counts.reduce((sum, count) => sum + Math.abs(count), 0);
}

/** Structs, whose senders are told, half of them put back at first. */
function structs(pe: PE, { items = 2000, hops = 1 }: Args): string {
  const c = conveyor(pe, struct({ i: u32, half: f64 }), { bufferBytes: 512, hops });
  const next = new Int32Array(pe.size);
  let refusals = 0;
  c.run(
    (push) => {
      for (let i = 0; i < items; i++) push((pe.rank + i) % pe.size, i, i / 2);
    },
    ({ i, half }, from) => {
      if (mix(pe.rank, ++refusals) % 2 === 0) return PUT_BACK;
      const expected = next[from] * pe.size + ((((pe.rank - from) % pe.size) + pe.size) % pe.size);
      if (i !== expected || half !== i / 2) throw new Error(`${i}, ${half} from ${from}, not ${expected}`);
      next[from]++;
      // only that one value puts back
      return false;
    },
  );
  const { unpulls, pulls } = c.stats();
  const come = next.reduce((sum, count) => sum + count, 0);
  return `${come} ${pulls - unpulls} ${unpulls > 0}`;
}

/** Items that make others: each goes on to the next PE until it has been everywhere. */
function relay(pe: PE, { items = 200 }: Args): number {
  const c = conveyor(pe, struct({ life: u32 }), { steady: true, bufferBytes: 64 });
  let come = 0;
  const all = items * pe.size;
  c.run(
    (push, turn) => {
      if (pe.rank === 0) for (let i = 0; i < items; i++) push(0, pe.size - 1);
      // until all that can come here has: each item stops at every PE once
      while (come < items) turn();
    },
    ({ life }) => {
      if (life > 0 && !c.push((pe.rank + 1) % pe.size, life - 1)) return PUT_BACK;
      come++;
      return undefined;
    },
  );
  return pe.allreduce(come, "sum") - all;
}

function elastic(pe: PE, { items = 300 }: Args): number {
  const c = elasticConveyor(pe, { bufferBytes: 256 });
  let wrong = 0;
  let come = 0;
  let first = true;
  c.run(
    (push) => {
      for (let i = 0; i < items; i++) push((pe.rank + i) % pe.size, new Uint8Array(mix(i) % 1000).fill(pe.rank));
    },
    (bytes, from) => {
      if (first) {
        first = false;
        return PUT_BACK;
      }
      come++;
      if (bytes.some((byte) => byte !== from)) wrong++;
      return false;
    },
  );
  return wrong + pe.allreduce(come, "sum") - items * pe.size;
}

function gather(pe: PE, { items = 2000, hops = 1 }: Args): number {
  const c = biconveyor(pe, u32, i32, (index) => -index - pe.rank, { bufferBytes: 512, hops });
  const got = new Int32Array(items);
  for (let round = 0; round < 2; round++) {
    c.run(
      (push) => {
        for (let i = 0; i < items; i++) push(i % pe.size, i);
      },
      (value, i) => {
        got[i] = value;
      },
    );
  }
  return got.reduce((wrong, value, i) => wrong + (value === -i - (i % pe.size) ? 0 : 1), 0);
}

function elasticGather(pe: PE, { items = 300 }: Args): number {
  const c = elasticBiconveyor(pe, (query) => new Uint8Array(query.length + 1).fill(pe.rank));
  let wrong = 0;
  let count = 0;
  c.run(
    (push) => {
      for (let i = 0; i < items; i++) push(i % pe.size, new Uint8Array(i));
    },
    (reply, i) => {
      count++;
      if (reply.length !== i + 1 || reply[0] !== i % pe.size) wrong++;
    },
  );
  return wrong + count - items;
}

/** Item by item against columns, both ways. */
function columns(pe: PE, { items = 5000, hops = 1 }: Args): number {
  const c = conveyor(pe, struct({ i: u32, x: f64 }), { hops, bufferBytes: 2048 });
  const dests = Uint32Array.from({ length: items }, (_, i) => mix(pe.rank, i) % pe.size);
  const i = Uint32Array.from(dests.keys());
  const x = Float64Array.from(i, (value) => value * 1.5);
  let come = 0;
  let sum = 0;
  c.begin();
  for (let at = 0; c.advance(at === items); ) {
    at = c.pushAll(dests, { i, x }, at);
    for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
      const { columns, from, count } = batch;
      for (let k = 0; k < count; k++) {
        if (columns.x[k] !== columns.i[k] * 1.5 || mix(from[k], columns.i[k]) % pe.size !== pe.rank)
          throw new Error(`item ${columns.i[k]} from ${from[k]}`);
        sum += columns.i[k];
      }
      come += count;
    }
  }
  c.reset();
  const wanted = (items * (items - 1)) / 2;
  return pe.allreduce(come, "sum") - items * pe.size + pe.allreduce(sum, "sum") - wanted * pe.size;
}

/** One sends and one takes, in turn: each item is the answer to the one before. */
function pingPong(pe: PE, { items = 500 }: Args): number {
  const c = conveyor(pe, u32, { steady: true, bufferBytes: 64 }).begin();
  const other = (pe.rank + 1) % pe.size;
  let last = 0;
  if (pe.rank === 0) c.send(other, 1);
  // each PE takes as many as it sends, PE 0 the last one too
  for (let i = 0; i < items; i++) {
    if (!c.take()) throw new Error("over too early");
    last = c.item;
    if (pe.rank > 0 || i < items - 1) c.send(other, last + 1);
  }
  if (c.take(true)) throw new Error("one too many");
  const state = c.state;
  c.reset();
  if (state !== "complete") throw new Error(state);
  return last - ((items - 1) * pe.size + (pe.rank === 0 ? pe.size : pe.rank));
}

/** All send at once more than the buffers hold, and nobody takes anything meanwhile. */
function allSend(pe: PE): void {
  const c = conveyor(pe, u32, { timeout: 500, bufferBytes: 64 }).begin();
  for (let i = 0; i < 10_000; i++) c.send((pe.rank + 1) % pe.size, i);
}

const few = (push: (dest: number, value: number) => void) => {
  for (let i = 0; i < 50_000; i++) push(0, i);
};

function throwingSink(pe: PE): void {
  conveyor(pe, u32).run(few, (item) => {
    if (item === 7) throw new TypeError("seven");
  });
}

function throwingSource(pe: PE): void {
  conveyor(pe, u32).run(
    (push) => {
      if (pe.rank === pe.size - 1) throw new TypeError("no source");
      few(push);
    },
    () => {},
  );
}

/** Key 7 and those after it are none of the table. */
function outsideTable(pe: PE): void {
  conveyor(pe, u32).run(few, { table: new Uint32Array(7), op: "count" });
}

function waitingSink(pe: PE): void {
  let other: (dest: number, value: number) => void = () => {};
  const c = conveyor(pe, u32, { bufferBytes: 64 });
  c.run(
    (push) => {
      other = push;
      few(push);
    },
    () => {
      for (let i = 0; i < 1000; i++) other(0, i);
    },
  );
}

function keptPush(pe: PE): string {
  let kept: (dest: number, value: number) => void = () => {};
  const c = conveyor(pe, u32, { bufferBytes: 64, lossy: true });
  c.run(
    (push) => {
      kept = push;
    },
    () => {},
  );
  const codes: string[] = [];
  const note = (act: () => void) => {
    try {
      act();
    } catch (error) {
      codes.push((error as { code: string }).code);
    }
  };
  note(() => kept(0, 1));
  c.begin();
  // the conveyor's own push takes its place where there is room; where it would wait it says so
  note(() => {
    for (let i = 0; i < 1000; i++) kept(pe.rank, i);
  });
  note(() => c.run(few, () => {}));
  note(() => c.run(null as never, () => {}));
  while (c.advance(true)) while (c.pull());
  c.reset();
  return codes.join(" ");
}

/** Columns and batches: of some PEs both, of others one of them, in sessions of one conveyor. */
function bulk(pe: PE, { items = 5000, hops = 1 }: Args): number {
  const c = conveyor(pe, struct({ i: u32, x: f64 }), { hops, bufferBytes: 2048 });
  // fewer at some PEs, and not the first and the last ones
  const [first, end] = [pe.rank * 3, items - pe.rank * 7];
  const dests = Uint32Array.from({ length: items }, (_, i) => mix(pe.rank, i) % pe.size);
  const i = Uint32Array.from(dests.keys());
  const x = Float64Array.from(i, (value) => value * 1.5);
  let missing = 0;
  for (let round = 0; round < 4; round++) {
    const next = Array.from({ length: pe.size }, (_, from) => from * 3);
    let come = 0;
    const see = (from: number, value: number, half: number): void => {
      // those for this PE, in order
      let expected = next[from] as number;
      while (mix(from, expected) % pe.size !== pe.rank) expected++;
      if (value !== expected || half !== value * 1.5)
        throw new Error(`${value}, ${half} from ${from}, not ${expected}`);
      next[from] = expected + 1;
      come++;
    };
    const isBulk = (way: number): boolean => (((pe.rank + round) >> way) & 1) === 0;
    c.run(
      isBulk(0)
        ? { dests, columns: { i, x }, first, end }
        : (push) => {
            for (let k = first; k < end; k++) push(dests[k] as number, i[k] as number, x[k] as number);
          },
      isBulk(1)
        ? {
            takeAll({ columns, from, count }) {
              for (let k = 0; k < count; k++) see(from[k] as number, columns.i[k] as number, columns.x[k] as number);
            },
          }
        : (item, from) => see(from, item.i, item.x),
    );
    missing += pe.allreduce(end - first - come, "sum");
  }
  // the beginning is optional, and so is the end; none are pushed
  c.run({ dests: dests.subarray(0, 0), columns: { i, x } }, { takeAll: () => missing++ });
  c.run({ dests, columns: { i, x }, first: items }, { takeAll: () => missing++ });
  return missing;
}

/** All is known: the columns and the table. */
function bulkTable(pe: PE, { items = 20_000, hops = 1 }: Args): number {
  const c = conveyor(pe, u32, { hops, bufferBytes: 1024 });
  const keys = pe.alloc(Uint32Array, items);
  const dests = pe.alloc(Uint32Array, items);
  for (let k = 0; k < items; k++) {
    keys[k] = mix(pe.rank, k) % 1000;
    dests[k] = (keys[k] as number) % pe.size;
  }
  const counts = pe.alloc(Int32Array, 1000);
  for (let round = 0; round < 3; round++) c.run({ dests, columns: keys }, { table: counts, op: "count" });
  for (let rank = 0; rank < pe.size; rank++) {
    for (let k = 0; k < items; k++) {
      const key = mix(rank, k) % 1000;
      if (key % pe.size === pe.rank) counts[key] = (counts[key] as number) - 3;
    }
  }
  return counts.reduce((sum, count) => sum + Math.abs(count), 0);
}

/** Calls that are refused before the session begins: the conveyor goes on. */
function bulkRefused(pe: PE): string {
  const c = conveyor(pe, struct({ i: u32, x: f64 }));
  const [dests, i, x] = [new Uint32Array(5), new Uint32Array(5), new Float64Array(5)];
  const columns = { i, x };
  const freed = pe.alloc(Uint32Array, 5);
  pe.free(freed);
  const told: string[] = [];
  const calls: readonly (() => void)[] = [
    () => c.run({ dests: [0, 0] as never, columns }, { takeAll() {} }),
    () => c.run({ dests, columns: { i, x: i } as never }, { takeAll() {} }),
    () => c.run({ dests, columns: { i, x: x.subarray(1) } }, { takeAll() {} }),
    () => c.run({ dests, columns, end: 6 }, { takeAll() {} }),
    () => c.run({ dests, columns, length: 5 } as never, { takeAll() {} }),
    () => c.run([] as never, { takeAll() {} }),
    () => c.run({ dests, columns }, { takeAll: 5 } as never),
    () => c.run({ dests, columns }, { takeAll: (async () => {}) as never }),
    () => c.run({ dests, columns }, { *takeAll() {} } as never),
    () => c.run({ dests, columns }, { takeAll() {}, table: i } as never),
    () => c.run({ dests, columns }, { takeall() {} } as never),
    () => c.run({ dests, columns }, null as never),
    () => c.run({ dests: freed, columns }, { takeAll() {} }),
    () => c.run({ dests, columns }, () => {}, { ends: "quiescence" } as never),
  ];
  for (const call of calls) {
    try {
      call();
      told.push("nothing");
    } catch (error) {
      told.push((error as Error).message);
    }
    if (c.state !== "dormant") told.push(c.state);
  }
  class Counter {
    come = 0;
    takeAll({ count }: { readonly count: number }): void {
      this.come += count;
    }
  }
  const counter = new Counter();
  c.run({ dests: dests.fill(pe.rank), columns }, counter);
  told.push(`${counter.come}`);
  return told.join("\n");
}

function throwingNull(pe: PE): void {
  const dests = Uint32Array.of(0, 0);
  conveyor(pe, u32).run(
    { dests, columns: dests },
    {
      takeAll() {
        throw null;
      },
    },
  );
}

/** The third item has no destination. */
function bulkNoRank(pe: PE): void {
  conveyor(pe, u32).run({ dests: Uint32Array.of(0, 0, pe.size), columns: Uint32Array.of(1, 2, 3) }, { takeAll() {} });
}

function bulkReturned(pe: PE): void {
  const dests = Uint32Array.of(0, 0);
  conveyor(pe, u32).run({ dests, columns: dests }, { takeAll: () => PUT_BACK });
}

const parts: Readonly<Record<Part, (pe: PE, args: Args) => unknown>> = {
  histogram,
  structs,
  relay,
  elastic,
  gather,
  elasticGather,
  columns,
  pingPong,
  allSend,
  throwingSink,
  throwingSource,
  outsideTable,
  waitingSink,
  keptPush,
  bulk,
  bulkTable,
  bulkRefused,
  throwingNull,
  bulkNoRank,
  bulkReturned,
};

const program: Spmd = spmd((pe, args) =>
  playInTurn(args as Args | readonly Args[], (step) => parts[step.part](pe, step)),
);
export default program;
