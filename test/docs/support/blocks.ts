/** The fenced code blocks of all pages, each with what is said of it: how it is checked. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/paths.ts";

/** Folders without pages of ours. */
const SKIPPED = new Set(["node_modules", "dist", "api", "coverage"]);
const PROGRAMS = new Set(["js", "ts"]);
const OTHER = ["html", "yaml", "toml", "dockerfile", "c", "diff"];
const LANGUAGES = new Set(["", "text", "sh", "console", "json", ...PROGRAMS, ...OTHER]);

/**
 * What HTML comments before a block say: `<!-- not run: prints timings -->`, `<!-- with: c, dest -->`. `<!-- figures: … -->` is the place of
 * figures. `<!-- page not run: checked by test/… -->` anywhere in a page is for all of its blocks without a comment.
 */
export interface Said {
  /** Why the block is not run. */
  readonly notRun?: string;
  /** Names that the block uses and does not declare. */
  readonly with?: string;
  /** How many PEs a program has; 3 unless told. */
  readonly pes?: number;
  /** The name that its file has for the commands of the page. */
  readonly file?: string;
}

export type Kind =
  /** A program of the page, whose output follows it. */
  | { readonly is: "program"; readonly output: Block }
  /** The output of the program before it, or of what is not run. */
  | { readonly is: "output" }
  /** A program that the commands of its page name. */
  | { readonly is: "file"; readonly name: string }
  /** Code without output: its types are checked. */
  | { readonly is: "fragment" }
  /** Commands, each with its output. */
  | { readonly is: "commands" }
  | { readonly is: "document" }
  /** Why it is not run. */
  | { readonly is: "not run"; readonly reason: string }
  /** None of these: what was expected. */
  | { readonly is: "unclear"; readonly fault: string };

export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly said: Said;
}

export interface Classified extends Block {
  /** Of the page and the line, unique. */
  readonly name: string;
  readonly kind: Kind;
}

const KEYS = ["not run", "with", "pes", "file"];

/** All pages of the repository, relative to its root. */
export function pages(folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && !SKIPPED.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return pages(path);
      return path.endsWith(".md") ? [path] : [];
    });
}

/** The blocks of a page, each with its kind. @throws for a block without an end, or a comment that is none of ours */
export function blocksOf(page: string, text: string = readFileSync(join(root, page), "utf8")): Classified[] {
  const { blocks, follows } = split(page, text);
  const outputs = new Set<Block>();
  return blocks.map((block, i) => {
    const next = blocks[i + 1];
    const output = next?.language === "" && follows.has(next) ? next : undefined;
    const kind = kindOf(block, output, outputs);
    if (output !== undefined && (kind.is === "program" || kind.is === "not run")) outputs.add(output);
    return { ...block, name: `${page}:${block.line}`, kind };
  });
}

function kindOf(block: Block, output: Block | undefined, outputs: ReadonlySet<Block>): Kind {
  const { language, said, text } = block;
  const fault = (what: string): Kind => ({ is: "unclear", fault: what });
  if (!LANGUAGES.has(language)) {
    return fault(`expected one of ${[...LANGUAGES].filter(Boolean).join(", ")}, got ${language}`);
  }
  if (said.notRun !== undefined) return { is: "not run", reason: said.notRun };
  if (outputs.has(block)) return { is: "output" };
  if (PROGRAMS.has(language)) {
    if (output !== undefined) return { is: "program", output };
    const name = said.file ?? /^\/\/ ([\w-]+\.(mjs|mts|js|ts))\b/.exec(text)?.[1];
    return name === undefined ? { is: "fragment" } : { is: "file", name };
  }
  if (language === "console") {
    if (text.startsWith("$ ")) return { is: "commands" };
    return fault("expected a command after `$ `");
  }
  if (language === "json") return { is: "document" };
  return fault(
    "expected code with its output, types that can be checked, commands with `$ `, or a comment before the block " +
      "that says why it is not run, <!-- not run: a picture -->",
  );
}

/** The blocks as they stand, and those that follow another one at once. */
function split(page: string, text: string): { blocks: Block[]; follows: ReadonlySet<Block> } {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  const follows = new Set<Block>();
  let before = -2;
  for (let at = 0; at < lines.length; at++) {
    const fence = /^(\s*)(```+)(\S*)/.exec(lines[at] as string);
    if (fence === null) continue;
    const [, indent = "", marks = "", language = ""] = fence;
    const end = lines.findIndex((line, i) => i > at && line.trim() === marks);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block has no end`);
    const inside = lines.slice(at + 1, end).map((line) => line.replace(indent, ""));
    const block = {
      ...{ page, line: at + 1, language, said: saidOf(page, lines, at) },
      text: inside.map((line) => `${line}\n`).join(""),
    };
    if (lines.slice(before + 1, at).every((line) => line === "")) follows.add(block);
    blocks.push(block);
    before = end;
    at = end;
  }
  return { blocks, follows };
}

/** What stands in the comments before a block, or for all of its page. */
function saidOf(page: string, lines: readonly string[], at: number): Said {
  const said: Record<string, string> = {};
  for (let above = at - 1; above >= 0; above--) {
    const line = lines[above]?.trim() ?? "";
    if (line === "") continue;
    if (!/^<!-- .* -->$/.test(line)) break;
    const [, key, value = ""] = /^<!-- ([a-z ]+): (.*) -->$/.exec(line) ?? [];
    if (key === undefined || key === "figures" || key === "page not run") continue;
    if (!KEYS.includes(key)) {
      throw new Error(`${page}:${above + 1}: expected one of ${KEYS.join(", ")}, figures, got "${key}"`);
    }
    said[key] = value;
  }
  const ofPage = lines.map((line) => /^<!-- page not run: (.*) -->$/.exec(line)?.[1]).find(Boolean);
  const notRun = said["not run"] ?? (said.with === undefined ? ofPage : undefined);
  return {
    ...(notRun === undefined ? {} : { notRun }),
    ...(said.with === undefined ? {} : { with: said.with }),
    ...(said.pes === undefined ? {} : { pes: Number(said.pes) }),
    ...(said.file === undefined ? {} : { file: said.file }),
  };
}
