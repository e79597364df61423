/**
 * Every fenced block of every page is checked, in one of these ways; a block without one fails here.
 *
 * - Code (js, ts) with its output behind it, in a block without a language: run and compared (programs.test.ts).
 * - Code without output: its types (fragments.test.ts). `<!-- with: c, pe -->` before it declares what it uses.
 * - `console`: each command after `$ ` is run and its output compared (commands.test.ts). Code whose first line is a comment
 *   with its file name, `// sum.mjs: …`, or that follows `<!-- file: sum.mjs -->`, is the file that commands of the page run.
 * - `json`: parsed, and checked against the schema that it names (fragments.test.ts).
 * - Anything else: `<!-- not run: REASON -->` before it, with a reason of the list below. A page with a test of its own has
 *   `<!-- page not run: checked by test/… -->`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { blocksOf, pages } from "./support/blocks.ts";
import { wrongIn } from "./support/command-lines.ts";

/** Why a block may be left out. */
const REASONS = [
  "a picture",
  "a picture of words",
  "prints timings",
  "takes long",
  "needs MPI",
  "needs a cluster",
  "installs",
  "a list of commands",
  "shown in part",
  "a file of another tool",
  "another language",
  "needs docker",
  "replaced below",
];

const test = suite("blocks of the pages");
const all = pages();

test("the pages are found", () => {
  for (const page of ["README.md", "CONTRIBUTING.md", "docs/contract.md", "packages/node-hwloc/README.md"]) {
    assert.ok(all.includes(page), page);
  }
});

for (const page of all) {
  test(`${page}: each block is one that is checked`, () => {
    for (const { name, kind } of blocksOf(page)) {
      assert.is(kind.is === "unclear" ? `${name}: ${kind.fault}` : "", "");
      if (kind.is !== "not run") continue;
      const { reason } = kind;
      // a test of its own
      const file = /^checked by (test\/\S+\.test\.ts)$/.exec(reason)?.[1];
      if (file === undefined) assert.ok(REASONS.includes(reason), `${name}: "${reason}" is none of the reasons`);
      else assert.ok(existsSync(join(root, file)), `${name}: there is no ${file}`);
    }
  });

  test(`${page}: commands of tundish that are not run exist, and their options`, () => {
    for (const { name, text, kind } of blocksOf(page)) {
      if (kind.is !== "not run") continue;
      const wrong = wrongIn(text);
      assert.is(wrong, undefined, `${name}: ${wrong}`);
    }
  });
}

const fence = "```";
const page = (...lines: string[]) => lines.join("\n").replaceAll("~~~", fence);
const kinds = (text: string) =>
  blocksOf("page.md", text).map(({ kind }) => (kind.is === "unclear" ? kind.fault : kind.is));

test("a block is an output only right behind code", () => {
  assert.equal(kinds(page("~~~js", "1;", "~~~", "", "~~~", "1", "~~~")), ["program", "output"]);
  const [code, output = ""] = kinds(page("~~~js", "1;", "~~~", "It prints", "~~~", "1", "~~~"));
  assert.is(code, "fragment");
  assert.match(output, /^expected code with its output.*<!-- not run: a picture -->$/);
});

test("a block that is not checked is refused, unless it says why", () => {
  assert.match(kinds(page("~~~sh", "ls", "~~~"))[0], /^expected code with its output/);
  assert.equal(kinds(page("<!-- not run: installs -->", "", "~~~sh", "ls", "~~~")), ["not run"]);
  assert.equal(kinds(page("~~~console", "ls", "~~~")), ["expected a command after `$ `"]);
  assert.match(kinds(page("~~~rust", "~~~"))[0], /^expected one of text, sh.* got rust/);
  assert.throws(() => kinds(page("~~~js", "1;")), /page\.md:1: the block has no end/);
  assert.throws(
    () => kinds(page("<!-- run: never -->", "~~~js", "~~~")),
    /page\.md:1: expected one of not run, .* got "run"/,
  );
});

test("what a page says holds for its blocks without a comment, and of several comments each", () => {
  const says = "<!-- page not run: installs -->";
  assert.equal(kinds(page(says, "", "~~~sh", "ls", "~~~", "", "~~~js", "1;", "~~~")), ["not run", "not run"]);
  assert.equal(kinds(page(says, "<!-- with: pe -->", "~~~js", "pe;", "~~~")), ["fragment"]);
  assert.equal(kinds(page("<!-- not run: installs -->", "<!-- figures -->", "~~~sh", "~~~")), ["not run"]);
});

test("the name of a file is in its first line, or before it", () => {
  assert.equal(kinds(page("~~~js", "// sum.mjs: adds", "~~~")), ["file"]);
  assert.equal(kinds(page("<!-- file: sum.mjs -->", "~~~js", "1;", "~~~")), ["file"]);
});

test("a command that there is not, or an option, is found", () => {
  assert.is(wrongIn("npx tundish run sum.mjs -n 4 -- --size 3\nnpx tundish --version # 1"), undefined);
  assert.match(String(wrongIn("npx tundish walk")), /has no command walk$/);
  assert.match(String(wrongIn("mpirun -n 2 npx tundish run x.mjs --fast=1  quickly")), /has no --fast$/);
  assert.match(String(wrongIn("npx tundish bench collectives --tuns 3 | head")), /has no --tuns$/);
});

test.run();
