/**
 * Every relative link of a page is to a file that is there, and every
 * `#anchor` is a heading of that page, as GitHub and npm name them. Links to folders have no page among the API pages.
 */
import { readFileSync } from "node:fs";
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

test.run();
