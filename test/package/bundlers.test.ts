/** The programs and configurations of docs/platforms.md: bundled, and run in a folder from where no package is reachable. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import webpack, { type Configuration, type Stats } from "webpack";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const page = readFileSync(join(root, "docs/platforms.md"), "utf8");
const dir = mkdtempSync(join(tmpdir(), "tundish-bundlers-"));
const project = join(dir, "project");
const PRINTED = /```\n(\[.*\])\n```/.exec(page)?.[1];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

type Mode = "external" | "bundled in";

/** A file of the page, without the lines that are for the other mode. */
function fileOf(name: string, mode?: Mode): string {
  const text = new RegExp(`\`\`\`js\n// ${name.replaceAll(".", "\\.")}\n(.*?)\`\`\``, "s").exec(page)?.[1];
  assert.type(text, "string", `docs/platforms.md: ${name} is missing`);
  const other = mode === "external" ? "// bundled in" : "// external";
  const lines = (text as string).split("\n");
  return mode === undefined ? lines.join("\n") : lines.filter((line) => !line.endsWith(other)).join("\n");
}

/** The arguments of a command of the page. */
function commandOf(pattern: RegExp): string[] {
  const line = page.split("\n").find((one) => one.startsWith("npx esbuild ") && pattern.test(one));
  assert.type(line, "string", `docs/platforms.md: no command matches ${pattern}`);
  return (line as string).replace(/ #.*/, "").split(" ").slice(2);
}

const esbuild = (args: readonly string[]): Promise<unknown> =>
  exec(join(root, "node_modules/.bin/esbuild"), [...args, "--log-level=error"], { cwd: project });

const bundlers: Readonly<Record<string, (mode: Mode, out: string) => Promise<unknown>>> = {
  esbuild: (mode, out) => esbuild([...commandOf(new RegExp(`# ${mode}$`)), `--outdir=${out}`]),
  async vite(mode, out) {
    writeFileSync(join(project, "vite.config.js"), fileOf("vite.config.js", mode));
    const args = [join(root, "node_modules/vite/bin/vite.js"), "build", "--outDir", out, "--logLevel", "warn"];
    await exec(process.execPath, args, { cwd: project });
  },
  async webpack(mode, out) {
    const file = join(project, `webpack.${mode.replace(" ", "-")}.config.js`);
    writeFileSync(file, fileOf("webpack.config.js", mode));
    const { default: config } = (await import(pathToFileURL(file).href)) as { default: Configuration };
    // minified by esbuild above; here it would take half a minute
    const options = { context: project, optimization: { minimize: false } };
    const output = { ...config.output, path: join(project, out) };
    const stats = await new Promise<Stats | undefined>((resolve, reject) => {
      webpack({ ...config, ...options, output }, (error, made) => (error ? reject(error) : resolve(made)));
    });
    const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
    assert.equal(
      [...errors, ...warnings].map(({ message }) => message),
      [],
    );
  },
};

const test = suite("bundlers");

test.before(() => {
  for (const name of ["src/main.js", "src/one.js"]) write(name, fileOf(name));
  // and calls whose parts of the package are loaded then
  const called = "pe.group([pe.rank]).leave();\n  pe.diagnose();\n  const sum =";
  write("src/program.js", fileOf("src/program.js").replace("const sum =", called));
  write("package.json", '{"type": "module"}');
  mkdirSync(join(project, "node_modules"));
  // not a link: Vite bundles packages that are linked
  for (const part of ["package.json", "dist/lib"]) {
    cpSync(join(root, part), join(project, "node_modules/tundish", part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules/vite"), join(project, "node_modules/vite"));
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(join(project, name, ".."), { recursive: true });
  writeFileSync(join(project, name), text);
}

/** Copies a bundle to where no package is reachable. */
function alone(bundle: string): string {
  const place = mkdtempSync(join(dir, "alone-"));
  cpSync(join(project, bundle), place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{"type": "module"}');
  return place;
}

const run = async (cwd: string, file = "main.js"): Promise<string> =>
  (await exec(process.execPath, [file], { cwd })).stdout.trim();

/** What a program prints to stderr that fails. */
async function failure(cwd: string, file = "main.js"): Promise<string> {
  const result = await run(cwd, file).catch((error: unknown) => error as { stderr: string });
  if (typeof result === "string") throw new Error(`${file}: expected a failure, it printed ${result}`);
  return result.stderr;
}

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name}, tundish external`, async () => {
    const out = `${name}-external`;
    await bundle("external", out);
    assert.is(await run(join(project, out)), PRINTED);
    assert.match(await failure(alone(out)), "Cannot find package 'tundish'");
  });

  test(`${name}, tundish bundled in`, async () => {
    const out = `${name}-bundled`;
    await bundle("bundled in", out);
    const place = alone(out);
    assert.is(await run(place), PRINTED);
    const koffi = join(root, "node_modules/koffi");
    if (process.platform !== "linux" || !existsSync(koffi)) return;
    // one that is installed beside the bundle is found
    mkdirSync(join(place, "node_modules"));
    symlinkSync(koffi, join(place, "node_modules/koffi"));
    const maps = 'import { readFileSync } from "node:fs"; console.log(/koffi/.test(readFileSync("/proc/self/maps")));';
    writeFileSync(join(place, "maps.js"), `import "./main.js"; ${maps}`);
    assert.is(await run(place, "maps.js"), `${PRINTED}\ntrue`);
  });
}

test("files for Node, bundled, say what the bundler must know", async () => {
  await esbuild([...commandOf(/bundled in/), "--conditions=custom", "--outdir=unknown"]);
  assert.match(await failure(alone("unknown")), /bundler must know the condition "module".* \[ERR_TUNDISH_MODULE\]/);
});

test("files that share one copy of tundish", async () => {
  await esbuild([...commandOf(/bundled in/), "--splitting", "--outdir=shared"]);
  assert.is(await run(alone("shared")), PRINTED);
});

test("one part external, the other bundled in", async () => {
  for (const [i, external] of ["main.js", "program.js"].entries()) {
    const out = join(project, `mixed-${i}`);
    cpSync(join(project, "esbuild-bundled"), out, { recursive: true });
    cpSync(join(project, "esbuild-external", external), join(out, external));
    assert.is(await run(out), PRINTED);
  }
});

test("all in one file", async () => {
  await esbuild([...commandOf(/one\.js/), "--outdir=one"]);
  assert.is(await run(alone("one"), "one.js"), "[ 3, 3 ]");
});

test("CommonJS", async () => {
  const main = (program: string) =>
    `launch(${program}, { pes: 2, timeout: 60_000 }).then((results) => console.log(results));`;
  const importing = 'import { join } from "node:path"; import { launch } from "tundish";';
  write("src/main-cjs.js", `${importing}\n${main('join(__dirname, "program.cjs")')}`);
  const one = fileOf("src/one.js").replace(/await (launch)\(new URL\(import\.meta\.url\)/, "await $1(__filename");
  write(
    "src/one-cjs.js",
    one.replace(/if \(isEntry\(.*\)\) (.*;)/, "if (require.main === module) (async () => { $1 })();"),
  );
  const files = ["src/main-cjs.js", "src/program.js", "src/one-cjs.js"];
  const options = ["--bundle", "--platform=node", "--format=cjs", "--out-extension:.js=.cjs", "--outdir=cjs"];
  await esbuild([...files, ...options]);
  const place = alone("cjs");
  assert.is(await run(place, "main-cjs.cjs"), PRINTED);
  assert.is(await run(place, "one-cjs.cjs"), "[ 3, 3 ]");
});

test("an open world", async () => {
  write(
    "src/open.js",
    `import { open } from "tundish";
const program = new URL("./program.js", import.meta.url);
const world = await open({ pes: 2 });
console.log(await world.run(program));
console.log(await world.run(new URL("./one.js", import.meta.url)));
const error = await world.run(new URL("./none.js", import.meta.url)).catch((error) => error);
console.log(error.code);
console.log(await world.run(program));
await world.close();
await (await open({ pes: 2 })).close();
`,
  );
  const sources = commandOf(/bundled in/).map((one) => one.replace("main", "open"));
  await esbuild([...sources, "src/one.js", "--outdir=open"]);
  const place = alone("open");
  writeFileSync(join(place, "none.js"), "");
  const printed = `${PRINTED}\n[ 3, 3 ]\nERR_TUNDISH_MODULE\n${PRINTED}`;
  assert.is(await run(place, "open.js"), printed);
});

/** Asserts that an error has a code, and all words. */
function says(text: string, ...words: string[]): void {
  for (const word of words) assert.ok(text.includes(word), `expected ${JSON.stringify(word)} in: ${text}`);
}

test("a program that is no entry", async () => {
  const place = alone("esbuild-bundled");
  rmSync(join(place, "program.js"));
  const url = pathToFileURL(join(place, "program.js")).href;
  says(await failure(place), "ERR_TUNDISH_MODULE", `${url}: the file`, "does not exist", "docs/platforms.md");
});

test("a program that was copied as a source", async () => {
  const place = alone("esbuild-bundled");
  cpSync(join(project, "src/program.js"), join(place, "program.js"));
  const text = await failure(place);
  says(text, "program.js cannot be loaded", "Cannot find package 'tundish'", "docs/platforms.md");
  says(text, "ERR_TUNDISH_MODULE");
});

test("a program whose export is dropped", async () => {
  const place = alone("esbuild-bundled");
  writeFileSync(join(place, "program.js"), "export {};");
  says(await failure(place), "program.js has no SPMD program", "docs/platforms.md", "ERR_TUNDISH_MODULE");
});

test("a program with another version of tundish", async () => {
  const change = (place: string) => {
    const file = join(place, "program.js");
    const text = readFileSync(file, "utf8");
    const other = text.replaceAll(JSON.stringify(version), '"9.9.9"');
    assert.is.not(other, text);
    writeFileSync(file, other);
    return place;
  };
  const bundled = await failure(change(alone("esbuild-bundled")));
  says(bundled, "program.js contains version 9.9.9 of tundish", version, "ERR_TUNDISH_MODULE");
  const installed = await failure(change(join(project, "mixed-0")));
  says(installed, "program.js has version 9.9.9 of tundish", version, "ERR_TUNDISH_MODULE");
});

test("an unguarded launch in one file", async () => {
  write("src/unguarded.js", fileOf("src/one.js").replace("if (isEntry(import.meta)) ", ""));
  const args = commandOf(/one\.js/).map((argument) => argument.replace("one.js", "unguarded.js"));
  await esbuild([...args, "--outdir=unguarded"]);
  says(await failure(alone("unguarded"), "unguarded.js"), "calls launch() outside the main", "isEntry(import.meta)");
});

test("errors keep their classes where names of classes are minified", async () => {
  write(
    "src/failing.js",
    'import { spmd, UsageError } from "tundish"; export default spmd(() => { throw new UsageError("no"); });',
  );
  write(
    "src/caught.js",
    `import { launch, RankLostError, TimeoutError, UsageError } from "tundish";
const error = await launch(new URL("./failing.js", import.meta.url), { pes: 2 }).catch((error) => error);
const { name, cause } = error;
console.log(name, error instanceof RankLostError, error instanceof TimeoutError);
console.log(cause.name, cause instanceof UsageError, cause instanceof TimeoutError);
`,
  );
  const sources = commandOf(/bundled in/).map((one) => one.replace("main", "caught").replace("program", "failing"));
  await esbuild([...sources, "--outdir=errors"]);
  assert.is(await run(alone("errors"), "caught.js"), "RankLostError true false\nUsageError true false");
});

test("worlds of own threads; optional packages that are missing", async () => {
  write(
    "src/other.js",
    `import { Worker, isMainThread, workerData } from "node:worker_threads";
import { createWorld, join } from "tundish";
import { readTopology } from "tundish/machine";
import { toGraph } from "tundish/trees";

if (isMainThread) {
  const matrix = [[0, 1], [1, 0]];
  const tree = { algorithm: "binary", root: 0, children: { 0: [1] }, latency: 2 };
  const machine = { name: "two", unit: "ns", pes: [{}, {}], send: matrix, receive: matrix };
  try { toGraph(tree, machine); } catch (error) { console.log(error.message); }
  process.env.TUNDISH_SYS = "off";
  console.log((await readTopology()).notes.join(" "));
  const host = await createWorld({ pes: 2 });
  new Worker(new URL(import.meta.url), { workerData: host.ticket(1) });
  const pe = await join(host.ticket(0));
  console.log(await pe.allreduceAsync(1, "sum"));
  pe.leave();
} else {
  const pe = await join(workerData);
  pe.allreduce(2, "sum");
  pe.leave();
}
`,
  );
  await esbuild([...commandOf(/one\.js/).slice(1), "src/other.js", "--outdir=other"]);
  const printed = (await run(alone("other"), "other.js")).split("\n");
  const [graph, topology, sum] = printed as [string, string, string];
  says(topology, "koffi is missing", "systeminformation is missing", "npm install systeminformation");
  says(graph, "graphology", "npm install", "ERR_TUNDISH_ENVIRONMENT");
  assert.is(sum, "3");
});

test.run();
