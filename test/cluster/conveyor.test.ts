/** Conveyors over nodes, under the launchers that there are: the tests of one node, and what only nodes can get wrong. */
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Args as FaultArgs } from "../conveyor/faults.program.ts";
import { testUnless } from "../helpers/skip.ts";
import { KINDS, mpirun, runLine, WORDS, whyNoMpi } from "../mpi/launchers.ts";
import type { MatrixArgs, Step } from "./conveyor.program.ts";
import type { Job } from "./conveyor-job.ts";

const PROGRAM = fileURLToPath(new URL("./conveyor-job.js", import.meta.url));
const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 80_000;

/** What one node says at its end. */
interface Said {
  readonly node: number;
  readonly code?: string;
  readonly message?: string;
}

const matrix = (buffers: 1 | 2 | 4, count: number, sessions: number): Step => {
  const args: MatrixArgs = { buffers, count, sessions };
  return { in: "matrix", args };
};
const own = (args: string): Step => ({ in: "own", args });
const use = (args: string): Step => ({ in: "uses", args });
const zero = (where: Step["in"], part: string, more: object = {}): Step => ({
  in: where,
  args: { part, ...more },
  want: 0,
});

/** Whole sessions, programs that await, selectors: as on one node. */
const FRONTS: readonly Step[] = [
  ...([1, 2] as const).flatMap((hops) => [
    zero("run", "histogram", { hops }),
    zero("run", "gather", { hops, items: 2000 }),
    zero("run", "columns", { hops, items: 5000 }),
  ]),
  zero("run", "relay", { items: 300 }),
  zero("run", "elastic"),
  zero("run", "elasticGather"),
  zero("run", "pingPong", { items: 200 }),
  ...["batches", "asks", "mixed", "early", "chain", "twice"].map((part) =>
    zero("await", part, { items: 60 }),
  ),
  ...["ping", "pingAsync", "chain", "parents", "independent", "triangles", "silent"].map((part) =>
    zero("selector", part, part === "triangles" ? { items: 30 } : { items: 100 }),
  ),
  zero("selector", "ping", { items: 300, options: { hops: 2, compress: true } }),
  { in: "selector", args: { part: "pressure", items: 200 }, want: "0 true true 0" },
];

/** PEs of each node, and what they do. */
const WORLDS: readonly (readonly [pes: readonly number[], what: string, steps: readonly Step[]])[] = [
  [
    [1, 1],
    "all types, all sizes, in use, memory",
    [
      matrix(1, 80, 8),
      matrix(2, 60, 2),
      matrix(4, 60, 2),
      ...["meld", "monsters", "stale functions"].map(use),
      ...["made and freed", "no growth", "monsters"].map((args): Step => ({ in: "memory", args })),
    ],
  ],
  [[2, 2], "all types, all fronts, many at once", [matrix(2, 60, 1), ...FRONTS, use("many at once")]],
  [[1, 1, 1, 1], "all types", [matrix(4, 60, 1)]],
  [[2, 1, 1, 2], "all types", [matrix(1, 40, 1)]],
  [
    [1, 2],
    "what nodes can get wrong",
    ["large", "monsters", "alone", "groups", "many", "slow", "random"].map(own),
  ],
  [[2, 2, 2, 2], "what nodes can get wrong", [...["alone", "groups"].map(own), use("index gather")]],
];

/** What goes wrong at one PE, and what every node is told. */
const FAULTS: readonly (readonly [
  args: Pick<FaultArgs, "fault" | "front" | "culprit">,
  pes: readonly number[],
  code: string,
  message: RegExp,
  waitTimeout?: number,
])[] = [
  [{ fault: "throw", front: "tensor", culprit: 1 }, [1, 1], "RANK_LOST", /^PE 1 threw TypeError: something/],
  [{ fault: "return early", front: "tensor", culprit: 1 }, [1, 1], "RANK_LOST", /^PE 1 has returned/],
  [{ fault: "return early", front: "elastic", culprit: 2 }, [2, 1], "RANK_LOST", /^PE 2 has returned/],
  [{ fault: "return after DONE", front: "bi", culprit: 0 }, [1, 2], "RANK_LOST", /^PE 0 has returned/],
  [{ fault: "never begin", front: "simple", culprit: 1 }, [1, 1], "TIMEOUT", /longer than/, 1000],
  [{ fault: "session timeout", front: "tensor", culprit: 0 }, [1, 1], "TIMEOUT", /took longer than 400 ms/],
  [{ fault: "other options", front: "tensor", culprit: 1 }, [1, 1], "MISMATCH", /otherwise/],
  [{ fault: "other item at make", front: "bi", culprit: 0 }, [1, 1, 1], "MISMATCH", /otherwise/],
  [{ fault: "other item at begin", front: "tensor", culprit: 1 }, [1, 1], "MISMATCH", /do not agree/],
];

for (const kind of KINDS) {
  const test = suite(`conveyors over nodes, ${kind}`);
  const each = (name: string, body: () => Promise<void>) =>
    testUnless(test, whyNoMpi(kind), `${name} (${WORDS[kind]})`, body);
  const play = (job: Job) =>
    runLine<Said>(
      [
        ...mpirun(kind, job.pes.length),
        process.execPath,
        "--enable-source-maps",
        PROGRAM,
        JSON.stringify(job),
      ],
      {},
      DEADLINE_MS,
    );

  for (const [pes, what, steps] of WORLDS) {
    each(`${what}: nodes with ${pes.join(", ")} PEs`, async () => {
      const job: Job = { program: "./conveyor.program.js", pes, args: steps, timeout: TIMEOUT_MS };
      const { said, text } = await play(job);
      assert.equal(said.map(({ node }) => node).sort(), [...pes.keys()], text);
      assert.equal(
        said.flatMap(({ message }) => message ?? []),
        [],
      );
    });
  }

  // what each library may do otherwise: how a node goes, and what is left of its messages
  const faults = FAULTS.filter(([{ fault }]) => kind === "Open MPI" || /throw|return/.test(fault));
  for (const [args, pes, code, message, waitTimeout] of faults) {
    each(`${args.fault}, ${args.front}: nodes with ${pes.join(", ")} PEs`, async () => {
      const program = "../conveyor/faults.program.js";
      const { said, text } = await play({ program, pes, args, timeout: 20_000, waitTimeout });
      assert.equal(said.map(({ node }) => node).sort(), [...pes.keys()], text);
      for (const one of said) {
        assert.is(one.code, `ERR_TUNDISH_${code}`, text);
        assert.match(String(one.message), message);
      }
    });
  }
  test.run();
}
