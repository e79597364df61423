/** The links of the pages within the repository lead to a file, and to a heading of it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { pages } from "./support/blocks.ts";

const test = suite("links of the pages");
/** The text outside of blocks and code. */
const proseOf = (path: string) =>
  readFileSync(path, "utf8")
    .replaceAll(/^(\s*)```.*?^\s*```$/gms, "")
    .replaceAll(/`[^`\n]*`/g, (code) => (code.includes("](") ? "" : code));

/** As GitHub names the headings of a page. */
function anchorsOf(path: string): Set<string> {
  const headings = [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading as string);
  const names = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/\[(.*?)\]\(.*?\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  const seen = new Map<string, number>();
  return new Set(
    names.map((name) => {
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
}

for (const page of pages()) {
  test(page, () => {
    const path = join(root, page);
    const wrong = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(target)) return [`${link}: there is no such file`];
      if (anchor === undefined || statSync(target).isDirectory()) return [];
      return anchorsOf(target).has(anchor) ? [] : [`${link}: there is no such heading`];
    });
    assert.equal(wrong, []);
  });
}

test.run();
