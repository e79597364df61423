// From dist/modules, where every source is compiled by itself, to dist, where every file lies as its source does: what tests
// run. The modules of the library are in a few files there, dist/all-*.js, and at their own places are files that hand on
// their exports. So a thread loads a few files when it starts, and not two hundred, which is most of what a world in a test
// costs; and every module is there once, whoever imports it by whatever path. Each of the files builds on those before it,
// and who imports one module loads all up to that with this module: a thread without conveyors is spared half of the text.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { isBundled, library, started, toESM } from "./lib.mjs";
import { withOwnKeys } from "./own-keys.mjs";

const ALL = "all-";
/** What the files of the library are made for, in turn: each has what these import that none before it has. */
const LAYERS = [
  ["src/running/run/worker"],
  ["src/index"],
  ["src/messages", "src/exchange"],
  ["src/conveyor", "src/append"],
  library,
];
/** Stands for a module of the library at its place. */
const AT_PLACE = "at-place:";

/** Builds the JavaScript of dist from that of dist/modules, in well under two seconds. */
export async function buildInPlace(root) {
  const modules = join(root, "dist/modules");
  const files = readdirSync(modules, { recursive: true })
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.replaceAll(sep, "/"));
  const imports = new Map(files.map((file) => [file, importsOf(file, modules)]));
  const shared = sharedOf(imports);
  const users = files.filter((file) => !shared.has(file) && imports.get(file).some((one) => shared.has(one)));
  const others = files.filter((file) => !shared.has(file) && !users.includes(file));

  for (const old of readdirSync(join(root, "dist")).filter((file) => /^all\b.*\.js(\.map)?$/.test(file)))
    rmSync(join(root, "dist", old));
  const options = { ...toESM, outdir: join(root, "dist"), absWorkingDir: modules };
  await build({
    ...options,
    entryPoints: [
      ...[...shared.keys()].map((file) => ({ in: AT_PLACE + file, out: nameOf(file) })),
      ...users.map((file) => ({ in: join(modules, file), out: nameOf(file) })),
    ],
    bundle: true,
    splitting: true,
    chunkNames: `${ALL}[hash]`,
    // each thread reads the source map
    sourcesContent: false,
    // package.json tells bundlers of users to leave out what nobody names; here everything is to come along
    ignoreAnnotations: true,
    define: { "import.meta.url": "import_meta_url" },
    plugins: [sharing(modules, shared, imports)],
  });
  // programs that know the library as a package, and helpers of tests
  await build({ ...options, entryPoints: others.map((file) => ({ in: file, out: nameOf(file) })) });
}

const nameOf = (file) => file.replace(/\.js$/, "");

/** The files that a compiled one imports before it runs. */
function importsOf(file, modules) {
  const text = readFileSync(join(modules, file), "utf8");
  return [...text.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm)].map(([, path]) =>
    join(dirname(file), path).replaceAll(sep, "/"),
  );
}

/** What index, subpaths and PEs' threads are made of, without what runs when it is loaded: the number of the layer of each. */
function sharedOf(imports) {
  const shared = new Map();
  for (const [layer, entries] of LAYERS.entries()) {
    const add = (file) => {
      if (shared.has(file)) return;
      shared.set(file, layer);
      imports.get(file).forEach(add);
    };
    for (const entry of entries) add(`${entry}.js`);
  }
  for (const entry of started) shared.delete(`${entry}.js`);
  return shared;
}

/**
 * Has esbuild put the shared files of a layer in one chunk: it makes a chunk of those files that the same entry points need.
 * So every entry point imports all files of the last layer that it needs, and of those below.
 */
function sharing(modules, shared, imports) {
  const importUpTo = (layer) => `import "${ALL}${layer}";`;
  const filesOf = (layer) => [...shared].flatMap(([file, its]) => (its === layer ? file : []));
  const layerOf = (file) =>
    shared.get(file) ?? Math.max(...imports.get(file).map((one) => shared.get(one) ?? 0));
  return {
    name: "sharing",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace, resolveDir }) => {
        if (path.startsWith(ALL)) return { path, namespace: ALL };
        if (path.startsWith(AT_PLACE)) return { path: path.slice(AT_PLACE.length), namespace: AT_PLACE };
        if (kind === "entry-point" || namespace !== "file") return { path };
        const from = relative(modules, importer).replaceAll(sep, "/");
        // from one file of a bundled package to another
        if (from.startsWith("../") && path.startsWith(".")) return undefined;
        const isMoved = shared.has(from);
        // as users have it: each thread would load all of such a package
        if (!path.startsWith(".")) return isMoved && isBundled(path) ? undefined : { path, external: true };
        const file = relative(modules, resolve(resolveDir, path)).replaceAll(sep, "/");
        if (kind === "import-statement" && shared.has(file)) return { path: join(modules, file) };
        return { path: isMoved ? `./${file}` : path, external: true };
      });
      onLoad({ filter: /.*/, namespace: ALL }, ({ path }) => {
        const layer = Number(path.slice(ALL.length));
        const below = layer === 0 ? "" : importUpTo(layer - 1);
        const own = filesOf(layer).map((file) => `import ${JSON.stringify(join(modules, file))};`);
        return { contents: [below, ...own].join("\n") };
      });
      onLoad({ filter: /.*/, namespace: AT_PLACE }, ({ path }) => ({
        contents: `${importUpTo(layerOf(path))} export * from ${JSON.stringify(join(modules, path))};`,
      }));
      onLoad({ filter: /\.m?js$/ }, ({ path }) => {
        const file = relative(modules, path).replaceAll(sep, "/");
        if (file.startsWith("../")) return ofPackage(path, relative(dirname(modules), path));
        const isShared = shared.has(file);
        let contents = readFileSync(path, "utf8");
        // at the ends of the text, on lines that are there: source maps stay true
        if (contents.includes("import.meta.url")) contents = placeOf(file, isShared) + contents;
        // what exports nothing would be taken for CommonJS
        if (!isShared)
          contents = contents.replace(/(?=\n\/\/# sourceMappingURL)|$/, `\n${importUpTo(layerOf(file))} export {};`);
        return { contents, resolveDir: dirname(path) };
      });
    },
  };
}

/** A module of a bundled package, which knows where it lies as well. */
function ofPackage(path, file) {
  const contents = withOwnKeys(readFileSync(path, "utf8"));
  const place = contents.includes("import.meta.url") ? placeOf(file.replaceAll(sep, "/"), true) : "";
  return { contents: place + contents, resolveDir: dirname(path) };
}

/** Says for import.meta.url where a file lies in dist, which for one in the bundle is not where it is read from. */
function placeOf(file, isShared) {
  if (!isShared) return "const { url: import_meta_url } = import.meta; ";
  return `const { url: all_url } = import.meta, import_meta_url = new URL("./${file}", all_url).href; `;
}
