// What Node.js loads of dist/lib. Rolldown writes modules to dist/lib/esm: the entries, and the parts that they share (chunk-*.js).
// Bundlers of users take these. In Node.js the parts are run as scripts, with V8's code of earlier processes
// (src/ground/base/parts/load.ts): so they have no import() and no import.meta, but in their first lines; and the entries
// beside load.js get from it what they import from parts. Tests have the same of dist: in-place.mjs.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import vm from "node:vm";
import { build } from "esbuild";
import { parseAst } from "rolldown/parseAst";

const isPart = (name) => name.startsWith("chunk-");
const HEAD = /^(?:#!.*\n)?(?:import .*\n)*/;

/**
 * @param dir the folder of the entries; the modules are in `esm` there
 * @param loader the path of load.js in dist/modules
 * @param options of esbuild, for load.js
 * @param finish what is done to its text
 */
export async function writeParts(dir, loader, options, finish) {
  const esm = join(dir, "esm");
  const texts = textsOf(esm);
  const modules = modulesOf(texts);
  const isPartAt = (from) => from.startsWith("./") && !modules.has(from.slice(2));
  for (const name of modules) {
    writeFileSync(join(dir, name), entryOf(texts.get(name), "./load.js", isPartAt));
    texts.delete(name);
  }
  const code = await writeLoader(
    esm,
    texts,
    loader,
    [...modules].map((name) => `./${name}`),
    options,
  );
  writeFileSync(join(dir, "load.js"), finish(code));
}

/** The JavaScript files of a folder, by name. */
export const textsOf = (folder) =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/**
 * Writes the parts, and returns the text of what loads them.
 * @param texts by name, all of them parts
 * @param modules what `import()` in a part may name beside parts
 */
export async function writeLoader(esm, texts, loader, modules, options) {
  const { scriptOf } = await import(join(loader, "../script.js"));
  const hash = createHash("sha256");
  for (const [name, text] of texts) {
    const other = importsOf(text).find((from) => !from.startsWith("./"));
    if (other !== undefined) throw new Error(`${name}: expected imports of parts only, got one of ${other}`);
    const part = partOf(name, text);
    writeFileSync(join(esm, name), part);
    hash.update(part);
    // it is one
    new vm.Script(scriptOf(part), { filename: name });
  }
  const define = {
    TUNDISH_PARTS: JSON.stringify(hash.digest("hex").slice(0, 16)),
    TUNDISH_MODULES: JSON.stringify(modules),
  };
  const out = { bundle: true, sourcemap: false, write: false, define };
  const { outputFiles } = await build({ ...options, ...out, entryPoints: [loader] });
  return outputFiles[0].text;
}

/** The imports of a text: what it imports statically. */
const importsOf = (text) => [...HEAD.exec(text)[0].matchAll(/"([^"]+)";$/gm)].map(([, from]) => from);

/** The entries, and parts that import packages: modules for Node.js as well. */
function modulesOf(texts) {
  const found = new Set([...texts.keys()].filter((name) => !isPart(name)));
  const isModule = (from) => !from.startsWith("./") || found.has(from.slice(2));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [name, text] of texts) if (importsOf(text).some(isModule)) found.add(name);
  }
  return found;
}

/** Every node of a syntax tree, with whether it is in a function. */
function* nodesOf(node, inFunction = false) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) {
    for (const one of node) yield* nodesOf(one, inFunction);
    return;
  }
  if (typeof node.type === "string") yield { node, inFunction };
  const inside = inFunction || /Function/.test(node.type);
  for (const value of Object.values(node)) if (typeof value === "object") yield* nodesOf(value, inside);
}

/** Places in a text, and what stands there instead. */
function replaced(text, changes) {
  let result = "";
  let at = 0;
  for (const [start, end, instead] of changes.sort(([one], [other]) => one - other)) {
    result += text.slice(at, start) + instead;
    at = end;
  }
  return result + text.slice(at);
}

const isOwn = (source) => source.type === "Literal" && /^\.\//.test(source.value);

/** A part, whose first lines have its imports and what a script gets as arguments. */
function partOf(name, text) {
  const changes = [];
  const own = new Set();
  let [hasUrl, hasAny] = [false, false];
  const program = parseAst(text);
  const namesIn = (type, nodes) => program.body.filter((one) => one.type === type).flatMap(nodes);
  const variable = namesIn("VariableDeclaration", ({ kind, declarations }) =>
    kind === "const" ? [] : declarations.map(({ id }) => id.name),
  );
  const exported = namesIn("ExportNamedDeclaration", ({ specifiers }) => specifiers.map(({ local }) => local.name));
  const changing = new Set(exported.filter((one) => variable.includes(one)));
  for (const { node, inFunction } of nodesOf(program)) {
    if (node.type === "MetaProperty" && node.meta.name === "import") {
      changes.push([node.start, node.end, "$url"]);
      hasUrl = true;
    } else if (node.type === "ImportExpression") {
      const isFile = isOwn(node.source);
      changes.push([node.start, node.start + "import".length, isFile ? "$import" : "$importAny"]);
      if (isFile) own.add(node.source.value);
      else hasAny = true;
    } else if (
      inFunction &&
      ((node.type === "AssignmentExpression" && changing.has(node.left.name)) ||
        (node.type === "UpdateExpression" && changing.has(node.argument.name)))
    ) {
      throw new Error(`${name}: what it exports is changed by a function: a script hands on its first value`);
    }
  }
  const body = replaced(text, changes).replaceAll("$url.url", "$url");
  const head = [
    hasUrl && "const $url = import.meta.url;",
    own.size > 0 &&
      `const $import = (name) => ({ ${[...own].map((one) => `"${one}": () => import("${one}")`).join(", ")} })[name]();`,
    hasAny && "const $importAny = (url) => import(/* webpackIgnore: true */ /* @vite-ignore */ url);",
  ].filter(Boolean);
  const imports = HEAD.exec(body)[0];
  // in place of as many empty lines, where there are some: the others stay where they are
  const rest = body.slice(imports.length).replace(new RegExp(`^\n{0,${head.length}}`), "");
  return imports + head.map((line) => `${line}\n`).join("") + rest;
}

/**
 * A module for Node.js that gets from `loader` what it imports from parts.
 * @param isPartAt whether a path that it imports is that of a part
 */
export function entryOf(text, loader, isPartAt) {
  const changes = [];
  let [loads, imports] = [false, false];
  for (const { node } of nodesOf(parseAst(text))) {
    if (node.type === "ImportDeclaration" && isPartAt(node.source.value)) {
      const loaded = `$load("./${basename(node.source.value)}");`;
      // with its lines, as source maps count them
      const names = /^import (\{[^}]*\}) from /.exec(text.slice(node.start, node.end))?.[1];
      changes.push([
        node.start,
        node.end,
        names === undefined ? loaded : `const ${names.replaceAll(" as ", ": ")} = ${loaded}`,
      ]);
      loads = true;
    } else if (node.type === "ImportExpression" && isOwn(node.source) && isPartAt(node.source.value)) {
      changes.push([node.start, node.start + "import".length, "$importPart"]);
      imports = true;
    }
  }
  if (changes.length === 0) return text;
  const [shell] = /^(?:#!.*\n)?/.exec(text);
  const names = [imports && "importPart as $importPart", loads && "load as $load"].filter(Boolean).join(", ");
  changes.unshift([shell.length, shell.length, `import { ${names} } from ${JSON.stringify(loader)}; `]);
  return replaced(text, changes);
}
