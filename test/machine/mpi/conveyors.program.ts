/**
 * Conveyors over nodes with the choices of a plan, in turn with the same under each discipline and with other buffers: to
 * measure by hand, over hosts of ./hosts.ts, after `tundish profile` there.
 *
 *     node dist/test/machine/mpi/run-over-hosts.js 8 0=400mbit/100mbit 1=400mbit/100mbit … -- node dist/lib/main.js profile --keep-noisy -o cluster.json
 *     node dist/test/machine/mpi/run-over-hosts.js 8 0=400mbit/100mbit 1=400mbit/100mbit … -- env TUNDISH_MACHINE=cluster.json node dist/lib/main.js run dist/test/machine/mpi/conveyors.program.js -n 1 -- 5
 *
 * The argument: turns. Prints ms of a session, medians, and the median of the planned one by the best.
 */
import { conveyor } from "../../../src/conveyor.ts";
import { median } from "../../../src/ground/base/math.ts";
import { bytes, type PE, type Spmd, spmd } from "../../../src/index.ts";

const ITEM_BYTES = 64;
const LOADS = [2000, 20_000];

/** A limited link has saved as much as it may, before each session. */
const QUIET_MS = 30;
const QUIET = new Int32Array(new SharedArrayBuffer(4));

/** The receiver of the i-th item of a PE. */
const PATTERNS: Readonly<Record<string, (pe: PE, i: number) => number>> = {
  "all pairs": ({ rank, size }, i) => (rank + 1 + (i % (size - 1))) % size,
  "hot spot": ({ rank, size }, i) => (i % 4 === 0 ? 0 : (rank + 1 + (i % (size - 1))) % size),
  "one receiver": () => 0,
  neighbours: ({ rank, size }, i) => (rank + 1 + (i % 2)) % size,
};

const DISCIPLINES = ["interleaved", "cyclic-shift", "barrier", "token", "dynamic"] as const;
const FORMS = {
  planned: {},
  ...Object.fromEntries(DISCIPLINES.map((discipline) => [discipline, { discipline }])),
  "4 KiB": { bufferBytes: 4096 },
  "16 KiB": { bufferBytes: 16_384 },
  "64 KiB": { bufferBytes: 65_536 },
  "4 x 64 KiB": { bufferBytes: 65_536, buffersPerLink: 4 },
} as const;

const program: Spmd<[string]> = spmd((pe: PE, [turns]: [string]) => {
  const item = bytes(ITEM_BYTES);
  const x = new Uint8Array(ITEM_BYTES);
  let [near, cases] = [0, 0];
  for (const [pattern, receiverOf] of Object.entries(PATTERNS)) {
    for (const load of LOADS) {
      const all = Object.entries(FORMS).map(([name, options]) => {
        const c = conveyor(pe, item, { load, ...options });
        const session = () => {
          let i = 0;
          c.begin();
          while (c.advance(i === load)) {
            while (i < load && c.push(receiverOf(pe, i), x)) i++;
            while (c.pull());
          }
          c.reset();
        };
        return { name, c, session, times: [] as number[] };
      });
      for (let turn = 0; turn < Number(turns); turn++) {
        // each is the first one as often
        for (let place = 0; place < all.length; place++) {
          const { session, times } = all[(place + turn) % all.length] as (typeof all)[number];
          Atomics.wait(QUIET, 0, 0, QUIET_MS);
          pe.barrier();
          const since = performance.now();
          session();
          pe.barrier();
          times.push(performance.now() - since);
        }
      }
      const medians = all.map(({ times }) => median(times));
      const ratio = (medians[0] as number) / Math.min(...medians);
      cases++;
      if (ratio <= 1.1) near++;
      if (pe.rank === 0) {
        const told = all.map(({ name }, i) => `${name} ${(medians[i] as number).toFixed(1)}`).join(", ");
        const [, choice] = (all[0]?.c.explain() ?? "").split("\n");
        console.log(`${pattern}, ${load} items: ${ratio.toFixed(2)} x the best; ${told} (${choice?.split(":")[0]})`);
      }
      for (const { c } of all) c.free();
    }
  }
  if (pe.rank === 0) console.log(`${pe.size} hosts: planned within 10 % of the best in ${near} of ${cases} cases`);
});

export default program;
