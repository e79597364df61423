/** Comments fit on a screen: at most 120 columns, but for pictures, tables and examples. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("comments");

const MOST_COLUMNS = 120;
/** A picture, a table, or what is indented as an example. */
const DRAWN = /[─│┌┐└┘→▶]|^\s*\* \||^\s*\* {4,}/;

const isComment = (line: string): boolean => /^\s*(\/\*\*?|\*|\/\/) /.test(line);

for (const folder of ["src", "trees", "microbench", "packages/node-hwloc/src", "packages/tundish-bench/src"]) {
  test(`${folder}: at most ${MOST_COLUMNS} columns`, () => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    const long = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        readFileSync(join(root, folder, file), "utf8")
          .split("\n")
          .flatMap((line, at) =>
            isComment(line) && !DRAWN.test(line) && [...line].length > MOST_COLUMNS ? `${file}:${at + 1}` : [],
          ),
      );
    assert.equal(long, []);
  });
}

test.run();
