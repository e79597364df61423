/** What PEs make together when the heap has no room for it, or not yet: all of them get it, or none does. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";

const program = sibling("./programs/room.program.js", import.meta.url);
const heapBytes = 40 * 2 ** 20;

const room = suite("room in the heap");

room("all get what they make, or none does: 2 threads", async () => {
  await launch(program, { pes: 2, args: "all", timeout: 120_000, heapBytes });
});

/** How a run ends in which PE 1 gives nothing back. */
async function endOf(args: "returns" | "never", options: object): Promise<Error & { code?: string }> {
  const run = launch(program, { pes: 2, args, timeout: 60_000, heapBytes, ...options });
  return run.then(
    () => assert.unreachable("the run ended well") as never,
    (error: Error) => error,
  );
}

room("a wait for room ends: the other PE leaves, its time is up, the run is aborted", async () => {
  const left = await endOf("returns", {});
  assert.is(left.code, "ERR_TUNDISH_RANK_LOST", left.stack);
  assert.match(left.message, /PE 1 has returned/);
  const late = await endOf("never", { waitTimeout: 100 });
  assert.is(late.code, "ERR_TUNDISH_TIMEOUT", late.stack);
  assert.match(late.message, /PE 0 waited for PE 1 .*Not yet there: PE 1 \(making a group or a conveyor\)/);
  const stop = new AbortController();
  setTimeout(() => stop.abort("enough"), 500);
  const aborted = await endOf("never", { signal: stop.signal });
  assert.is(aborted.code, "ERR_TUNDISH_ABORTED", aborted.stack);
});

room.run();
