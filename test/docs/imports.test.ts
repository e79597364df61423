/**
 * Who reads of a function of ours learns where it is imported from: a function that a page calls, in code or in a word
 * such as
 * `openLog(folder)`, is imported in a block of that page that is checked, or in one of a page that it links to.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { blocksOf, pages } from "./support/blocks.ts";

/** Words that mean something else on these pages: a method, a function of Node.js. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  "docs/store.md": ["set"],
  "docs/platforms.md": ["join"],
  // a function of the example
  "docs/gallery.md": ["exchange"],
};
const CALL = /(?<![.\w$])([A-Za-z]\w*)\(/g;
const IMPORT = /import (?:type )?\{([^}]*)\} from "([^"]*)"/g;

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: object };
const entries = Object.values(exports).flatMap((one: { types?: string } | string) =>
  typeof one === "string" || one.types === undefined ? [] : [one.types.replace(/\.d\.ts$/, ".js")],
);
const modules = await Promise.all(
  entries.map(async (file): Promise<object> => import(new URL(join("../../..", file), import.meta.url).href)),
);
/** What the package and its parts export. */
const ours = new Set(modules.flatMap((one) => Object.keys(one)));

/** Names that a text imports. @param isOurs from the package, or from elsewhere */
const importsIn = (text: string, isOurs: boolean): string[] =>
  [...text.matchAll(IMPORT)].flatMap(([, names = "", from = ""]) =>
    /^tundish(\/|$)/.test(from) === isOurs
      ? names.split(",").map((name) => name.replace(/^\s*(type )?/, "").split(/ as |\s/)[0] as string)
      : [],
  );

const callsIn = (text: string): string[] => [...text.matchAll(CALL)].map(([, name = ""]) => name);

/** Names that blocks of a page import; a page with a test of its own is checked by that. */
const importedOn = (page: string): string[] =>
  blocksOf(page).flatMap(({ kind, text }) =>
    kind.is === "not run" && !kind.reason.startsWith("checked by") ? [] : importsIn(text, true),
  );

/** Functions of ours that a page calls. */
function calledOn(page: string, text: string): Set<string> {
  const prose = text.replace(/^( *)(```+)[\s\S]*?^\1\2/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, span = ""]) => callsIn(span));
  const code = blocksOf(page)
    .filter(({ language }) => ["js", "ts"].includes(language))
    .flatMap((block) => {
      const declared = [...block.text.matchAll(/\b(?:const|let|function) (\w+)/g)].map(([, name = ""]) => name);
      const others = [...importsIn(block.text, false), ...declared];
      return callsIn(block.text.replace(/\/\/.*$/gm, "")).filter((name) => !others.includes(name));
    });
  return new Set([...spans, ...code].filter((name) => ours.has(name) && !OTHERS[page]?.includes(name)));
}

const test = suite("imports of the pages");
const checked = pages().filter((page) => page === "README.md" || dirname(page) === "docs");

test("functions are found", () => {
  for (const name of ["launch", "openLog", "generateTrees"]) assert.ok(ours.has(name), name);
  assert.ok(calledOn("docs/store.md", readFileSync(join(root, "docs/store.md"), "utf8")).has("openLog"));
});

for (const page of checked) {
  test(page, () => {
    const text = readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\(([\w./-]+\.md)/g)].map(([, link = ""]) => join(dirname(page), link));
    const shown = new Set([page, ...links.filter((one) => checked.includes(one))].flatMap(importedOn));
    // an Async form is where the other one is
    const isShown = (name: string) => shown.has(name) || shown.has(name.replace(/Async$/, ""));
    const missing = [...calledOn(page, text)].filter((name) => !isShown(name));
    assert.equal(missing, [], `${page} does not say where it is imported from, nor a page that it links to`);
  });
}

test.run();
