/** docs/gallery.md: a section for each example, with a picture that is there and code that is in the file, line by line. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("gallery");
const page = readFileSync(join(root, "docs/gallery.md"), "utf8");
const [, ...sections] = page.split(/^## /m);
const names = readdirSync(join(root, "examples"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => basename(file, ".ts"));
/** Without the indentation, which a part of a function need not have on the page. */
const flush = (text: string): string => text.replaceAll(/^ +/gm, "");
const lines = (text: string): number => text.trimEnd().split("\n").length;

test("each example has a section, and no section is without one", () => {
  const titles = sections.map((section) => section.split("\n")[0]);
  assert.equal(titles.sort(), names.sort());
});

for (const section of sections) {
  const [name = ""] = section.split("\n");
  test(`${name}: the code that is shown is in the file`, () => {
    const file = readFileSync(join(root, "examples", `${name}.ts`), "utf8");
    const blocks = [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
    assert.ok(blocks.length > 0);
    for (const code of blocks) assert.ok(flush(file).includes(flush(code)), `not in examples/${name}.ts:\n${code}`);
    const shown = blocks.reduce((sum, code) => sum + lines(code), 0);
    assert.ok(shown <= 32, `${shown} lines are more than those that matter`);
  });

  test(`${name}: it names the command of its times, what to change, and pictures that are there`, () => {
    assert.match(section, new RegExp(`node dist/examples/${name}\\.js`));
    assert.match(section, /^For your own: /m);
    for (const [, picture = ""] of section.matchAll(/^!\[[^\]]{10,}\]\((.*?)\)/gm))
      assert.ok(existsSync(join(root, "docs", picture)), picture);
  });
}

test.run();
