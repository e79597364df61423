/** Append buffers over nodes: what is pushed comes once, whatever carries it; and what happens while an owner computes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { eachMpi, KINDS } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn, oneOf } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import { type Args, EARLY_MS, HELD_TIMEOUT_MS, HOLDING_MS } from "./programs/nodes.program.ts";

const program = sibling("./programs/nodes.program.js", import.meta.url).href;
const test = suite("append over nodes");
const SEEDS = rounds(1, 500);
const first = Math.floor(Math.random() * 2 ** 30);

/** Windows are another code under each MPI; messages and conveyors go with both, which take turns in a plain run. */
for (const [pes, transport, way, kinds] of [
  [[2, 2], "receiver", "", inTurn(0, "messages")],
  [[1, 2], "conveyor", "", inTurn(1, "messages")],
  [[2, 1], "sender", ", stored", oneOf("Open MPI")],
  [[1, 2], "sender", ", through windows", KINDS],
] as const) {
  // nodes that have mapped each other's heaps (jobs.ts), and some that must not
  const byMpi = transport === "sender" ? { byMpi: way !== ", stored" } : {};
  eachMpi(
    test,
    `nodes with ${pes.join(", ")} PEs, transport ${transport}${way}`,
    async (kind) => {
      const part = (one: Args["part"]): Args => ({ part: one, transport });
      const phases: Args = { ...part("phases"), first, count: SEEDS };
      const rest = (
        [
          ...(["large", "started", "in a group", "owner computes", "owner waits", "not freed", "under way"] as const),
          "in groups at once",
          "refused unasked",
          "left in other orders",
          "local beside world",
        ] as const
      ).map(part);
      const { said, code, text } = await job(kind, {
        program,
        pes,
        args: [phases, ...rest],
        timeout: 120_000,
        ...byMpi,
      });
      assert.is(code, 0, `seed ${first}: ${text}`);
      const all = said.flatMap(({ results }) => results as unknown[][]);
      const size = pes.reduce<number>((sum, count) => sum + count, 0);
      assert.is(all.length, size);
      for (const [rank, [played, large, started, inGroup, , , notFreed, underWay, atOnce, ...rest]] of all.entries()) {
        assert.ok((played as number) >= SEEDS, `seed ${first}`);
        assert.is(large, true);
        const [left, taken, sum, messages, refused] = started as unknown[];
        assert.equal([left, taken, sum, messages], [0, 8000, 499_500, 1000]);
        assert.match(
          String(refused),
          /^pushStart: the append buffer of PE n has no room for 8 bytes: 0 of 8000 are left/,
        );
        assert.is(inGroup, true, `PE ${rank}`);
        assert.is(atOnce, true, `PE ${rank}`);
        const [unasked, ...others] = rest as [string, ...unknown[]];
        assert.match(unasked, /^pushStart: the append buffer of PE n has no room for 8 bytes: 0 of 64 are left/);
        assert.equal(others, [true, true]);
        assert.is(notFreed, 10 * size);
        const [least, took] = underWay as [number, number];
        assert.ok(least >= 8, `PE ${rank} saw ${least} of 8 bytes`);
        assert.ok(took < 0.75 * HOLDING_MS, `a push beside one that was only started took ${took} ms`);
      }
      // an owner that computes sees what is stored, and, as another PE of its node calls MPI, what comes through a window; one that waits
      // in a barrier serves
      assert.equal(all.at(-1)?.slice(4, 6), [transport === "sender", "in a barrier"]);
    },
    kinds,
  );
}

eachMpi(
  test,
  "groups of some nodes push through windows, made in different orders at the same time",
  async (kind) => {
    const args: Args = { part: "in groups at once", transport: "sender" };
    const { said, code, text } = await job(kind, {
      program,
      pes: [1, 1, 2],
      args,
      byMpi: true,
      timeout: 60_000,
    });
    assert.is(code, 0, text);
    assert.equal(
      said.flatMap(({ results }) => results),
      Array(4).fill(true),
    );
  },
  // two nodes do so under both
  inTurn(0, "groups"),
);

for (const [transport, kinds] of [
  ["sender", ["MPICH"]],
  ["conveyor", ["Open MPI"]],
] as const) {
  eachMpi(
    test,
    `a PE that returns beside an open buffer, transport ${transport}: who waits for a call of it is told`,
    async (kind) => {
      const args: Args = { part: "returns", transport };
      const { said, code, text } = await job(kind, {
        program,
        pes: [1, 1],
        args,
        byMpi: true,
        timeout: 60_000,
      });
      assert.is.not(code, 0, text);
      assert.is(said[0]?.error?.code, "ERR_TUNDISH_RANK_LOST", text);
      assert.match(String(said[0]?.error?.message), /PE 1 has .*without the call that (this )?PE (0 )?waits in/);
    },
    kinds,
  );
  eachMpi(
    test,
    `a PE that returns before the others free their buffers, transport ${transport}: it serves them, longer than waits may take`,
    async (kind) => {
      const args: Args = { part: "returns early", transport };
      const order = { program, pes: [1, 1], args, byMpi: true, timeout: 60_000, waitTimeout: EARLY_MS / 2 };
      const { said, code, text } = await job(kind, order);
      assert.is(code, 0, text);
      assert.equal(
        said.flatMap(({ results }) => results),
        [16, 16],
      );
    },
    kinds,
  );
}

eachMpi(
  test,
  "a push that another one holds up for long ends at its timeout, and says so",
  async (kind) => {
    const args: Args = { part: "held", transport: "sender" };
    const { said, code, text } = await job(kind, {
      ...{ program, pes: [2, 1], args, byMpi: true, timeout: 60_000, waitTimeout: HELD_TIMEOUT_MS },
    });
    assert.is.not(code, 0, text);
    assert.match(
      String(said[0]?.error?.message),
      /^PE 1 waited for \d+ ms, .*1 of its pushes into the append buffer "held" were not taken: another PE may have begun one to the same owner and not gone on/,
      text,
    );
    assert.is(said[0]?.error?.code, "ERR_TUNDISH_TIMEOUT");
  },
  // Open MPI ends accesses within the call that begins them, so that one test() may take the whole push
  ["MPICH"],
);

eachMpi(
  test,
  "transport sender is refused where the library makes no windows, and the world goes on",
  async (kind) => {
    const args: Args = { part: "refused", transport: "sender" };
    const order = { program, pes: [1, 1], args, byMpi: true, timeout: 60_000 };
    const byTcp = ["--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"];
    const { said, code, text } = await job(kind, order, {}, byTcp);
    assert.is(code, 0, text);
    for (const { results } of said) {
      const [message, sum] = (results as [string, number][])[0] as [string, number];
      assert.match(
        message,
        /^appendBuffer: transport: "sender" needs memory that all PEs share, or MPI windows, and the MPI library of PE 0 has made none.* or in shared memory/,
      );
      assert.is(sum, 2);
    }
  },
  ["Open MPI"],
);
test.run();
