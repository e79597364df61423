/** Conveyors over nodes, under the launchers that there are: the tests of one node, and what only nodes can get wrong. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { Args as FaultArgs } from "../facilities/conveyor/programs/faults.program.ts";
import { ALL_SIZES } from "../facilities/conveyor/support/cases.ts";
import { KINDS, type Kind, WORDS, whyNoMpi } from "../machine/mpi/launchers.ts";
import { LONG, rounds } from "../support/long.ts";
import { covering, drawn } from "../support/sample.ts";
import { testUnless } from "../support/skip.ts";
import { CONVEYORS, dealt, FRONTS, own, STATES, use } from "./conveyor-steps.ts";
import { job } from "./jobs.ts";
import type { Step } from "./programs/conveyor.program.ts";
import { inTurn } from "./some-of.ts";

const FAULTY = sibling("../facilities/conveyor/programs/faults.program.js", import.meta.url).href;

/** What one kind of MPI plays, and both in the long run: the other plays it over hosts (hosts.test.ts), or in other worlds. */
const only = (kind: Kind, ...steps: readonly Step[]) => ({ kind, steps });
/** Half of them, with some number of hops: each is played on one node, too, and some over hosts. */
const SOME_FRONTS = covering(
  FRONTS,
  ({ in: where, args }) => [`${where} ${(args as { part: string }).part}`],
  "fronts",
).filter((_, i) => LONG || i % 2 === drawn(2, "fronts"));
/** Sessions of each conveyor where the sizes of items matter. */
const SESSIONS = rounds(2, ALL_SIZES);

/** PEs of each node, and what they do: together every number of buffers under either MPI. Few worlds, as each costs its processes. */
const WORLDS: readonly (readonly [
  pes: readonly number[],
  what: string,
  steps: readonly (Step | ReturnType<typeof only>)[],
])[] = [
  [
    [1, 1],
    "all types, all sizes, in use, memory",
    [
      only("Open MPI", dealt("Open MPI", 4, 60, SESSIONS), ...["meld", "methods without their conveyor"].map(use)),
      only("MPICH", dealt("MPICH", 1, 40, SESSIONS), dealt("MPICH", 2, 60, SESSIONS), use("oversized")),
      only("MPICH", { in: "memory", args: ["no growth", "made and freed", "oversized"] }),
    ],
  ],
  [[2, 2], "all fronts, many at once", [only("MPICH", ...SOME_FRONTS, use("many at once"))]],
  [[2, 1, 1, 2], "all types", [only("MPICH", dealt("MPICH", 4, 60, 1), own("meshes"))]],
  [
    [1, 2],
    "what nodes can get wrong, all types, all states",
    [
      ...["large", "oversized", "alone", "groups", "slow"].map(own),
      only("Open MPI", own("many"), use("many at once"), dealt("Open MPI", 2, 60, 1), STATES),
      only("MPICH", own("random")),
    ],
  ],
  [
    [2, 2, 2, 2],
    "what nodes can get wrong, all types",
    [only("Open MPI", ...["alone", "groups", "meshes"].map(own), use("index gather"), dealt("Open MPI", 1, 40, 1))],
  ],
  ...(LONG
    ? ([
        [[1, 1, 1, 1], "all types with 4 buffers", [dealt("MPICH", 4, 60, 1)]],
        [[2, 2], "all types with 2 buffers, all states", [dealt("Open MPI", 2, 60, 1), STATES]],
        [[2, 1, 1, 2], "all types with 1 buffer", [dealt("Open MPI", 1, 40, 1)]],
      ] as const)
    : []),
];

const stepsOf = (kind: Kind, steps: (typeof WORLDS)[number][2]): Step[] =>
  steps.flatMap((one) => ("in" in one ? one : LONG || one.kind === kind ? one.steps : []));

/** What goes wrong at one PE, and what every node is told. */
const FAULTS: readonly (readonly [
  args: Pick<FaultArgs, "fault" | "front" | "culprit" | "sessionTimeout">,
  pes: readonly number[],
  code: string,
  message: RegExp,
  waitTimeout?: number,
])[] = [
  [{ fault: "throw", front: "tensor", culprit: 1 }, [1, 1], "RANK_LOST", /^PE 1 threw TypeError: something/],
  [{ fault: "return early", front: "tensor", culprit: 1 }, [1, 1], "RANK_LOST", /^PE 1 has returned/],
  [{ fault: "return early", front: "elastic", culprit: 2 }, [2, 1], "RANK_LOST", /^PE 2 has returned/],
  [
    { fault: "all return", front: "tensor", culprit: 0 },
    [1, 1],
    "RANK_LOST",
    /^PE [01] has returned .* the conveyor of u32 is in state working/,
  ],
  [{ fault: "return after DONE", front: "bi", culprit: 0 }, [1, 2], "RANK_LOST", /^PE 0 has returned/],
  [{ fault: "never begin", front: "simple", culprit: 1 }, [1, 1], "TIMEOUT", /longer than/, 1000],
  [
    { fault: "session timeout", front: "tensor", culprit: 0, sessionTimeout: 400 },
    [1, 1],
    "TIMEOUT",
    /session took longer than 400 ms/,
  ],
  [{ fault: "other options", front: "tensor", culprit: 1 }, [1, 1], "MISMATCH", /otherwise/],
  [{ fault: "other item at make", front: "bi", culprit: 0 }, [1, 1, 1], "MISMATCH", /otherwise/],
  [{ fault: "other item at begin", front: "tensor", culprit: 1 }, [1, 1], "MISMATCH", /do not agree/],
];

for (const kind of KINDS) {
  const test = suite(`conveyors over nodes, ${kind}`);
  const each = (name: string, body: () => Promise<void>) =>
    testUnless(test, whyNoMpi(kind), `${name} (${WORDS[kind]})`, body);
  for (const [pes, what, all] of WORLDS) {
    const steps = stepsOf(kind, all);
    if (steps.length === 0) continue;
    each(`${what}: nodes with ${pes.join(", ")} PEs`, async () => {
      const { said, code, ms, text } = await job(kind, { program: CONVEYORS, pes, args: steps });
      const how = `exit code ${code} after ${Math.round(ms)} ms: ${text}`;
      // a PE that gets no CPU for long is warned of
      const ends = said.filter(({ warning }) => warning === undefined);
      assert.equal(ends.map(({ node }) => node).sort(), [...pes.keys()], how);
      assert.equal(
        said.flatMap(({ error }) => error ?? []),
        [],
      );
    });
  }

  if (inTurn(0, "full").includes(kind)) {
    each("oversized items that fill the heaps of both nodes", async () => {
      const order = { program: CONVEYORS, pes: [2, 2], args: [own("full")], heapBytes: 2 ** 24 };
      const { code, text } = await job(kind, order);
      assert.is(code, 0, text);
    });
  }

  // what each library may do otherwise: how a node goes, and what is left of its messages
  const faults = FAULTS.filter(([{ fault, front }]) => {
    if (LONG) return true;
    if (fault === "throw") return inTurn(1, "throw").includes(kind);
    if (front === "elastic") return inTurn(0, "elastic").includes(kind);
    return fault === "all return" ? kind === "Open MPI" : kind === "MPICH";
  });
  for (const [args, pes, code, message, waitTimeout] of faults) {
    each(`${args.fault}, ${args.front}: nodes with ${pes.join(", ")} PEs`, async () => {
      const order = { program: FAULTY, pes, args, hasNotes: true, timeout: 20_000 };
      const { said, text } = await job(kind, { ...order, waitTimeout: waitTimeout ?? order.timeout });
      // a PE that waits may have warned before
      const ends = said.filter(({ warning }) => warning === undefined);
      assert.equal(ends.map(({ node }) => node).sort(), [...pes.keys()], text);
      for (const { error } of ends) {
        assert.is(error?.code, `ERR_TUNDISH_${code}`, text);
        assert.match(String(error?.message), message);
      }
    });
  }
  test.run();
}
