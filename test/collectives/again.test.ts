/** The same array in call after call. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { launchPooled } from "../support/thread-pool.ts";
import { comparedBy } from "./programs/again.program.ts";

const test = suite("the same array again and again");
const program = new URL("./programs/again.program.js", import.meta.url);

for (const pes of [1, 2, 3, 5]) {
  test(`${pes} PEs`, async () => {
    assert.equal(await launchPooled(program, { pes }), Array(pes).fill(comparedBy(pes)));
  });
}

test.run();
