// What users get: dist/lib, the library and its command line, and packages/tundish-bench/dist, the benchmarks with a
// library of their own, bundled from dist/modules. A thread loads four files then and not two hundred, and what it
// calls in the innermost loops is inlined more often.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { withOwnKeys } from "./own-keys.mjs";
import { writeParts } from "./parts.mjs";

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
  "resilient",
  "kernel",
  "shared",
  "loop",
].map((name) => `src/${name}`);
const exported = ["src/index", ...subpaths];
/** Files of the library that a thread starts with or is told to run. */
export const started = [
  "src/running/run/worker",
  "src/running/contest/contest.program",
  "src/running/loops/loops.program",
  "src/running/tune/tuned.program",
];
/** Parts that a PE's thread loads by their names (src/ground/base/thread/late.ts); groupsOf() takes the first by their order. */
const late = [
  "src/pe/group-trees",
  "src/pe/inquiry",
  "src/collectives/data-calls",
  "src/ground/channel/fastforward",
  "src/ground/wait/async",
  "src/collectives/own-memory",
  "src/ground/base/native/node-ffi",
  "src/ground/memory/refusal",
];
export const library = [...exported, ...started, ...late];
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
    "kernels/bench-kernels.program",
    "latency/latency.program",
    "latency/poster",
    "launch/bench-launch.program",
    "launch/works",
    "loops/bench-loops.program",
    "loops/bench-uneven.program",
    "loops/outside-node",
    "loops/outside-works",
    "mpi/bench-mpi-node.program",
    "mpi/bench-mpi.program",
    "plan/measure.program",
    "programs/bench-programs.program",
    "programs/pool-node",
    "programs/pool-tasks",
    "shared/bench-shared.program",
    "smelt/smelt-agreement.program",
    "smelt/smelt-barriers.program",
    "smelt/smelt-rounds.program",
    "traffic/measure-traffic.program",
    "trees/bench-trees.thread",
  ].map((entry) => `${BENCH}/src/${entry}`),
  // that it measures
  ...["lean-md", "random-access", "stream", "streamcluster", "synthetic"].map((name) => `apps/${name}`),
];
/** What users get, by folder. Each of a thread's files is with the library that starts it. */
const OUTPUTS = [
  { folder: "dist/lib", entries: [...library, ...tools] },
  { folder: `${BENCH}/dist`, entries: ["src/index", ...started, ...late, ...benches] },
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
 * The modules that most programs load, in a few files: whoever imports `tundish` loads `base`; a thread `world` and `thread`
 * as well, a program that starts a world `ahead`, `world` and `start`. A module is in the first file that may have it,
 * and each file has with a module all that it imports: so no two files need each other.
 */
function groupsOf(modules) {
  const of = (entry) => reachable(modules, entry);
  const both = (one, other) => new Set([...one].filter((id) => other.has(id)));
  const any = (...sets) => new Set(sets.flatMap((set) => [...set]));
  const [index, thread, start] = ["src/index", "src/running/run/worker", "src/running/launch/start"].map(of);
  const { conveyor, messages, append, exchange, simulate, agree, containers, shared } = Object.fromEntries(
    subpaths.map((entry) => [basename(entry), of(entry)]),
  );
  const [trees, inquiry, data, fastforward, async, own] = late.map(of);
  // a file of its own: whoever imports a module of a thread must not become a PE
  thread.delete(join(modules, "src/running/run/worker.js"));
  const facilities = any(conveyor, append, exchange, containers, shared);
  const groups = {
    base: index,
    ahead: of("src/running/run/ahead"),
    world: both(thread, start),
    thread,
    data,
    inquiry,
    fastforward,
    async,
    own,
    // what facilities have in common with the start of worlds or with trees, which a thread should not load for it
    planning: any(both(start, any(facilities, trees)), both(trees, facilities)),
    trees,
    start,
    pairs: both(messages, any(append, agree)),
    sessions: both(conveyor, any(append, exchange, containers, simulate)),
  };
  return Object.entries(groups).map(([name, ids], i, { length }) => ({
    name,
    test: (id) => ids.has(id),
    priority: length - i,
  }));
}

/** The paths of a module and of all that it imports when it is loaded, from bundled packages, too. */
function reachable(modules, entry) {
  const found = new Set();
  const left = [join(modules, `${entry}.js`)];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file) || !existsSync(file)) continue;
    found.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, from] of text.matchAll(/^(?:import|export)\b(?:[^"';]*?\bfrom)?\s*"([^"]+)"/gm)) {
      if (from.startsWith(".")) left.push(join(dirname(file), from));
      else if (isBundled(from)) left.push(realpathSync(fileURLToPath(import.meta.resolve(from))));
    }
  }
  return found;
}

/** What makes the results that are kept between runs, and what keeps them. */
const METHODS = [
  ...["src/machine/topology/topology", "src/machine/topology/known"],
  ...["trees/generate/world-trees", "src/running/contest/known-trees"],
];

/** A few digits that change with the code whose results are kept between runs (src/ground/base/files/remembered.ts). */
function methodsOf(modules) {
  const hash = createHash("sha256");
  for (const entry of METHODS)
    for (const file of [...reachable(modules, entry)].sort()) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 8);
}

/** @throws Error for files that need each other: one would run before what it needs is there */
function checkOrder(imports, files = imports.keys(), path = [], done = new Set()) {
  for (const file of files) {
    if (path.includes(file)) throw new Error(`Files need each other: ${[...path, file].join(", ")}`);
    if (!done.has(file)) checkOrder(imports, imports.get(file) ?? [], [...path, file], done);
    done.add(file);
  }
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
 * A static import of a module of Node.js makes all that it exports, for node:fs and node:util with parts that take 5 ms to load:
 * in each thread.
 */
export const withBuiltins = (code) =>
  code.replace(/^import (.+?) from "(node:[^"]+)";$/gm, (_, names, name) => {
    const what = names.startsWith("{") ? names.replaceAll(" as ", ": ") : names.replace(/^\* as /, "");
    if (what.includes(", {") || /[\w$], /.test(what.split("{")[0]))
      throw new Error(`${name}: expected names or a default, got ${names}`);
    return `const ${what} = process.getBuiltinModule("${name}");`;
  });

/** V8 reads text of one byte a character a sixth faster. Outside of strings they are in comments only. */
export const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Stands for the name of the file that it gets into: so code can tell whether it is still there
 * (src/ground/base/package-file.ts).
 */
const OWN_NAME = "name-of-this-file";

/** @param kernels the paths of the WebAssembly, which bundlers of users would leave behind as files */
export async function buildLib(root, kernels) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // each in the module that names it
  const wasm = kernels.map((file) => {
    const text = JSON.stringify(readFileSync(join(root, file), "base64"));
    return [`TUNDISH_WASM.${basename(file, ".wasm")}`, text];
  });
  const define = {
    TUNDISH_FILE: JSON.stringify(OWN_NAME),
    TUNDISH_VERSION: JSON.stringify(version),
    TUNDISH_METHODS: JSON.stringify(methodsOf(join(root, "dist/modules"))),
    ...Object.fromEntries(wasm),
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
  const names = { entryFileNames: "[name].js", chunkFileNames: "chunk-[name].js" };
  const esm = join(dir, "esm");
  const options = { dir: esm, format: "es", minify: false, sourcemap: false, codeSplitting, ...names };
  const { output } = await bundled.write(options);
  checkOrder(new Map(output.map(({ fileName, imports }) => [fileName, imports ?? []])));
  for (const name of readdirSync(esm).filter((name) => name.endsWith(".js"))) {
    const file = join(esm, name);
    const code = withBuiltins(readFileSync(file, "utf8")).replaceAll(OWN_NAME, name);
    writeFileSync(file, inAscii(code));
  }
  await writeParts(dir, join(modules, "src/ground/base/parts/load.js"), toESM, withBuiltins);
  // as their licenses ask
  for (const name of inBundles) {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => file.startsWith("LICENSE"));
    if (license === undefined) throw new Error(`${name}: expected a LICENSE file in ${folder}`);
    copyFileSync(join(folder, license), join(dir, `${name}.LICENSE.md`));
  }
}
