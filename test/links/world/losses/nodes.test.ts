/** Worlds over nodes that go on without lost PEs (losses.program.ts). */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { eachMpi } from "../../../machine/mpi/launchers.ts";
import { job } from "../../../nodes/jobs.ts";
import { inTurn } from "../../../nodes/some-of.ts";
import { LONG, rounds } from "../../../support/long.ts";
import { shuffled } from "../../../support/sample.ts";
import { type Args, CALLS, type Told } from "./losses.program.ts";

const program = sibling("./losses.program.js", import.meta.url).href;
const test = suite("losses over nodes");
const first = Math.floor(Math.random() * 2 ** 30);

// half of them: on virtual PEs all are played
const calls = LONG ? CALLS : shuffled(CALLS, "calls").slice(0, CALLS.length / 2);
for (const [k, call] of calls.entries()) {
  eachMpi(
    test,
    `in the middle of: ${call}`,
    async (kind) => {
      for (let i = 0; i < rounds(1, 10); i++) {
        const seed = first + i;
        const pes = (
          [
            [1, 1],
            [1, 2],
            [2, 1],
            [2, 2],
          ] as const
        )[(seed + k) % 4] as readonly number[];
        const size = pes.reduce((sum, one) => sum + one, 0);
        const culprit = (seed >> 2) % size;
        const how = (seed >> 4) % 2 === 0 ? "throw" : "exit";
        const args: Args = { call, culprit, how, rounds: (seed % 5) * 2 };
        const byMpi = (seed >> 5) % 2 === 0;
        const order = { program, pes, args, byMpi, onLoss: "continue" as const, timeout: 60_000 };
        const { said, code, text } = await job(kind, order);
        const what = `seed ${seed}, ${JSON.stringify({ ...args, pes, byMpi })}: ${text}`;
        assert.is(code, 0, what);
        const all = said.flatMap(({ results = [] }) => results);
        assert.is(all.length, size, what);
        for (const [rank, told] of all.entries()) {
          if (rank === culprit) continue;
          const [error, again, group, lost] = told as Told;
          // PEs of another node may learn of the loss later than of the end of their neighbour's part
          if (!(call === "ordered broadcast" && error.startsWith("StateError")))
            assert.match(error, new RegExp(`^RankLostError .*PE ${culprit} `), what);
          assert.is(again, "RankLostError", what);
          assert.is(group, "RankLostError", what);
          assert.equal(lost, [culprit], what);
        }
      }
    },
    inTurn(k),
  );
}
/** What Open MPI wants so that it does not end the other processes. */
const RECOVERY = ["--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--enable-recovery"];

// MPICH's launcher, and MPICH itself, end all processes when one is killed
eachMpi(
  test,
  "a process that is killed",
  async (kind) => {
    for (const byMpi of [false, true]) {
      const args: Args = { call: "barrier", culprit: 1, how: "kill", rounds: 3 };
      const order = { program, pes: [1, 1, 2], args, byMpi, onLoss: "continue" as const, timeout: 60_000 };
      const { said, text } = await job(kind, order, { TUNDISH_NODE_TIMEOUT: "5000" }, RECOVERY, 2);
      assert.equal(
        said.map(({ node }) => node),
        [0, 2],
        text,
      );
      const all = said.flatMap(({ results = [] }) => results) as Told[];
      assert.is(all.length, 3, text);
      for (const [error, again, group, lost, sum] of all) {
        assert.match(error, /^RankLostError PE 1 is lost: Node 1 has sent no message for \d+ s/, text);
        assert.equal([again, group, lost], ["RankLostError", "RankLostError", [1]], text);
        assert.ok(sum > 20 * 5, text);
      }
    }
  },
  ["Open MPI"],
);
test.run();
