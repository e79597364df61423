/** Steps of the program of conveyors over nodes (./programs/conveyor.program.ts), as data. */
import { sibling } from "../../src/ground/base/package-file.ts";
import { casesWith } from "../facilities/conveyor/support/cases.ts";
import { KINDS, type Kind } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { drawn } from "../support/sample.ts";
import type { MatrixArgs, Step } from "./programs/conveyor.program.ts";

/** The program that takes them. */
export const CONVEYORS: string = sibling("./programs/conveyor.program.js", import.meta.url).href;

export const matrix = (buffers: 1 | 2 | 4, count: number, sessions: number): Step => {
  const args: MatrixArgs = { buffers, count, sessions };
  return { in: "matrix", args };
};
/**
 * The same of those cases that this MPI plays in a plain run with so many buffers: each case under each MPI with one
 * number of buffers, another one under the other. Which is drawn for each run.
 */
export const dealt = (kind: Kind, ...given: Parameters<typeof matrix>): Step => {
  const [buffers, count, sessions] = given;
  if (LONG) return matrix(...given);
  const isTheirs = (i: number) => buffers === [1, 2, 4][(drawn(3, "matrix", i) + KINDS.indexOf(kind)) % 3];
  const only = casesWith(buffers).flatMap((_, i) => (isTheirs(i) ? i : []));
  const args: MatrixArgs = { buffers, count, sessions, only };
  return { in: "matrix", args };
};
/** Every illegal call in every state, of half of the conveyors in a plain run. */
export const STATES: Step = { in: "states", args: LONG ? {} : { half: drawn(2, "states") } };
export const own = (args: string): Step => ({ in: "own", args });
export const use = (args: string): Step => ({ in: "uses", args });
const zero = (where: Step["in"], part: string, more: object = {}): Step => ({
  in: where,
  args: { part, ...more },
  want: 0,
});

/** Whole sessions, programs that await, selectors: as on one node. */
export const FRONTS: readonly Step[] = [
  ...([1, 2] as const).flatMap((hops) => [
    zero("run", "histogram", { hops }),
    zero("run", "gather", { hops, items: 2000 }),
    zero("run", "columns", { hops, items: 5000 }),
    zero("run", "bulk", { hops, items: 3000 }),
    zero("run", "bulkTable", { hops, items: 5000 }),
  ]),
  ...["accumulate", "run"].map((way) => zero("tables", "any", { way, trials: rounds(1, 12) })),
  zero("tables", "answers", { trials: rounds(1, 12) }),
  zero("packets", "pass", { trials: rounds(3, 16) }),
  zero("values", "pass", { trials: rounds(3, 30) }),
  ...([1, 2] as const).map((hops) => zero("values", "run", { hops })),
  zero("values", "sent"),
  zero("run", "relay", { items: 300 }),
  zero("run", "elastic"),
  zero("run", "elasticGather"),
  zero("run", "pingPong", { items: 200 }),
  ...["batches", "asks", "mixed", "early", "chain", "twice"].map((part) => zero("await", part, { items: 30 })),
  ...["ping", "pingAsync", "chain", "parents", "independent", "triangles", "silent"].map((part) =>
    zero("selector", part, part === "triangles" ? { items: 30 } : { items: 120 }),
  ),
  zero("selector", "ping", { items: 300, options: { hops: 2, compress: true } }),
  { in: "selector", args: { part: "pressure", items: rounds(40, 200) }, want: "0 true true 0" },
];
