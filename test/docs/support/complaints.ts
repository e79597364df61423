/** Whether the types of code in the pages are right: all of it in one run of the compiler, against the built declarations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/paths.ts";
import type { Classified } from "./blocks.ts";
import { declarations } from "./names.ts";
import { makePlace, runIn } from "./place.ts";

/** By the name of a block: what the compiler says of it. */
export async function complaints(blocks: readonly Classified[]): Promise<Map<string, string[]>> {
  const dir = await makePlace();
  const before = blocks.map(({ said, text }) => {
    const preamble = declarations(said.with);
    // a module, as it may await
    return /^(import|export) /m.test(preamble + text) ? preamble : `${preamble}export {};\n`;
  });
  for (const [i, { text }] of blocks.entries()) {
    writeFileSync(join(dir, `block-${i}.mts`), `${before[i]}${text}`);
  }
  const compilerOptions = {
    ...{ target: "ES2023", module: "NodeNext", strict: true, noEmit: true, skipLibCheck: true },
    ...{ lib: ["ES2023", "ES2024.SharedMemory", "ESNext.Disposable"], types: ["node"] },
  };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["block-*.mts"] }));
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  const { both } = await runIn(dir, `node ${JSON.stringify(tsc)} -p . --pretty false`);
  const found = new Map<string, string[]>();
  for (const line of both.split("\n").filter(Boolean)) {
    const [, number, at, what] = /^block-(\d+)\.mts\((\d+),.*?: (.*)/.exec(line) ?? [];
    const block = blocks[Number(number)];
    // a line that continues another one, or says that the compiler itself has failed
    if (block === undefined) {
      if (!line.startsWith(" ")) throw new Error(both);
      continue;
    }
    const own = Number(at) - (before[Number(number)] as string).split("\n").length + 1;
    found.set(block.name, [...(found.get(block.name) ?? []), `line ${own} of the block: ${what}`]);
  }
  return found;
}
