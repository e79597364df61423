/** PEs that have left their world: they can call nothing, and the thread is what it was before. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { Told } from "../../collectives/programs/failing.program.ts";

const leaving = suite("leaving");
leaving("a launched PE joins worlds and leaves them: it is the thread's PE again, 2 PEs", async () => {
  const program = sibling("./leaving.program.js", import.meta.url);
  const all = (await launch(program, { pes: 2, timeout: 60_000, waitTimeout: 20_000 })) as Told[][];
  for (const told of all) {
    assert.is(told.length, 4 * 8 + 8 + 2);
    for (const { name, message } of told) {
      assert.is(name, "UsageError", message);
      assert.match(message, /^This PE has left its world .*; join another with a ticket/);
    }
  }
});
leaving.run();
