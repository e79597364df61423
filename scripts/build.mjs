// Builds everything into dist/: the SIMD kernels (AssemblyScript), the TypeScript of src, trees,
// microbench, bench, apps and test, and dist/lib, what users get: the same code bundled. A thread loads a few files then
// and not a hundred, which halves its start; and what it calls in the innermost loops is inlined more often.
// Nothing is compiled natively; no tool beyond npm's is needed.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

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

// folders of AssemblyScript, and the files that they become
const kernels = [
  ["src/memory/kernels/assembly", "dist/src/memory/kernels/kernels.wasm"],
  ["trees/search/assembly", "dist/trees/search/anneal.wasm"],
];
for (const [assembly, wasm] of kernels) {
  const out = join(root, wasm);
  if (existsSync(out) && statSync(out).mtimeMs >= newest(join(root, assembly))) continue;
  mkdirSync(dirname(out), { recursive: true });
  const config = ["--config", `${assembly}/asconfig.json`];
  run("assemblyscript/bin/asc.js", `${assembly}/index.ts`, "--outFile", out, ...config);
}

// files whose source is gone would still be found by the test runner
for (const dir of ["src", "trees", "microbench", "bench", "apps", "test"]) {
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

// every file that is imported, run or started by its name; they lie side by side, see src/base/package-file.ts. The
// command line has a copy of the library of its own: shared pieces would be many, and every PE would load them
const subpaths = ["trees", "machine", "plan", "simulate"].map((name) => `src/subpaths/${name}`);
const library = ["src/index", ...subpaths, "src/run/worker", "src/contest/contest.program"];
const tools = [
  "src/cli/main",
  "src/cli/doctor/pin-check",
  "src/machine/affinity",
  "bench/collectives/bench-collectives.program",
  "bench/conveyors/bench-conveyors.program",
  "bench/mpi/bench-mpi.program",
  "bench/mpi/bench-mpi-node.program",
  "bench/trees/bench-trees.thread",
  "bench/collectives/compare.program",
  "bench/collectives/crossovers.program",
  "microbench/internode/internode.thread",
  "microbench/pairs/member",
  "bench/rivals/multithreading",
  "bench/rivals/rival",
  "bench/conveyors/streamer",
];
const lib = join(root, "dist/lib");
rmSync(lib, { recursive: true, force: true });
for (const entries of [library, tools]) {
  buildSync({
    entryPoints: entries.map((entry) => join(root, "dist", `${entry}.js`)),
    entryNames: "[name]",
    outdir: lib,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: true,
    define: { TUNDISH_BUNDLED: "true" },
    logLevel: "warning",
  });
}
for (const [, wasm] of kernels) copyFileSync(join(root, wasm), join(lib, basename(wasm)));
chmodSync(join(lib, "main.js"), 0o755);
