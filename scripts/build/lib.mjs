// dist/lib, what users get: the library and its command line, bundled from dist/modules. A thread loads a few files then and
// not two hundred, which halves its start; and what it calls in the innermost loops is inlined more often.
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { withOwnKeys } from "./own-keys.mjs";

// every file that is imported, run or started by its name; they lie side by side, see src/ground/base/package-file.ts. The
// command line has a copy of the library of its own: shared pieces would be many, and every PE would load them
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
const tools = [
  "src/interface/cli/main",
  "src/interface/cli/doctor/pin-check",
  "src/machine/topology/affinity",
  "bench/collectives/bench-collectives.program",
  "bench/conveyors/bench-conveyors.program",
  "bench/conveyors/bench-mixed.program",
  "bench/conveyors/bench-cold.program",
  "bench/conveyors/fresh-node",
  "bench/programs/bench-programs.program",
  "bench/programs/pool-node",
  "bench/programs/pool-tasks",
  "bench/containers/bench-containers.program",
  "bench/launch/bench-launch.program",
  "bench/launch/launch-node",
  "bench/mpi/bench-mpi.program",
  "bench/mpi/bench-mpi-node.program",
  "bench/adapt/adapt.program",
  "bench/latency/latency.program",
  "bench/latency/poster",
  "bench/channels/channels.program",
  "bench/channels/channel-poster",
  "bench/smelt/smelt-trees.program",
  "bench/smelt/smelt-rounds.program",
  "bench/smelt/smelt-barriers.program",
  "bench/smelt/smelt-agreement.program",
  "bench/append/append-threads.program",
  "bench/append/append-nodes.program",
  "bench/plan/measure.program",
  "bench/traffic/measure-traffic.program",
  "bench/trees/bench-trees.thread",
  "bench/collectives/compare.program",
  "bench/collectives/crossovers.program",
  "bench/collectives/sizes.program",
  "microbench/internode/internode.thread",
  "microbench/items/buffers.program",
  "microbench/pairs/member",
  "bench/rivals/multithreading",
  "bench/rivals/rival",
  "bench/conveyors/streamer",
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
 * Packages that are bundled: small ones, or used in part, as each thread would load all of them, and those of packages/.
 * Users install the others.
 */
const bundled = [
  ...["d3-hierarchy", "graphology-layout", "graphology-utils", "pandemonium"],
  ...["node-hwloc", "tinyqueue", "valibot"],
];
export const isBundled = (path) => bundled.some((name) => path === name || path.startsWith(`${name}/`));
const packages = {
  name: "packages",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, ({ path }) => ({
      contents: withOwnKeys(readFileSync(path, "utf8")),
    }));
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || isBundled(path) ? undefined : { path, external: true },
    );
  },
};

/** Stands for the name of the file that it gets into: so code can tell whether it is still there (src/ground/base/package-file.ts). */
const OWN_NAME = "name-of-this-file";

/** @param kernels the paths of the WebAssembly, which bundlers of users would leave behind as files */
export async function buildLib(root, kernels) {
  const lib = join(root, "dist/lib");
  rmSync(lib, { recursive: true, force: true });
  const modules = join(root, "dist/modules");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const wasm = kernels.map((file) => [basename(file), readFileSync(join(root, file), "base64")]);
  for (const entries of [library, tools]) {
    await build({
      ...toESM,
      // readable as it is, and maps would be more than half of the package
      sourcemap: false,
      absWorkingDir: modules,
      entryPoints: entries.map((entry) => `${entry}.js`),
      entryNames: "[name]",
      outdir: lib,
      bundle: true,
      splitting: true,
      plugins: [packages],
      define: {
        TUNDISH_FILE: JSON.stringify(OWN_NAME),
        TUNDISH_VERSION: JSON.stringify(version),
        TUNDISH_WASM: JSON.stringify(Object.fromEntries(wasm)),
      },
    });
  }
  for (const name of readdirSync(lib).filter((name) => name.endsWith(".js"))) {
    const file = join(lib, name);
    writeFileSync(file, withConstants(readFileSync(file, "utf8")).replaceAll(OWN_NAME, name));
  }
  // as their licenses ask
  for (const name of bundled) {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => file.startsWith("LICENSE"));
    if (license === undefined) throw new Error(`${name}: expected a LICENSE file in ${folder}`);
    copyFileSync(join(folder, license), join(lib, `${name}.LICENSE.md`));
  }
  chmodSync(join(lib, "main.js"), 0o755);
}

/**
 * esbuild makes a `var` of every const of a module. V8 puts the number of a const into the code, where it loads that of a
 * var each time and checks that it is one: a fifth of the instructions of a barrier.
 */
const withConstants = (text) => text.replaceAll(/^var (?=[A-Z][A-Z0-9_]* = -?[0-9][\w.*+ -]*;$)/gm, "const ");
