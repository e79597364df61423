/** What finds no room for one of its parts gives back those that it has got. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { NAMES, type Told } from "./leaving-room.program.ts";

const test = suite("a refusal leaves nothing in the heap");
const program = sibling("./leaving-room.program.js", import.meta.url);

test("whatever has several parts, and however little room there is", async () => {
  const [told = {}] = await launch<Told>(program, { pes: 2, heapBytes: 2 ** 24, trees: "binary" });
  for (const name of NAMES) {
    const { made, refused, lost } = told[name] as Told[string];
    assert.is(lost, 0, name);
    assert.ok(made > 1 && refused > 1, `${name}: ${made} times made, ${refused} times refused`);
  }
});

test.run();
