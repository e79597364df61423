// From dist/modules, where every source is compiled by itself, to dist, where every file lies as its source does: what tests
// run. The modules of the library are in a few files, dist/esm/*.js, and at their own places are files that hand on
// their exports. So a thread loads a few files when it starts, and not two hundred, which is most of what a world in a test
// costs; and every module is there once, whoever imports it by whatever path. Who needs one module of a part of the library
// loads all of that part, and no other: a thread without conveyors is spared most of the text. As in what users get, the
// parts are scripts, with V8's code of earlier processes: it is kept in dist/v8-code, whatever a test says of caches.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { inAscii, isBundled, library, started, toESM, withBuiltins } from "./lib.mjs";
import { withOwnKeys } from "./own-keys.mjs";
import { entryOf, textsOf, writeLoader } from "./parts.mjs";

const ALL = "all-";
/** The folder of the parts in dist, as load.js knows it. */
const PARTS_FOLDER = "esm";
/** The parts of the library: the files that these import. A file that several have is of the first of them. */
const PARTS = [
  ["src/running/run/worker", "src/index"],
  ["src/collectives/data-calls"],
  ["src/collectives/own-memory"],
  ["src/pe/inquiry"],
  ["src/pe/group-trees"],
  [
    "src/running/run/ahead",
    "src/running/launch/start",
    "src/running/launch/host",
    "src/running/launch/take-seat",
    "src/running/run/over-nodes/nodes",
    "src/running/contest/contest",
    // what the first world of a process reads and makes where nothing is kept
    "src/machine/topology/topology",
    "trees/generate/world-trees",
  ],
  ["src/messages", "src/exchange"],
  ["src/conveyor", "src/append"],
  library,
];
/** The folder in dist of V8's code, as load.js knows it. */
const KEPT = "v8-code";
/** Stands for a module of the library at its place. */
const AT_PLACE = "at-place:";

/**
 * Builds the JavaScript of dist from that of dist/modules, in well under two seconds.
 * @param asModules whether the parts stay modules, dist/all-*.js: V8 counts what of a script is run by other places than its file has
 */
export async function buildInPlace(root, asModules) {
  const modules = join(root, "dist/modules");
  const files = readdirSync(modules, { recursive: true })
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.replaceAll(sep, "/"));
  const texts = new Map(files.map((file) => [file, readFileSync(join(modules, file), "utf8")]));
  const importsOfAll = () => new Map([...texts].map(([file, text]) => [file, importsOf(file, text)]));
  const shared = sharedOf(importsOfAll());
  for (const [file, text] of texts) if (!shared.has(file)) texts.set(file, fromOrigins(file, text, texts));
  const imports = importsOfAll();
  const users = files.filter((file) => !shared.has(file) && imports.get(file).some((one) => shared.has(one)));
  const others = files.filter((file) => !shared.has(file) && !users.includes(file));

  const dist = join(root, "dist");
  const old = [PARTS_FOLDER, KEPT, ...readdirSync(dist).filter((file) => file.startsWith(ALL))];
  for (const one of old) rmSync(join(dist, one), { recursive: true, force: true });
  const options = { ...toESM, outdir: dist, absWorkingDir: modules };
  await build({
    ...options,
    entryPoints: [
      ...[...shared.keys()].map((file) => ({ in: AT_PLACE + file, out: nameOf(file) })),
      ...users.map((file) => ({ in: join(modules, file), out: nameOf(file) })),
    ],
    bundle: true,
    splitting: true,
    chunkNames: asModules ? `${ALL}[hash]` : `${PARTS_FOLDER}/[hash]`,
    // each thread reads the source map
    sourcesContent: false,
    // package.json tells bundlers of users to leave out what nobody names; here everything is to come along
    ignoreAnnotations: true,
    define: { "import.meta.url": "import_meta_url" },
    plugins: [sharing(modules, shared, imports, texts, asModules)],
  });
  // programs that know the library as a package, and helpers of tests
  await build({ ...options, entryPoints: others.map((file) => ({ in: file, out: nameOf(file) })) });
  if (!asModules) await asScripts(root, modules, [...shared.keys(), ...users]);
}

/** Makes scripts of the parts, and has the files that import from them load these. */
async function asScripts(root, modules, entries) {
  const dist = join(root, "dist");
  const esm = join(dist, PARTS_FOLDER);
  const texts = new Map([...textsOf(esm)].map(([name, text]) => [name, inAscii(withBuiltins(onOneLine(text)))]));
  const named = new Set([...texts.values()].flatMap((text) => text.match(/(?<=import\(")\.[^"]+/g) ?? []));
  const options = { ...toESM, plugins: [keptBeside] };
  const code = await writeLoader(esm, texts, join(modules, "src/ground/base/parts/load.js"), [...named], options);
  writeFileSync(join(dist, "load.js"), code);
  const isPartAt = (path) => new RegExp(`^\\.{1,2}/(\\.\\./)*${PARTS_FOLDER}/`).test(path);
  for (const entry of entries) {
    const file = join(dist, entry);
    const loader = relative(dirname(file), join(dist, "load.js")).replaceAll(sep, "/");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, entryOf(text, loader.startsWith(".") ? loader : `./${loader}`, isPartAt));
  }
}

/** The text of a part, each import on a line; behind them as many empty lines as there are fewer now: source maps stay true. */
function onOneLine(text) {
  const [head] = /^(?:import (?:\{[^}]*\} from )?"[^"]+";\n)*/.exec(text);
  const short = head.replaceAll(/\{[^}]*\}/g, (names) => names.replaceAll(/\s+/g, " "));
  return short + "\n".repeat(head.split("\n").length - short.split("\n").length) + text.slice(head.length);
}

/** Tests often have no cache, or an empty one. */
const keptBeside = {
  name: "kept beside",
  setup({ onLoad }) {
    const contents =
      'import { fileURLToPath } from "node:url"; export const cacheFolder = () => fileURLToPath(new URL(".", import.meta.url));';
    onLoad({ filter: /[\\/]cache-folder\.js$/ }, () => ({ contents }));
  },
};

const nameOf = (file) => file.replace(/\.js$/, "");

const besides = (file, path) => join(dirname(file), path).replaceAll(sep, "/");

/** The files that a compiled one imports before it runs. */
const importsOf = (file, text) =>
  [...text.matchAll(/(?:^|; )(?:import|export)\b[^;]*?"(\.[^"]+)"(?=;)/gm)].map(([, path]) => besides(file, path));

const namesOf = (list) =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => name.split(" as "));

/** What a file hands on, if it does nothing else: the names here and there, and the path there. */
function handedOn(text = "") {
  const statements = /^export \{([^}]*)\} from "(\.[^"]+)";$/gm;
  const rest = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replaceAll(statements, "");
  if (rest.trim() !== "") return [];
  return [...text.matchAll(statements)].flatMap(([, list, path]) =>
    namesOf(list).map(([inner, outer = inner]) => ({ outer, inner, path })),
  );
}

/**
 * The text of a file that imports from the files that have what it names, not from those that only hand it on, such as
 * src/index: a PE's thread has no need of what others launch it with.
 */
function fromOrigins(file, text, texts) {
  const originOf = (from, name) => {
    const one = handedOn(texts.get(from)).find(({ outer }) => outer === name);
    return one ? originOf(besides(from, one.path), one.inner) : [from, name];
  };
  return text.replaceAll(/^import \{([^}]*)\} from "(\.[^"]+)";$/gm, (whole, list, path) => {
    const origins = namesOf(list).map(([inner, outer = inner]) => [...originOf(besides(file, path), inner), outer]);
    if (origins.every(([from]) => from === besides(file, path))) return whole;
    const lines = origins.map(([from, inner, outer]) => {
      const to = relative(dirname(file), from).replaceAll(sep, "/");
      return `import { ${inner} as ${outer} } from "${to.startsWith(".") ? to : `./${to}`}";`;
    });
    // on one line: source maps stay true
    return lines.join(" ");
  });
}

/** What index, subpaths and PEs' threads are made of, without what runs when it is loaded: the numbers of the parts of each. */
function sharedOf(imports) {
  const shared = new Map();
  for (const [part, entries] of PARTS.entries()) {
    const add = (file) => {
      const its = shared.get(file) ?? [];
      if (its.includes(part)) return;
      shared.set(file, [...its, part]);
      imports.get(file).forEach(add);
    };
    for (const entry of entries) add(`${entry}.js`);
  }
  for (const entry of started) shared.delete(`${entry}.js`);
  return shared;
}

/**
 * Has esbuild put the shared files of the same parts in one chunk: it makes a chunk of those files that the same entry points
 * need. So every entry point imports all files of the parts that it needs.
 */
function sharing(modules, shared, imports, texts, asModules) {
  const importPartsOf = (file) => {
    const needed = new Set([0]);
    for (const one of shared.has(file) ? [file] : imports.get(file))
      if (shared.has(one)) needed.add(shared.get(one)[0]);
    return [...needed].map((part) => `import "${ALL}${part}";`).join(" ");
  };
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
        const part = Number(path.slice(ALL.length));
        const files = [...shared].flatMap(([file, its]) => (its.includes(part) ? join(modules, file) : []));
        // the last has all others: with it come their files, and so these are in the same chunks as what they import
        const parts = part === PARTS.length - 1 ? PARTS.slice(1).map((_, other) => `${ALL}${other}`) : [];
        return { contents: [...parts, ...files].map((file) => `import ${JSON.stringify(file)};`).join("\n") };
      });
      onLoad({ filter: /.*/, namespace: AT_PLACE }, ({ path }) => ({
        contents: `${importPartsOf(path)} export * from ${JSON.stringify(join(modules, path))};`,
      }));
      onLoad({ filter: /\.m?js$/ }, ({ path }) => {
        const file = relative(modules, path).replaceAll(sep, "/");
        const placed = (name, isShared) => (isShared && !asModules ? placeInScript(name) : placeOf(name, isShared));
        if (file.startsWith("../")) return ofPackage(path, relative(dirname(modules), path), placed);
        const isShared = shared.has(file);
        let contents = texts.get(file);
        // at the ends of the text, on lines that are there: source maps stay true
        if (contents.includes("import.meta.url")) contents = placed(file, isShared) + contents;
        // what exports nothing would be taken for CommonJS
        if (!isShared)
          contents = contents.replace(/(?=\n\/\/# sourceMappingURL)|$/, `\n${importPartsOf(file)} export {};`);
        return { contents, resolveDir: dirname(path) };
      });
    },
  };
}

/** A module of a bundled package, which knows where it lies as well. */
function ofPackage(path, file, placed) {
  const contents = withOwnKeys(readFileSync(path, "utf8"));
  const place = contents.includes("import.meta.url") ? placed(file.replaceAll(sep, "/"), true) : "";
  return { contents: place + contents, resolveDir: dirname(path) };
}

/** Says for import.meta.url where a file lies in dist, which for one in a part is not where it is read from. */
function placeOf(file, isShared) {
  if (!isShared) return "const { url: import_meta_url } = import.meta; ";
  return `const { url: all_url } = import.meta, import_meta_url = new URL("./${file}", all_url).href; `;
}
/** By what a script has as its place, see parts.mjs. */
const placeInScript = (file) => `const import_meta_url = new URL("./${file}", $url).href; `;
