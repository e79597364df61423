// A pool of piscina whose threads join a world: one task for each PE, which together move bodies under gravity.
// Then the same threads go on with ordinary tasks. The main thread's event loop is free all the time.
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { createWorld, isEntry, join, type PE, type Spmd, spmd, type Ticket } from "tundish";
import { example, type Problem, type Report } from "./support/example.ts";
import { randomAt, share } from "./support/input.ts";
import { flag, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { COLOURS, element, svg, words } from "./support/svg.ts";

/** Of each body x, y and z. */
type Bodies = { places: Float64Array; speeds: Float64Array };

/** Every PE runs this function: it has all bodies and moves its share. */
async function onAll(pe: PE, { places, speeds }: Bodies, steps: number): Promise<Float64Array> {
  const [first, end] = share(places.length / 3, pe.rank, pe.size);
  const mine = places.slice(3 * first, 3 * end);
  const own = speeds.slice(3 * first, 3 * end);
  let all = places;
  for (let step = 0; step < steps; step++) {
    pull(all, first, own);
    move(mine, own);
    all = await pe.allgatherAsync(mine); // the new places of all bodies, at every PE
  }
  return all;
}

/** The same on one thread. */
function onOne({ places, speeds }: Bodies, steps: number): Float64Array {
  const all = places.slice();
  const own = speeds.slice();
  for (let step = 0; step < steps; step++) {
    pull(all, 0, own);
    move(all, own);
  }
  return all;
}

const STEP = 1e-3;
/** Keeps the pull of near bodies finite. */
const SOFT = 1e-2;

/** The pull of all bodies changes the speeds of some, from number `first` on. */
function pull(all: Float64Array, first: number, speeds: Float64Array): void {
  for (let i = 0; i < speeds.length; i += 3) {
    const x = all[3 * first + i];
    const y = all[3 * first + i + 1];
    const z = all[3 * first + i + 2];
    let [ax, ay, az] = [0, 0, 0];
    for (let j = 0; j < all.length; j += 3) {
      const dx = all[j] - x;
      const dy = all[j + 1] - y;
      const dz = all[j + 2] - z;
      const square = dx * dx + dy * dy + dz * dz + SOFT;
      const by = 1 / (square * Math.sqrt(square));
      ax += by * dx;
      ay += by * dy;
      az += by * dz;
    }
    speeds[i] += STEP * ax;
    speeds[i + 1] += STEP * ay;
    speeds[i + 2] += STEP * az;
  }
}

function move(places: Float64Array, speeds: Float64Array): void {
  for (let i = 0; i < places.length; i++) places[i] += STEP * speeds[i];
}

/** Bodies in a cube, at rest. */
function fill(size: number, seed: number): Bodies {
  const places = Float64Array.from({ length: 3 * size }, (_, i) => randomAt(seed, i));
  return { places, speeds: new Float64Array(3 * size) };
}

/** Some of the bodies from the front, before and after: the nearer, the larger. */
function draw(before: Float64Array, after: Float64Array): string {
  const panel = (left: number, title: string, places: Float64Array) => {
    const dots = Array.from({ length: Math.min(500, places.length / 3) }, (_, i) => {
      const [x, y, z] = places.subarray(3 * i, 3 * i + 3);
      const place = { cx: left + 45 + 150 * x, cy: 235 - 150 * y, r: 1 + Math.min(2, Math.max(0, z)) };
      const isInside = Math.abs(x - 0.5) < 0.8 && Math.abs(y - 0.5) < 0.8; // others have been flung out
      return isInside ? element("circle", { ...place, fill: COLOURS[0], "fill-opacity": 0.7 }) : "";
    });
    return [words(left + 120, 20, title, "middle"), ...dots.filter((dot) => dot !== "")];
  };
  const content = [...panel(10, "before", before), ...panel(270, "after", after)];
  return svg(520, 290, "Bodies under gravity, before and after", content);
}

const OPTIONS = {
  size: whole(2000, 1, 1e6, "bodies"),
  steps: whole(20, 1, 1e6, "steps in time"),
  fail: { ...flag, takes: "the last PE throws, to see what the others get" },
};

const main = (pe: PE, args: unknown): Promise<Report | undefined> =>
  example(pe, args, "piscina-pool", OPTIONS, async ({ size, steps, seed, fail }): Promise<Problem<Float64Array>> => {
    const bodies = fill(size, seed);
    return {
      async parallel() {
        if (fail && pe.rank === pe.size - 1) throw new Error(`PE ${pe.rank} was told to fail`);
        return onAll(pe, bodies, steps);
      },
      serial: () => onOne(bodies, steps),
      // to the last bit: each body's sums are in the same order on any number of PEs
      differs(found, expected) {
        const at = found.findIndex((x, i) => x !== expected[i]);
        return at < 0 ? undefined : `coordinate ${at} is ${found[at]}, not ${expected[at]}`;
      },
      spoil: (places) => void places[0]++,
      draw: (places) => draw(bodies.places, places),
      tell: (places) => ({
        steps,
        "first body, x y z": Array.from(places.subarray(0, 3), (x) => Number(x.toFixed(6))),
      }),
    };
  });

/** Without a pool: `tundish run piscina-pool.js`, mpirun, or on virtual PEs. */
const program: Spmd = spmd(main);
export default program;

/** A task of the pool: its thread is a PE meanwhile. */
export async function asPe({ ticket, args }: { ticket: Ticket; args: string[] }): Promise<Report | undefined> {
  const pe = await join(ticket);
  try {
    return await main(pe, args);
  } finally {
    pe.leave(); // after an error, too: then the other PEs' waits end with one that names this PE
  }
}

/** Another task of the pool, which has nothing to do with others. */
export const ordinary = (n: number): number => fill(n, n).places.reduce((sum, x) => sum + x, 0);

/** All threads of a pool as PEs of one world, then each for itself again. @returns the report, with what the main thread saw */
async function onPool(args: string[]): Promise<unknown[]> {
  const pes = availableParallelism();
  const pool = new Piscina({ filename: import.meta.url, minThreads: pes, maxThreads: pes, ...loading() });
  using host = await createWorld({ pes });
  const beats = new Beats();
  try {
    const tasks = Array.from({ length: pes }, (_, rank) =>
      pool.run({ ticket: host.ticket(rank), args }, { name: "asPe" }),
    );
    const ended = await Promise.allSettled(tasks); // all: those that did not fail say whom they have lost
    const seen = beats.stop();
    const after = await Promise.all([1e5, 2e5, 3e5].map((n) => pool.run(n, { name: "ordinary" })));
    const errors = ended.flatMap((one, rank) => (one.status === "rejected" ? `PE ${rank}: ${one.reason.message}` : []));
    if (errors.length > 0) throw failure(errors);
    const [report] = ended.map((one) => (one as PromiseFulfilledResult<Report | undefined>).value);
    return [report && { ...report, "main thread": seen, "tasks afterwards": after.length }];
  } finally {
    beats.stop();
    await pool.destroy();
  }
}

/** Errors lose all but their message on the way out of a pool, so Tundish's messages end with a code. */
function failure(errors: readonly string[]): Error {
  const wrongOption = errors.find((message) => message.endsWith("[ERR_TUNDISH_USAGE]"));
  const message = wrongOption?.replace(/^PE \d+: /, "") ?? errors.join("\n");
  return Object.assign(new Error(message), { exitCode: wrongOption === undefined ? 1 : 2 });
}

/** A timer that shows whether the main thread's event loop is free. */
class Beats {
  #beats = 0;
  #longest = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
    this.#beats++;
  }, 10);

  stop(): string {
    clearInterval(this.#timer);
    return `${this.#beats} beats of a timer of 10 ms, at most ${this.#longest.toFixed(0)} ms apart`;
  }
}

/** Node 20 does not apply tsx to threads: where it runs this file, each of them registers it for itself. */
function loading(): { execArgv?: string[] } {
  if (!process.execArgv.some((word) => word.includes("/tsx/"))) return {};
  const code = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))}; register();`;
  return { execArgv: ["--import", `data:text/javascript,${encodeURIComponent(code)}`] };
}

if (isEntry(import.meta)) await print(onPool(process.argv.slice(2)));
