// From dist/modules, where every source is compiled by itself, to dist, where every file lies as its source does: what tests
// run. The modules of the library are all in one file there, dist/all.js, and at their own places are files that hand on its
// exports. So a thread loads a few files when it starts, and not two hundred, which is most of what a world in a test costs;
// and every module is there once, whoever imports it by whatever path.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { isBundled, library, started, toESM } from "./lib.mjs";
import { withOwnKeys } from "./own-keys.mjs";

const ALL = "all";
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

  const options = { ...toESM, outdir: join(root, "dist"), absWorkingDir: modules };
  await build({
    ...options,
    entryPoints: [
      ...[...shared].map((file) => ({ in: AT_PLACE + file, out: nameOf(file) })),
      ...users.map((file) => ({ in: join(modules, file), out: nameOf(file) })),
    ],
    bundle: true,
    splitting: true,
    chunkNames: ALL,
    // each thread reads the source map
    sourcesContent: false,
    // package.json tells bundlers of users to leave out what nobody names; here everything is to come along
    ignoreAnnotations: true,
    define: { "import.meta.url": "import_meta_url" },
    plugins: [sharing(modules, shared)],
  });
  // programs that know the library as a package, and helpers of tests
  await build({ ...options, entryPoints: others.map((file) => ({ in: file, out: nameOf(file) })) });
}

const nameOf = (file) => file.replace(/\.js$/, "");

/** The files that a compiled one imports, before it runs and when it needs them. */
function importsOf(file, modules) {
  const text = readFileSync(join(modules, file), "utf8");
  return [...text.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm)].map(
    ([, before, then]) => join(dirname(file), before ?? then).replaceAll(sep, "/"),
  );
}

/** What index, subpaths and PEs' threads are made of, or load when they need it, without what runs when it is loaded. */
function sharedOf(imports) {
  const shared = new Set();
  const add = (file) => {
    // a comment may name one that is not there
    if (shared.has(file) || !imports.has(file)) return;
    shared.add(file);
    imports.get(file).forEach(add);
  };
  for (const entry of library) add(`${entry}.js`);
  for (const entry of started) shared.delete(`${entry}.js`);
  return shared;
}

/**
 * Has esbuild put all shared files in one chunk: it makes a chunk of those files that the same entry points need. So every
 * entry point imports them all.
 */
function sharing(modules, shared) {
  const importAll = `import "${ALL}";`;
  return {
    name: "sharing",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace, resolveDir }) => {
        if (path === ALL) return { path, namespace: ALL };
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
      onLoad({ filter: /.*/, namespace: ALL }, () => ({
        contents: [...shared].map((file) => `import ${JSON.stringify(join(modules, file))};`).join("\n"),
      }));
      onLoad({ filter: /.*/, namespace: AT_PLACE }, ({ path }) => ({
        contents: `${importAll} export * from ${JSON.stringify(join(modules, path))};`,
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
          contents = contents.replace(/(?=\n\/\/# sourceMappingURL)|$/, `\n${importAll} export {};`);
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
