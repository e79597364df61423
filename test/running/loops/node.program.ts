/** One process of a job: makes loops of an open world over nodes, as the others do, and says what has come of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sibling } from "../../../src/ground/base/package-file.ts";
import {
  defaultWorld,
  forEach,
  forRange,
  functionsOf,
  mapEach,
  reduceEach,
  scanEach,
  share,
} from "../../../src/loop.ts";
import { open } from "../../../src/running/launch/open.ts";

/** What it says. */
export interface Facts {
  turns?: string[];
  sums?: number[];
  bits?: number;
  counts?: number[];
  words?: string[];
  parities?: unknown[];
  none?: unknown[];
  isInto?: boolean;
  squares?: number[];
  scanned?: number[];
  thrown?: string;
  missing?: string;
  aborted?: string;
  ran?: number;
  late?: string;
  took?: number;
  early?: string;
  waiting?: string[];
  told?: [number, number][];
  lost?: string;
  misuse?: string;
  after?: string;
}

const node = Number(process.env.OMPI_COMM_WORLD_RANK ?? process.env.PMI_RANK);
const bodies = functionsOf<typeof import("./bodies.program.ts")>(sibling("./bodies.program.js", import.meta.url));
const quick = sibling("./quick.program.js", import.meta.url);
const { square } = bodies;
const said: Facts = {};

/** Its error in words, or its result. */
async function outcome(promise: Promise<unknown>): Promise<string> {
  try {
    return `results: ${JSON.stringify(await promise)}`;
  } catch (error) {
    const { name, message, iterations } = error as Error & { readonly iterations?: unknown };
    return `${name}: ${message}${iterations === undefined ? "" : ` ${JSON.stringify(iterations)}`}`;
  }
}

/** Not on stdout: a launcher may mix long lines of two processes. */
function save(): void {
  writeFileSync(join(process.argv[3] as string, `${node}.json`), JSON.stringify(said));
}

/** A signal that one node aborts, after so many ms. */
const abortedAt = (where: number, ms: number): { readonly signal?: AbortSignal } =>
  node === where ? { signal: ms === 0 ? AbortSignal.abort("enough") : AbortSignal.timeout(ms) } : {};

if (process.argv[2] === "apart") {
  // of a world that the library opens
  said.sums = [await reduceEach(10, square, "sum")];
  await (await defaultWorld()).close();
}

if (process.argv[2] === "bare") {
  // the world of the first call, which one process gives what cannot be
  said.misuse = await outcome(reduceEach(node === 0 ? 10 : -1, square, "sum"));
  save();
  process.exit();
}

const world = await open({ pes: node + 1, timeout: 30_000 });

async function results(): Promise<void> {
  // node 1 has not made its second call when the first loop is over
  const turns = [outcome(reduceEach(world, 1000, square, "sum"))];
  if (node === 1) await delay(30);
  turns.push(outcome(world.run(quick)), outcome(reduceEach(world, 5, square, "max")));
  said.turns = await Promise.all(turns);
  said.sums = [];
  for (const schedule of ["static", "dynamic", "guided", "steal", "auto"] as const) {
    said.sums.push(await reduceEach(world, 1000, square, "sum", { schedule }));
  }
  const bits = { reproducible: true, args: { factor: 0.1 }, schedule: "dynamic" } as const;
  const tenths = Float64Array.from({ length: 3000 }, (_, i) => i);
  said.bits = await reduceEach(world, tenths, bodies.scaled, "sum", bits);
  const counts = share(Int32Array, 500);
  await forEach(world, 500, bodies.count, { args: { counts } });
  await forRange(world, { begin: 1, end: 500, step: 3 }, bodies.countRange, { args: counts });
  said.counts = [...counts];
  said.words = await mapEach(world, ["tin", "lead", "zinc"], bodies.labelled, { args: { mark: "-" } });
  said.parities = await mapEach(world, { begin: 10, end: 4, step: -1 }, bodies.parity);
  said.none = [await mapEach(world, 0, bodies.parity), await reduceEach(world, 0, square, "min", { initial: 3 })];
  const into = share(Float64Array, 700);
  said.isInto = (await mapEach(world, 600, square, { into })) === into;
  said.squares = [...into];
  const scanned = share(Int32Array, 2000);
  await scanEach(world, 2000, square, "sum", { into: scanned, exclusive: true, initial: 5 });
  said.scanned = [...scanned];
}

async function errors(): Promise<void> {
  said.thrown = await outcome(forEach(world, 1000, bodies.failsAt, { schedule: "static", args: { at: 900 } }));
  said.missing = await outcome(forEach(world, 10, (bodies as never as { readonly squares: typeof square }).squares));
  // node 1 has nothing left to do when its process ends the loop
  const slow = { schedule: "static", args: { limit: 1000, counts: share(Int32Array, 1) } } as const;
  said.aborted = await outcome(forEach(world, 3000, bodies.slowBelow, { ...slow, ...abortedAt(1, 100) }));
  said.ran = slow.args.counts[0] as number;
  said.late = await outcome(forEach(world, 1e6, bodies.sleeps, node === 0 ? { timeout: 60 } : {}));
  said.early = await outcome(forEach(world, 1e6, bodies.sleeps, abortedAt(1, 0)));
  const waits = [forEach(world, 150, bodies.sleeps), forEach(world, 1e6, bodies.sleeps, abortedAt(0, 5))];
  said.waiting = await Promise.all([...waits, reduceEach(world, 5, square, "sum")].map(outcome));
  const told: [number, number][] = [];
  const onProgress = (done: number, total: number): void => void told.push([done, total]);
  await forEach(world, 300, bodies.sleeps, node === 1 ? { onProgress } : {});
  said.told = told;
  said.lost = await outcome(forEach(world, 12, bodies.exits, { schedule: "static" }));
  said.after = await outcome(forEach(world, 12, square));
}

if (process.argv[2] === "apart") {
  // one process gives what cannot be
  said.misuse = await outcome(forEach(world, node === 0 ? 10 : -1, square));
  said.after = await outcome(forEach(world, 10, square));
} else if (process.argv[2] === "other") {
  said.misuse = await outcome(mapEach(world, 8, node === 0 ? square : bodies.thread));
} else if (process.argv[2] === "scan") {
  const into = share(Int32Array, 8);
  said.misuse = await outcome(scanEach(world, 8, square, "sum", { into, exclusive: node === 0 }));
} else if (process.argv[2] === "loading") {
  const never = functionsOf<typeof import("./never.program.ts")>(sibling("./never.program.js", import.meta.url));
  const began = performance.now();
  said.late = await outcome(forEach(world, 8, never.unreached, abortedAt(0, 300)));
  said.took = performance.now() - began;
} else if (process.argv[2] === "stuck") {
  const args = share(Int32Array, 2);
  said.late = await outcome(forEach(world, 8, bodies.forever, { args, ...(node === 0 && { timeout: 50 }) }));
} else {
  await results();
  await errors();
}
await world.close();
save();
