// What users get: dist/lib, the library and its command line, and packages/tundish-bench/dist, the benchmarks with a
// library of their own, bundled from dist/modules. A thread loads four files then and not two hundred, and what it
// calls in the innermost loops is inlined more often.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { withOwnKeys } from "./own-keys.mjs";

// every file that is imported, run or started by its name; they lie side by side, see
// src/ground/base/package-file.ts
const subpaths = [
  "conveyor",
  "messages",
  "append",
  "exchange",
  "trees",
  "machine",
  "plan",
  "simulate",
  "agree",
  "store",
  "containers",
].map((name) => `src/${name}`);
const exported = ["src/index", ...subpaths];
/** Files of the library that a thread starts with or is told to run. */
export const started = [
  "src/running/run/worker",
  "src/running/contest/contest.program",
  "src/running/tune/tuned.program",
];
export const library = [...exported, ...started];
/** Files of microbench that are started: by `tundish`, and by the benchmarks. */
const measuring = [
  "src/machine/topology/affinity",
  "microbench/collectives/compare.program",
  "microbench/conveyors/stream.program",
  "microbench/conveyors/streamer",
  "microbench/launch/empty.program",
  "microbench/launch/launch-node",
  "microbench/pairs/member",
  "microbench/rivals/multithreading",
  "microbench/rivals/rival",
  "microbench/trees/trees.program",
];
const tools = [
  "src/interface/cli/main",
  "src/interface/cli/doctor/pin-check",
  "microbench/collectives/sizes.program",
  "microbench/internode/internode.thread",
  "microbench/items/buffers.program",
  ...measuring,
];
const BENCH = "packages/tundish-bench";
const benches = [
  ...measuring,
  ...[
    "bench",
    "adapt/adapt.program",
    "append/append-nodes.program",
    "append/append-threads.program",
    "channels/channel-poster",
    "channels/channels.program",
    "collectives/bench-collectives.program",
    "collectives/crossovers.program",
    "containers/bench-containers.program",
    "conveyors/bench-cold.program",
    "conveyors/bench-conveyors.program",
    "conveyors/bench-mixed.program",
    "conveyors/fresh-node",
    "latency/latency.program",
    "latency/poster",
    "launch/bench-launch.program",
    "launch/works",
    "mpi/bench-mpi-node.program",
    "mpi/bench-mpi.program",
    "plan/measure.program",
    "programs/bench-programs.program",
    "programs/pool-node",
    "programs/pool-tasks",
    "smelt/smelt-agreement.program",
    "smelt/smelt-barriers.program",
    "smelt/smelt-rounds.program",
    "traffic/measure-traffic.program",
    "trees/bench-trees.thread",
  ].map((entry) => `${BENCH}/src/${entry}`),
  // that it measures
  ...["random-access", "stream", "streamcluster", "synthetic"].map((name) => `apps/${name}`),
];
/** What users get, by folder. Each of a thread's files is with the library that starts it. */
const OUTPUTS = [
  { folder: "dist/lib", entries: [...library, ...tools] },
  { folder: `${BENCH}/dist`, entries: ["src/index", ...started, ...benches] },
];

/** What esbuild makes of each file for the tests. */
export const toESM = {
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  logLevel: "warning",
};

/**
 * Packages that are bundled: small ones, or used in part, as each thread would load all of them, and those of
 * packages/. Users install the others.
 */
const inBundles = [
  ...["d3-hierarchy", "graphology-layout", "graphology-utils", "pandemonium"],
  ...["node-hwloc", "tinyqueue", "valibot"],
];
export const isBundled = (path) => inBundles.some((name) => path === name || path.startsWith(`${name}/`));

/**
 * The modules of a thread and of what starts worlds, in four files: whoever imports `tundish` loads `base`, a thread `world` and
 * `thread` as well, and a program that starts a world `world` and `start`. What only some facilities have in common lies in
 * files of at least so many bytes.
 */
const LEAST_SHARED = 40_000;
function groupsOf(modules) {
  const ofIndex = reachable(modules, "src/index");
  const ofThread = reachable(modules, "src/running/run/worker");
  const ofStart = reachable(modules, "src/running/launch/start");
  const ofFacilities = new Set(subpaths.flatMap((entry) => [...reachable(modules, entry)]));
  // a file of its own: whoever imports a module of a thread must not become a PE
  ofThread.delete(join(modules, "src/running/run/worker.js"));
  ofStart.delete(join(modules, "src/running/launch/start.js"));
  const groups = [
    { name: "base", test: (id) => ofIndex.has(id) },
    { name: "world", test: (id) => ofThread.has(id) && ofStart.has(id) },
    { name: "thread", test: (id) => ofThread.has(id) },
    { name: "planning", test: (id) => ofStart.has(id) && ofFacilities.has(id) },
    { name: "start", test: (id) => ofStart.has(id) },
    {
      name: "shared",
      test: (id) => ofFacilities.has(id),
      entriesAware: true,
      entriesAwareMergeThreshold: LEAST_SHARED,
    },
  ];
  return groups.map((group, i) => ({ ...group, priority: groups.length - i }));
}

/** The paths of a module and of all that it imports when it is loaded. */
function reachable(modules, entry) {
  const found = new Set();
  const left = [join(modules, `${entry}.js`)];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file) || !existsSync(file)) continue;
    found.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, from] of text.matchAll(/^(?:import|export)\b(?:[^"';]*?\bfrom)?\s*"(\.[^"]+)"/gm))
      left.push(join(dirname(file), from));
  }
  return found;
}

const isPackage = (id) => /[\\/]node_modules[\\/]/.test(id);
/** Packages that are bundled, and apps that are bundled with a library. */
const packages = (modules) => ({
  name: "packages",
  resolveId(path) {
    const [name, subpath = "index"] = path.split("/");
    return name === "tundish" ? join(modules, `src/${subpath}.js`) : null;
  },
  transform: (code, id) => (isPackage(id) ? withOwnKeys(code) : null),
});

/**
 * Stands for the name of the file that it gets into: so code can tell whether it is still there
 * (src/ground/base/package-file.ts).
 */
const OWN_NAME = "name-of-this-file";

/** @param kernels the paths of the WebAssembly, which bundlers of users would leave behind as files */
export async function buildLib(root, kernels) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const wasm = kernels.map((file) => [basename(file), readFileSync(join(root, file), "base64")]);
  const define = {
    TUNDISH_FILE: JSON.stringify(OWN_NAME),
    TUNDISH_VERSION: JSON.stringify(version),
    TUNDISH_WASM: JSON.stringify(Object.fromEntries(wasm)),
  };
  for (const { folder, entries } of OUTPUTS) await bundle(root, join(root, folder), entries, define);
  chmodSync(join(root, "dist/lib/main.js"), 0o755);
  copyFileSync(join(root, `dist/${BENCH}/src/bench.d.ts`), join(root, `${BENCH}/dist/bench.d.ts`));
}

async function bundle(root, dir, entries, define) {
  const modules = join(root, "dist/modules");
  rmSync(dir, { recursive: true, force: true });
  const bundled = await rolldown({
    cwd: modules,
    input: Object.fromEntries(entries.map((entry) => [basename(entry), join(modules, `${entry}.js`)])),
    platform: "node",
    external: (id) => /^[^./]/.test(id) && !isBundled(id) && id.split("/")[0] !== "tundish",
    treeshake: { moduleSideEffects: (id) => !isPackage(id) },
    transform: { target: "node20.19", define },
    plugins: [packages(modules)],
    logLevel: "warn",
  });
  const codeSplitting = { groups: groupsOf(modules) };
  // readable as it is, and maps would be more than half of the package
  const names = {
    entryFileNames: "[name].js",
    // of what some facilities share the name would list them
    chunkFileNames: ({ name }) => (name.includes("~") ? "chunk-shared-[hash].js" : "chunk-[name].js"),
  };
  await bundled.write({ dir, format: "es", minify: false, sourcemap: false, codeSplitting, ...names });
  for (const name of readdirSync(dir).filter((name) => name.endsWith(".js"))) {
    const file = join(dir, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(OWN_NAME, name));
  }
  // as their licenses ask
  for (const name of inBundles) {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => file.startsWith("LICENSE"));
    if (license === undefined) throw new Error(`${name}: expected a LICENSE file in ${folder}`);
    copyFileSync(join(folder, license), join(dir, `${name}.LICENSE.md`));
  }
}
