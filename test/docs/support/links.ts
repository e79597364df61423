/** Links between pages, and whether they lead somewhere. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** A text without what is code: blocks, and spans of a line. */
const prose = (text: string): string =>
  text.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2/gm, "").replace(/`[^`\n]+`/g, (code) => " ".repeat(code.length));

/** The anchors of a page: its headings in lower case, without punctuation, blanks as hyphens; repeated ones numbered. */
function anchorsOf(file: string): Set<string> {
  const text = readFileSync(file, "utf8").replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2/gm, "");
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
function fault(folder: string, page: string, link: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = join(folder, path === "" ? page : join(dirname(page), decodeURIComponent(path)));
  if (!existsSync(target)) return "no such file";
  if (statSync(target).isDirectory()) return "a folder, not a page";
  if (anchor === undefined || anchorsOf(target).has(anchor)) return null;
  return `no such heading; there are: ${[...anchorsOf(target)].join(", ")}`;
}

/** What is wrong with the relative links of a page. @param folder what the page's path is relative to */
export function faultsOf(folder: string, page: string): string[] {
  const text = prose(readFileSync(join(folder, page), "utf8"));
  const links = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(([, link = ""]) => link);
  const relative = links.filter((link) => !/^[a-z]+:/i.test(link));
  return relative.flatMap((link) => {
    const found = fault(folder, page, link);
    return found === null ? [] : [`${link}: ${found}`];
  });
}
