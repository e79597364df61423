// Builds everything into dist/: the SIMD kernels (AssemblyScript) and the TypeScript of src, trees,
// microbench and test. Nothing is compiled natively; no tool beyond npm's is needed.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function run(tool, ...args) {
  const { status, error } = spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const newest = (dir) => Math.max(0, ...readdirSync(dir).map((name) => statSync(join(dir, name)).mtimeMs));

const assembly = join(root, "src/memory/kernels/assembly");
const wasm = join(root, "dist/src/memory/kernels/kernels.wasm");
if (!existsSync(wasm) || statSync(wasm).mtimeMs < newest(assembly)) {
  mkdirSync(dirname(wasm), { recursive: true });
  run(
    "assemblyscript/bin/asc.js",
    "src/memory/kernels/assembly/index.ts",
    "--outFile",
    wasm,
    "--config",
    "src/memory/kernels/assembly/asconfig.json",
  );
}

// files whose source is gone would still be found by the test runner
for (const dir of ["src", "trees", "microbench", "test"]) {
  const out = join(root, "dist", dir);
  if (!existsSync(out)) continue;
  for (const file of readdirSync(out, { recursive: true })) {
    if (!file.endsWith(".js")) continue;
    const source = join(root, dir, file.replace(/\.js$/, ".ts"));
    if (!existsSync(source)) rmSync(join(out, file));
  }
}
run("typescript/bin/tsc", "-p", "tsconfig.json", "--incremental", "--tsBuildInfoFile", "dist/.tsbuildinfo");

// tsc turns "./x.ts" into "./x.js" in code, but not in declarations
for (const file of readdirSync(join(root, "dist"), { recursive: true })) {
  if (!file.endsWith(".d.ts")) continue;
  const path = join(root, "dist", file);
  const text = readFileSync(path, "utf8");
  const fixed = text.replace(/(from |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"');
  if (fixed !== text) writeFileSync(path, fixed);
}
chmodSync(join(root, "dist/src/cli/main.js"), 0o755);
