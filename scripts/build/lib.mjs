// What users get: dist/lib, the library and its command line, and packages/tundish-bench/dist, the benchmarks with a
// library of their own, bundled from dist/modules. A thread loads a few files then and not two hundred, which halves
// its start; and what it calls in the innermost loops is inlined more often.
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { withOwnKeys } from "./own-keys.mjs";

// every file that is imported, run or started by its name; they lie side by side, see
// src/ground/base/package-file.ts. The command line has a copy of the library of its own: shared pieces would be
// many, and every PE would load them
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
/**
 * What users get, by folder: bundles of files that share pieces. Each of a thread's files is with the library that
 * starts it.
 */
const OUTPUTS = [
  { folder: "dist/lib", bundles: [library, tools] },
  { folder: `${BENCH}/dist`, bundles: [["src/index", ...started], benches] },
];

/** What esbuild makes, everywhere. */
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
const bundled = [
  ...["d3-hierarchy", "graphology-layout", "graphology-utils", "pandemonium"],
  ...["node-hwloc", "tinyqueue", "valibot"],
];
export const isBundled = (path) => bundled.some((name) => path === name || path.startsWith(`${name}/`));
const packages = {
  name: "packages",
  setup({ initialOptions, onResolve, onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, ({ path }) => ({
      contents: withOwnKeys(readFileSync(path, "utf8")),
    }));
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === "entry-point" || isBundled(path)) return undefined;
      // apps that are bundled with a library
      const [name, subpath = "index"] = path.split("/");
      return name === "tundish"
        ? { path: join(initialOptions.absWorkingDir, `src/${subpath}.js`) }
        : { path, external: true };
    });
  },
};

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
  for (const { folder, bundles } of OUTPUTS) await bundle(root, join(root, folder), bundles, define);
  chmodSync(join(root, "dist/lib/main.js"), 0o755);
  copyFileSync(join(root, `dist/${BENCH}/src/bench.d.ts`), join(root, `${BENCH}/dist/bench.d.ts`));
}

async function bundle(root, outdir, bundles, define) {
  rmSync(outdir, { recursive: true, force: true });
  for (const entries of bundles) {
    await build({
      ...toESM,
      // readable as it is, and maps would be more than half of the package
      sourcemap: false,
      absWorkingDir: join(root, "dist/modules"),
      entryPoints: entries.map((entry) => `${entry}.js`),
      entryNames: "[name]",
      outdir,
      bundle: true,
      splitting: true,
      plugins: [packages],
      define,
    });
  }
  for (const name of readdirSync(outdir).filter((name) => name.endsWith(".js"))) {
    const file = join(outdir, name);
    writeFileSync(file, withConstants(readFileSync(file, "utf8")).replaceAll(OWN_NAME, name));
  }
  // as their licenses ask
  for (const name of bundled) {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => file.startsWith("LICENSE"));
    if (license === undefined) throw new Error(`${name}: expected a LICENSE file in ${folder}`);
    copyFileSync(join(folder, license), join(outdir, `${name}.LICENSE.md`));
  }
}

/**
 * esbuild makes a `var` of every const of a module. V8 puts the number of a const into the code, where it loads that
 * of a var each time and checks that it is one: a fifth of the instructions of a barrier.
 */
const withConstants = (text) => text.replaceAll(/^var (?=[A-Z][A-Z0-9_]* = -?[0-9][\w.*+ -]*;$)/gm, "const ");
