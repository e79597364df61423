/** While a begin is awaited no other call is admitted, and none does harm. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";

const program = sibling("./programs/underway.program.js", import.meta.url);

const underWay = suite("begin under way");

underWay("every call is refused, and the session is what it would have been", async () => {
  const [first, second] = await launch<unknown[]>(program, { pes: 2, timeout: 60_000 });
  const refused = {
    begin: "STATE",
    push: "STATE",
    pull: "STATE",
    advance: "STATE",
    reset: "STATE",
    free: "STATE",
  };
  // `using` does nothing there
  const all = { ...refused, using: "went on" };
  const sessions = { batches: "STATE", run: "STATE" };
  assert.equal(first?.[0], {
    begin: { state: "begin", ...all, ...sessions, late: "STATE" },
    after: "dormant 7 1 1 2",
  });
  assert.equal(first?.[1], {
    begin: { state: "begin", ...all, runAsync: "STATE" },
    after: "2 dormant",
  });
  assert.equal([first?.[2], second?.[2]], ["STATE", "STATE"]);
});

underWay.run();
