/** README.md begins with a program that is read at a glance. That it prints what is shown is checked with all programs of the pages. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { blocksOf } from "./support/blocks.ts";

const test = suite("the first program of README.md");

test("the first block is a whole program of at most eight lines", () => {
  const [first] = blocksOf("README.md");
  assert.is(first?.kind.is, "program");
  const lines = (first?.text ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("//"));
  assert.ok(lines.length <= 8, `${lines.length} lines`);
  assert.ok((first?.line as number) < 15);
});

test.run();
