/** The programs that `tundish init` writes: each stands by itself, is built by the tsconfig.json beside it, and runs. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../../support/paths.ts";

const test = suite("programs of init");
const dir = mkdtempSync(join(tmpdir(), "tundish-templates-"));
const names = readdirSync(join(root, "templates")).flatMap((file) =>
  file.endsWith(".ts") ? [basename(file, ".ts")] : [],
);
const node = (...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, args, { cwd: dir, timeout: 90_000 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => {
      throw new Error(`${stdout}${stderr}`);
    },
  );

test.before(async () => {
  cpSync(join(root, "templates"), dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/tundish"));
  for (const name of ["tsx", "@types", "piscina"])
    symlinkSync(join(root, "node_modules", name), join(dir, "node_modules", name));
  await node(join(root, "node_modules/typescript-native/bin/tsc"), "-p", ".");
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const TIMES = String.raw`1 PE \d+ ms, \d+ PEs? \d+ ms\n`;
/** Their arguments here, and what they print. */
const PRINTED: Readonly<Record<string, readonly [args: string, printed: string]>> = {
  "gradient-descent": ["3000", String.raw`mean loss 0\.\d+, (?:8|9)\d\.\d % classified right\n100 steps: ${TIMES}`],
  "image-histogram": ["100000", String.raw`values from \d+ to \d+, equalised from \d to 255\n${TIMES}`],
  jacobi: ["40", String.raw`largest change of sweep 100: 0\.00\d+\n${TIMES}`],
  "k-means": ["3000", String.raw`(?:\d\.\d{3} \d\.\d{3}\n){6}\d+ rounds: ${TIMES}speedup \d+\.\d\d\n`],
  "matrix-multiply": ["40", String.raw`trace -?\d+\.\d{6}\n${TIMES}`],
  "page-rank": ["20000", String.raw`vertex \d+ has the highest rank, \d\.\d{4}e-\d\n\d+ rounds: ${TIMES}`],
  "piscina-pool": ["", String.raw`\d+ PEs: pi is about 3\.14\d\d\na task by itself: about 3\.14\n`],
  "sample-sort": ["10000", String.raw`(?:PE \d+: \d+ keys from 0\.\d{6} on\n)+${TIMES}`],
  "word-count": ["tsconfig.json k-means.ts", String.raw`\d+ words of 2 files\n(?:\d+ \p{L}+\n){10}`],
};

for (const name of names) {
  test(`${name}: short, one file, and runs`, async () => {
    const text = readFileSync(join(dir, `${name}.ts`), "utf8");
    assert.not.match(text, /from "\./);
    assert.ok(text.split("\n").length <= 90);
    const [args = "", printed = "^$"] = PRINTED[name] ?? [];
    const file = join(dir, "dist", `${name}.js`);
    assert.match(await node(file, ...args.split(" ").filter(Boolean)), new RegExp(`^${printed}$`, "u"));
  });
}

test("where they are imported they start nothing", async () => {
  const imports = names.map((name) => `await import(${JSON.stringify(`file://${dir}/dist/${name}.js`)});`);
  assert.is(await node("--input-type=module", "-e", imports.join("\n")), "");
});

test("their results do not depend on the number of PEs", async () => {
  for (const [name, args, pattern] of [
    ["jacobi", "30", /change .*: (\S+)/],
    ["page-rank", "5000", /(vertex.*)/],
    ["matrix-multiply", "30", /(trace.*)/],
  ] as const) {
    const run = async (pes: number) => {
      const text = readFileSync(join(dir, "dist", `${name}.js`), "utf8");
      const own = join(dir, "dist", `${name}-${pes}.js`);
      writeFileSync(own, text.replace("launch(program, { args })", `launch(program, { pes: ${pes}, args })`));
      return pattern.exec(await node(own, args))?.[1];
    };
    assert.is(await run(3), await run(1), name);
  }
});

test("a wrong argument is named", async () => {
  await node(join(dir, "dist/k-means.js"), "abc").then(
    () => assert.unreachable(),
    ({ message }: Error) => assert.match(message, "RangeError: expected a number of points, 6 or more, got NaN"),
  );
});

for (const name of ["k-means", "word-count", "piscina-pool"]) {
  test(`${name} by tsx`, async () => {
    const [args = "", printed = ""] = PRINTED[name] ?? [];
    const tsx = join(root, "node_modules/tsx/dist/cli.mjs");
    assert.match(await node(tsx, `${name}.ts`, ...args.split(" ").filter(Boolean)), new RegExp(`^${printed}$`, "u"));
  });
}

test.run();
