/** Every program of the pages prints what stands behind it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { blocksOf, type Classified, pages } from "./support/blocks.ts";
import { javascriptOf } from "./support/code.ts";
import { runInOneWorld } from "./support/one-world.ts";
import { isPrinted, makePlace, type Printed, runIn } from "./support/place.ts";

const test = suite("programs of the pages");
const programs = pages()
  .flatMap((page) => blocksOf(page))
  .filter(({ kind }) => kind.is === "program");
/** One that starts its own world, or has no PEs, or not three. */
const isAlone = ({ text, said }: Classified) =>
  said.pes !== undefined || !/^export default spmd\(/m.test(text) || /\blaunch\(/.test(text);
const together = programs.filter((program) => !isAlone(program));
const alone = programs.filter(isAlone);
const dir = makePlace({ model: true });

/** By name: what each of those in one world has printed. */
const printed = new Map<string, string>();
test.before(async () => {
  const texts = await runInOneWorld(dir, together.map(javascriptOf));
  for (const [i, { name }] of together.entries()) printed.set(name, texts[i] as string);
});

test("the pages have programs of both kinds", () => {
  assert.ok(together.length > 50, `${together.length}`);
  assert.ok(alone.length > 5, `${alone.length}`);
});

const outputOf = ({ kind }: Classified) => (kind.is === "program" ? kind.output.text : "");
for (const program of together) {
  test(program.name, () => assert.is(printed.get(program.name), outputOf(program)));
}

/** Of all in processes of their own: two at a time, in the order of their tests. */
const runs: Promise<Printed>[] = [];
const run = (i: number): Promise<Printed> => {
  const program = alone[i] as Classified;
  const { said } = program;
  const file = `alone-${i}.mjs`;
  writeFileSync(join(dir, file), javascriptOf(program));
  const command = said.pes === undefined ? "node" : `npx tundish run -n ${said.pes} --timeout 60000`;
  return runIn(dir, `${command} ${file}`);
};
for (const [i, program] of alone.entries()) {
  test(program.name, async () => {
    for (const next of [i, i + 1]) if (next < alone.length) runs[next] ??= run(next);
    const found = await (runs[i] as Promise<Printed>);
    if (!isPrinted(found, outputOf(program))) assert.is(found.both, outputOf(program));
  });
}

test.run();
