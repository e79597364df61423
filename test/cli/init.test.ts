/** `tundish init`: what it writes where, and that it overwrites nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { cliHere, codeOf, emptyFolder } from "./support/cli.ts";

const test = suite("cli init");
/** What k-means imports. */
const SUPPORT = ["curves", "example", "input", "options", "output", "print", "svg", "times"].map(
  (name) => `support/${name}.ts`,
);
const read = (...path: string[]): string => readFileSync(join(...path), "utf8");
const json = (...path: string[]) => JSON.parse(read(...path));

test("an empty folder: one program, what it needs to run, and the next commands", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cliHere(["init"], { cwd });
  assert.is(code, 0);
  assert.equal(readdirSync(cwd).sort(), ["k-means.ts", "package.json", "tsconfig.json"]);
  assert.is(read(cwd, "k-means.ts"), read(root, "templates/k-means.ts"));
  assert.equal(stderr, "wrote k-means.ts\nwrote tsconfig.json\nwrote package.json\n");
  assert.match(stdout, /^Next\n {2}npm install\n {2}npm start +/);
});

test("an example in an empty folder: with what it imports", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cliHere(["init", "--example", "k-means"], { cwd });
  assert.is(code, 0);
  assert.equal(readdirSync(cwd).sort(), ["k-means.ts", "package.json", "support", "tsconfig.json"]);
  assert.is(read(cwd, "k-means.ts"), read(root, "examples/k-means.ts"));
  for (const file of SUPPORT) assert.is(read(cwd, file), read(root, "examples", file), file);
  assert.equal(
    readdirSync(join(cwd, "support")).sort(),
    SUPPORT.map((file) => basename(file)),
  );
  assert.is(read(cwd, "tsconfig.json"), read(root, "templates/tsconfig.json"));
  const { name, version, devDependencies: tools } = json(root, "package.json");
  const made = json(cwd, "package.json");
  assert.is(made.name, basename(cwd).toLowerCase());
  assert.is(made.type, "module");
  assert.equal(made.scripts, { start: "tsx k-means.ts", build: "tsc" });
  assert.equal(made.dependencies, { [name]: `^${version}` });
  for (const tool of ["tsx", "typescript", "@types/node"])
    assert.is(made.devDependencies[tool], tools[tool], tool);
  assert.equal(
    stderr.trimEnd().split("\n").sort(),
    ["k-means.ts", "package.json", ...SUPPORT, "tsconfig.json"].map((file) => `wrote ${file}`),
  );
  assert.match(stdout, /^Next\n {2}npm install\n {2}npm start +/);
});

test("a new folder, made with those above it; it is the first step to go there", async () => {
  const cwd = emptyFolder();
  const { stdout, stderr } = await cliHere(["init", "a/First Try"], { cwd });
  assert.is(json(cwd, "a/First Try/package.json").name, "first-try");
  assert.match(stderr, join("wrote a/First Try/k-means.ts"));
  assert.match(stdout, '  cd "a/First Try"\n  npm install');
});

test("a project of modules: only what is missing, and what to install", async () => {
  const cwd = emptyFolder();
  const before = JSON.stringify({ type: "module", devDependencies: { typescript: "5.9.3" } });
  writeFileSync(join(cwd, "package.json"), before);
  writeFileSync(join(cwd, "tsconfig.json"), "{}");
  const { code, stdout, stderr } = await cliHere(["init", "--example", "k-means"], { cwd });
  assert.is(code, 0);
  assert.is(read(cwd, "package.json"), before);
  assert.is(read(cwd, "tsconfig.json"), "{}");
  assert.match(
    stderr,
    /^wrote k-means\.ts\n(wrote support\/\w+\.ts\n)+kept tsconfig\.json, .*\nkept package\.json, .*"nodenext"/s,
  );
  assert.match(
    stdout,
    "  npm install tundish\n  npm install --save-dev tsx @types/node\n  npx tsx k-means.ts",
  );
});

test("a project of CommonJS: the ending makes a module of the program", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "package.json"), '{ "dependencies": { "tundish": "*" } }');
  const { stdout } = await cliHere(["init", "--example", "k-means", "--json"], { cwd });
  const files = (JSON.parse(stdout) as { wrote: string[] }).wrote.slice(1, -1);
  assert.equal(
    files.toSorted(),
    SUPPORT.map((file) => file.replace(".ts", ".mts")),
  );
  for (const file of ["k-means.mts", ...files]) {
    const text = read(cwd, file);
    assert.not.match(text, /from "\.[^"]*\.ts"/);
    const source = read(root, "examples", file.replace(".mts", ".ts"));
    assert.is(text.replaceAll(/(from "\.[^"]*)\.mts"/g, '$1.ts"'), source);
  }
  assert.equal(JSON.parse(stdout), {
    schema: "tundish/init@1",
    folder: cwd,
    wrote: ["k-means.mts", ...files, "tsconfig.json"],
    kept: ["package.json"],
    next: [
      "npm install --save-dev tsx typescript @types/node",
      "npx tsx k-means.mts",
      "npx tsc --outDir dist && node dist/k-means.mjs",
    ],
  });
});

test("a second example beside the first: what both import is kept", async () => {
  const cwd = emptyFolder();
  await cliHere(["init", "--example", "k-means"], { cwd });
  const { code, stderr } = await cliHere(["init", "--example", "jacobi"], { cwd });
  assert.is(code, 0);
  assert.match(stderr, /^wrote jacobi\.ts\n(?:wrote support\/image\.ts\n)?kept support\//);
  assert.is(read(cwd, "jacobi.ts"), read(root, "examples/jacobi.ts"));
});

test("every example: it is listed with its first line, and each file and package that it imports is there", async () => {
  const { stdout } = await cliHere(["init", "--list"]);
  const { examples } = JSON.parse((await cliHere(["init", "--list", "--json"])).stdout);
  const names = readdirSync(join(root, "examples")).filter((file) => file.endsWith(".ts"));
  assert.equal(
    examples.map(({ name }: { name: string }) => `${name}.ts`),
    names.sort(),
  );
  for (const { name, what } of examples) {
    assert.match(stdout, new RegExp(`^${name} +`, "m"));
    assert.ok(stdout.includes(`  ${what}\n`));
    const cwd = emptyFolder();
    await cliHere(["init", "--example", name], { cwd });
    const installed = Object.keys(json(cwd, "package.json").dependencies);
    for (const file of readdirSync(cwd, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      for (const [, from = ""] of read(cwd, file).matchAll(/ from "([^"]+)"/g)) {
        if (from.startsWith("node:")) continue;
        const isThere = from.startsWith(".")
          ? existsSync(join(cwd, dirname(file), from))
          : installed.some((one) => from === one || from.startsWith(`${one}/`));
        assert.ok(isThere, `${from} of ${file} of ${name}`);
      }
    }
    for (const version of Object.values(json(cwd, "package.json").dependencies))
      assert.match(`${version}`, /^[~^]?\d/);
  }
});

test("an example that there is not: wrong usage, with the nearest, and nothing is written", async () => {
  const cwd = emptyFolder();
  const { code, stderr } = await cliHere(["init", "--example", "jacoby"], { cwd });
  assert.is(code, 2);
  assert.match(
    stderr,
    /--example: unknown example 'jacoby'; did you mean 'jacobi'\? Known examples: .*k-means/,
  );
  assert.equal(readdirSync(cwd), []);
});

test("the program is there already: wrong usage, and nothing is written", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "k-means.ts"), "mine");
  const { code, stdout, stderr } = await cliHere(["init", "--json"], { cwd });
  assert.is(code, 2);
  assert.is(codeOf(stdout), "ERR_TUNDISH_USAGE");
  assert.match(stderr, /^error ERR_TUNDISH_USAGE: init expected no k-means\.ts in .*tundish init FOLDER\n$/);
  assert.equal(readdirSync(cwd), ["k-means.ts"]);
  assert.is(read(cwd, "k-means.ts"), "mine");
});

test("no folder that can be written to, or no package.json that can be read: wrong usage", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "file"), "");
  mkdirSync(join(cwd, "bad"));
  writeFileSync(join(cwd, "bad/package.json"), "{");
  for (const [folder, message] of [
    ["file", /init cannot write into .*file: /],
    ["bad", /init expected a JSON object in .*package\.json: /],
    // where mkdir says ENOENT whatever is there
    ...(process.platform === "linux"
      ? ([
          ["/proc/x", /init cannot write into \/proc\/x: /],
          ["/proc/x/y", /init cannot write into \/proc\/x\/y: /],
        ] as const)
      : []),
  ] as const) {
    const { code, stderr } = await cliHere(["init", folder], { cwd });
    assert.is(code, 2);
    assert.match(stderr, message);
  }
  assert.equal(readdirSync(join(cwd, "bad")), ["package.json"]);
});

test.run();
