/**
 * The types that users see: the files beside this one, and structs of many fields, against the built declarations, by the
 * oldest TypeScript that is supported and by newer ones, with options that users have.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tundish-types-"));
const sources = join(root, "test/types");
const files = readdirSync(sources).filter((file) => !file.endsWith(".test.ts"));

/** A struct of as many fields, in an order that is not that of their names, or of their first mention. */
function structOf(count: number): string {
  const names = Array.from({ length: count }, (_, i) => `${"qwertzuiop"[(i * 7) % 10]}${i}`);
  const isBig = (i: number): boolean => i % 3 === 1;
  const fields = names.map((name, i) => `${name}: ${isBig(i) ? "u64" : "f64"}`);
  const values = names.map((_, i) => (isBig(i) ? `${i}n` : `${i}`));
  return `
export declare const mentioned${count}: ${[...names]
    .sort()
    .map((name) => `"${name}"`)
    .join(" | ")};
export const put${count} = (pe: PE): void => {
  const c = conveyor(pe, struct({ ${fields.join(", ")} }));
  c.push(0, ${values.join(", ")});
  // @ts-expect-error the last one is missing
  c.push(0, ${values.slice(0, -1).join(", ")});
  // @ts-expect-error the first two are swapped
  c.push(0, ${[values[1], values[0], ...values.slice(2)].join(", ")});
};
`;
}

/** Beyond the limit only the kinds are checked. */
const MANY = `
export const putMany = (pe: PE): void => {
  const c = conveyor(pe, struct({ ${Array.from({ length: 150 }, (_, i) => `f${i}: f64`).join(", ")} }));
  c.push(0, 1, 2);
  // @ts-expect-error no field is a bigint
  c.push(0, 1n);
};
`;

const test = suite("types");

test.before(() => {
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/tundish"));
  symlinkSync(join(root, "node_modules/expect-type"), join(dir, "node_modules/expect-type"));
  for (const file of files) cpSync(join(sources, file), join(dir, file));
  const imports =
    'import { f64, type PE, struct, u64 } from "tundish";\nimport { conveyor } from "tundish/conveyor";\n';
  writeFileSync(join(dir, "wide.ts"), imports + [2, 16, 17, 40].map(structOf).join(""));
  writeFileSync(join(dir, "wider.ts"), imports + structOf(128) + MANY);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
});

test.after(() => rmSync(dir, { recursive: true, force: true }));

/** By package: the options that are tried, the fewer the slower it is. */
const variants = {
  "typescript-oldest": [{ moduleResolution: "nodenext", exactOptionalPropertyTypes: false }],
  typescript: [{ moduleResolution: "bundler", exactOptionalPropertyTypes: true }],
  "typescript-native": [
    { moduleResolution: "bundler", exactOptionalPropertyTypes: false },
    { moduleResolution: "nodenext", exactOptionalPropertyTypes: true },
  ],
} as const;

for (const [compiler, ways] of Object.entries(variants)) {
  for (const way of ways) {
    const { moduleResolution, exactOptionalPropertyTypes } = way;
    test(`${compiler}, ${moduleResolution}${exactOptionalPropertyTypes ? ", exact" : ""}`, async () => {
      const compilerOptions = {
        ...way,
        module: moduleResolution === "nodenext" ? "nodenext" : "esnext",
        target: "es2022",
        // without that of browsers
        lib: ["es2022"],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
      };
      // the others take seconds for it
      const wider = compiler === "typescript-native" && exactOptionalPropertyTypes ? ["wider.ts"] : [];
      const config = join(dir, `${compiler}-${moduleResolution}.json`);
      writeFileSync(config, JSON.stringify({ compilerOptions, files: [...files, "wide.ts", ...wider] }));
      const tsc = join(root, "node_modules", compiler, "bin/tsc");
      const { stdout, stderr } = await exec(process.execPath, [tsc, "-p", config]).catch(
        (error: unknown) => error as { readonly stdout: string; readonly stderr: string },
      );
      assert.is(stdout + stderr, "");
    });
  }
}

test.run();
