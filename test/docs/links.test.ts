/**
 * Every relative link of a page is to a file that is there, and every
 * `#anchor` is a heading of that page, as GitHub and npm name them. Links to folders have no page among the API pages.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { pages } from "./support/blocks.ts";
import { faultsOf } from "./support/links.ts";

const test = suite("links of the documentation");

for (const page of pages()) test(page, () => assert.equal(faultsOf(root, page), []));

test("README.md links to the pages of docs", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  assert.ok([...readme.matchAll(/\]\(docs\/[a-z-]+\.md/g)].length > 10);
});

for (const page of ["CONTRIBUTING.md", "docs/architecture.md"]) {
  test(`${page}: every source that it names is there`, () => {
    const folders = ["src", "trees", "microbench", "packages/tundish-bench/src", "test", "scripts"];
    const sources = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    );
    sources.push(".dependency-cruiser.mjs");
    const named = [...readFileSync(join(root, page), "utf8").matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)];
    const names = named.map(([, name]) => name as string).filter((name) => !name.includes("NAME"));
    assert.ok(names.length > 20);
    const isThere = (name: string) => sources.some((file) => file === name || file.endsWith(`/${name}`));
    assert.equal(
      names.filter((name) => !isThere(name)),
      [],
    );
  });
}

test.run();
