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
  said.pes !== undefined || !/^export default spmd\(/m.test(text) || /\b(launch|open)\(/.test(text);
const together = programs.filter((program) => !isAlone(program));
const alone = programs.filter(isAlone);
const dir = await makePlace({ model: true });

/** What those in one world have printed, in their order; why they have not all run. */
let printed: readonly string[] = [];
let failure: Error | null = null;
test.before(async () => {
  try {
    printed = await runInOneWorld(dir, together.map(javascriptOf));
  } catch (error) {
    failure = error as Error;
  }
});

test("all run in one world, one after the other", () => {
  if (failure !== null) throw failure;
});

test("the pages have programs of both kinds", () => {
  assert.ok(together.length >= 30, `${together.length}`);
  assert.ok(alone.length > 5, `${alone.length}`);
});

const outputOf = ({ kind }: Classified) => (kind.is === "program" ? kind.output.text : "");
function compare(found: Printed, program: Classified): void {
  if (!isPrinted(found, outputOf(program))) assert.is(found.both, outputOf(program));
}

for (const [i, program] of together.entries()) {
  test(program.name, async () => {
    // each by itself shows whose fault it is
    const run = `npx tundish run program-${i}.mjs -n 3 --timeout 60000`;
    if (failure !== null) return compare(await runIn(dir, run), program);
    assert.is(printed[i], outputOf(program));
  });
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
    compare(await (runs[i] as Promise<Printed>), program);
  });
}

test.run();
