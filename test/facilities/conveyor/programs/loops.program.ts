/** The loops of docs/contract.md and of runs, many sessions of each: what V8 compiles them to, codegen/bailouts.test.ts looks at. */
import {
  biconveyor,
  type Conveyor,
  conveyor,
  type ElasticConveyor,
  elasticConveyor,
} from "../../../../src/conveyor.ts";
import { f64, isEntry, launch, type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

const ITEMS = 50_000;
const SESSIONS = 10;

const destsOf = (pe: PE): Uint32Array => Uint32Array.from({ length: ITEMS }, (_, i) => (i * 7 + pe.rank) % pe.size);

/** An item at a time, by push and pull. */
const itemWise = (c: Conveyor<typeof u32> | ElasticConveyor, push: (i: number) => boolean) => (): number => {
  let got = 0;
  c.begin();
  for (let i = 0; c.advance(i === ITEMS); ) {
    for (; i < ITEMS && push(i); i++);
    for (; c.pull(); got++);
  }
  c.reset();
  return got;
};

/** A whole session in one call. */
const inOneCall = (dests: Uint32Array, run: (source: Source, sink: () => void) => void) => {
  let got = 0;
  const source: Source = (push) => {
    for (let i = 0; i < ITEMS; i++) push(dests[i], i);
  };
  const sink = (): void => void got++;
  return (): number => {
    got = 0;
    run(source, sink);
    return got;
  };
};
type Source = (push: (dest: number, item: number) => void) => void;

/** A session of each form; gives the number of items, or replies, that came. */
export const LOOPS: Readonly<Record<string, (pe: PE) => () => number>> = {
  item(pe) {
    const dests = destsOf(pe);
    const c = conveyor(pe, u32);
    return itemWise(c, (i) => c.push(dests[i], i));
  },
  elastic(pe) {
    const dests = destsOf(pe);
    const bytes = new Uint8Array(12);
    const c = elasticConveyor(pe);
    return itemWise(c, (i) => c.push(dests[i], bytes));
  },
  batch(pe) {
    const dests = destsOf(pe);
    const column = Uint32Array.from(dests, (_, i) => i);
    const c = conveyor(pe, u32);
    return () => {
      let got = 0;
      c.begin();
      for (let i = 0; c.advance(i === ITEMS); ) {
        i = c.pushAll(dests, column, i, ITEMS);
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) got += batch.columns.length;
      }
      c.reset();
      return got;
    };
  },
  run(pe) {
    const c = conveyor(pe, u32);
    return inOneCall(destsOf(pe), (source, sink) => c.run(source, sink));
  },
  bi(pe) {
    const c = biconveyor(pe, u32, f64, (i) => i + 0.5);
    return inOneCall(destsOf(pe), (source, sink) => c.run(source, sink));
  },
};

const program: Spmd = spmd((pe, args) => {
  const session = LOOPS[args as string]?.(pe);
  let got = 0;
  for (let i = 0; i < SESSIONS; i++) got += session?.() ?? 0;
  return pe.allreduce(got, "sum") / (SESSIONS * ITEMS);
});
export default program;

if (isEntry(import.meta)) {
  const args = process.argv[2];
  const [items] = await launch<number>(new URL(import.meta.url), { pes: 2, args });
  console.log(`\nitems of each PE: ${items}`);
}
