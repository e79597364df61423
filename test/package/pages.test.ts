/** The pages of the packed package: their links lead somewhere in it, and their commands name what is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { faultsOf } from "../docs/support/links.ts";
import { root } from "../support/paths.ts";
import { installed } from "./installed.ts";

const test = suite("pages of the packed package");
const folder = join(await installed(), "node_modules/tundish");
const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
const pages = all.filter((file) => file.endsWith(".md") && !file.startsWith("dist/"));

/** Paths of this package that are given to node, or to a command of ours. */
const GIVEN =
  /(?:\bnode|\btundish (?:run|simulate|plan|tree|bench \S+))(?: -\S+)* ((?:node_modules\/tundish\/|dist\/(?:lib|apps|examples|test|bench|modules)\/|scripts\/|test\/)[\w./-]+\.\w+)/g;
/** Where a page says that commands are for a clone. */
const CLONE = /\ba\s+(?:clone|checkout)\b/i;

test("the pages are found", () => {
  const docs = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  assert.ok(docs.length > 20, `${docs.length}`);
  for (const page of ["README.md", "CONTRIBUTING.md", ...docs.map((file) => join("docs", file))])
    assert.ok(pages.includes(page), page);
});

for (const page of pages) {
  test(`${page}: links`, () => assert.equal(faultsOf(folder, page), []));

  test(`${page}: files of commands are in the package, or said to be of a clone`, () => {
    const text = readFileSync(join(folder, page), "utf8");
    const named = [...text.replaceAll(/\s+/g, " ").matchAll(GIVEN)].map(([, path = ""]) => path);
    const missing = named.filter((path) => {
      const own = /^node_modules\/tundish\/(.*)/.exec(path)?.[1];
      return own === undefined ? !CLONE.test(text) : !existsSync(join(folder, own));
    });
    assert.equal(missing, []);
  });
}

test.run();
