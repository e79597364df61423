/** What PEs of several nodes make together when one node has no room for it: all of them get it, or none does. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { eachMpi, KINDS, type Kind } from "../machine/mpi/launchers.ts";
import { LONG } from "../support/long.ts";
import { patiently } from "../support/patiently.ts";
import { job } from "./jobs.ts";
import { inTurn } from "./some-of.ts";

const program = sibling("./programs/room.program.js", import.meta.url).href;

const run = (kind: Kind, args: string, order: object = {}) =>
  job(kind, { program, pes: [2, 1, 2], args, heapBytes: 32 * 2 ** 20, ...order });

const room = suite("room in the heaps of nodes");

eachMpi(
  room,
  "what one node has no room for is refused to all PEs, and then made",
  async (kind) => {
    const { code, text } = await run(kind, "refusals");
    assert.is(code, 0, text);
  },
  inTurn(0, "room"),
);

eachMpi(room, "a PE that does not make it: it has left, the time is up, a node aborts", async (kind) => {
  const cases = [
    ["returns", () => ({}), "ERR_TUNDISH_RANK_LOST"],
    ["never", () => ({ waitTimeout: 1000 }), "ERR_TUNDISH_TIMEOUT"],
    // once all have begun
    ["never", (ms: number) => ({ abort: [1, ms] }), "ERR_TUNDISH_ABORTED"],
  ] as const;
  // each under one of them, and the abort, which is their own, under both
  const played = (i: number) => LONG || i === 2 || i === KINDS.indexOf(kind);
  for (const [args, order, expected] of cases.filter((_, i) => played(i))) {
    // the PE that is missed is alone on its node, so that others need its word
    await patiently(1000, async (ms) => {
      const { said, text } = await run(kind, args, { pes: [1, 1], ...order(ms) });
      assert.equal(
        said.map(({ error }) => error?.code),
        [expected, expected],
        text,
      );
    });
  }
});

room.run();
