/**
 * Every relative link of a page is to a file that is there, and every
 * `#anchor` is a heading of that page, as GitHub and npm name them. Links to folders have no page among the API pages.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { pages } from "./support/blocks.ts";

/** The text without what is code: blocks, and spans of a line. */
const prose = (text: string): string =>
  text
    .replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2/gm, "")
    .replace(/`[^`\n]+`/g, (code) => " ".repeat(code.length));

/** The anchors of a page: its headings in lower case, without punctuation, blanks as hyphens; repeated ones numbered. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(join(root, page), "utf8").replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2/gm, "");
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const plain = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replace(/ /g, "-");
    let anchor = plain;
    for (let i = 1; anchors.has(anchor); i++) anchor = `${plain}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a link; null if nothing is. */
function fault(page: string, link: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(root, target))) return "no such file";
  if (statSync(join(root, target)).isDirectory()) return "a folder, not a page";
  if (anchor === undefined || anchorsOf(target).has(anchor)) return null;
  return `no such heading; there are: ${[...anchorsOf(target)].join(", ")}`;
}

const test = suite("links of the documentation");

for (const page of pages()) {
  test(page, () => {
    const text = prose(readFileSync(join(root, page), "utf8"));
    const links = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(
      ([, link = ""]) => link,
    );
    const relative = links.filter((link) => !/^[a-z]+:/i.test(link));
    const faults = relative.flatMap((link) => {
      const found = fault(page, link);
      return found === null ? [] : [`${link}: ${found}`];
    });
    assert.equal(faults, []);
  });
}

test("README.md links to the pages of docs", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  assert.ok([...readme.matchAll(/\]\(docs\/[a-z-]+\.md/g)].length > 10);
});

test.run();
