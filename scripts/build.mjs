// Builds packages/node-hwloc/dist by itself, and everything else into dist/: the SIMD kernels (AssemblyScript);
// dist/modules, the TypeScript of src, trees, microbench, packages/tundish-bench, apps, examples and test, each file
// by itself, its declarations in dist; from these the same tree in dist, for tests (build/in-place.mjs); and what
// users get, dist/lib and packages/tundish-bench/dist (build/lib.mjs). With --modules, for npm run coverage, tests load modules only. Nothing is compiled natively; no tool beyond
// npm's is needed.
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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInPlace } from "./build/in-place.mjs";
import { buildLib } from "./build/lib.mjs";

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
  ["src/ground/memory/kernels/assembly", "dist/src/ground/memory/kernels/kernels.wasm"],
  ["src/facilities/conveyor/kernels/assembly", "dist/src/facilities/conveyor/kernels/conveyor.wasm"],
  ["src/facilities/append/kernels/assembly", "dist/src/facilities/append/kernels/append.wasm"],
  ["src/facilities/shared/kernels/assembly", "dist/src/facilities/shared/kernels/shared.wasm"],
  ["src/facilities/loop/kernels/assembly", "dist/src/facilities/loop/kernels/loop.wasm"],
  ["trees/search/assembly", "dist/trees/search/anneal.wasm"],
];
for (const [assembly, wasm] of kernels) {
  const out = join(root, wasm);
  if (existsSync(out) && statSync(out).mtimeMs >= newest(join(root, assembly))) continue;
  mkdirSync(dirname(out), { recursive: true });
  const config = ["--config", `${assembly}/asconfig.json`];
  run("assemblyscript/bin/asc.js", `${assembly}/index.ts`, "--outFile", out, ...config);
}

// files whose source is gone would still be found by the test runner, or published
function removeStale(out, sources) {
  if (!existsSync(out)) return;
  for (const file of readdirSync(out, { recursive: true })) {
    const source = file.replace(/\.(js|js\.map|d\.ts)$/, ".ts");
    if (source !== file && !existsSync(join(sources, source))) rmSync(join(out, file));
  }
}
for (const place of ["dist", "dist/modules"].filter((place) => existsSync(join(root, place)))) {
  for (const entry of readdirSync(join(root, place), { withFileTypes: true })) {
    if (entry.isDirectory() && !["lib", "modules", "esm", "v8-code"].includes(entry.name))
      removeStale(join(root, place, entry.name), join(root, entry.name));
  }
}
const hwloc = join(root, "packages/node-hwloc");
removeStale(join(hwloc, "dist"), join(hwloc, "src"));
run("typescript-native/bin/tsc", "-p", hwloc);
run(
  "typescript-native/bin/tsc",
  "-p",
  "tsconfig.json",
  "--incremental",
  "--tsBuildInfoFile",
  "dist/modules/.tsbuildinfo",
);

// tsc turns "./x.ts" into "./x.js" in code, but not in declarations
for (const file of readdirSync(join(root, "dist"), { recursive: true })) {
  if (!file.endsWith(".d.ts")) continue;
  const path = join(root, "dist", file);
  const text = readFileSync(path, "utf8");
  const fixed = text.replace(/(from |import\(|import )"(\.[^"]*)\.ts"/g, '$1"$2.js"');
  if (fixed !== text) writeFileSync(path, fixed);
}

await Promise.all([
  buildInPlace(root, process.argv.includes("--modules")),
  buildLib(
    root,
    kernels.map(([, wasm]) => wasm),
  ),
]);
chmodSync(join(root, "dist/src/interface/cli/main.js"), 0o755);
// found beside the programs that name them (scripts/example-kernels.mjs)
mkdirSync(join(root, "dist/examples/kernels"), { recursive: true });
for (const name of readdirSync(join(root, "examples/kernels")).filter((file) => file.endsWith(".wasm")))
  copyFileSync(join(root, "examples/kernels", name), join(root, "dist/examples/kernels", name));
