/** `tundish init`: what it writes where, and that it overwrites nothing. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dependencyOn } from "../../../src/interface/cli/commands/installed.ts";
import { root } from "../../support/paths.ts";
import { cliHere, codeOf, emptyFolder } from "./support/cli.ts";

const test = suite("cli init");
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

test("an example in an empty folder, with a package.json for it", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cliHere(["init", "--example", "jacobi"], { cwd });
  assert.is(code, 0);
  assert.equal(readdirSync(cwd).sort(), ["jacobi.ts", "package.json", "tsconfig.json"]);
  assert.is(read(cwd, "jacobi.ts"), read(root, "templates/jacobi.ts"));
  assert.is(read(cwd, "tsconfig.json"), read(root, "templates/tsconfig.json"));
  const { name, devDependencies: tools } = json(root, "package.json");
  const made = json(cwd, "package.json");
  assert.is(made.name, basename(cwd).toLowerCase());
  assert.is(made.type, "module");
  assert.equal(made.scripts, { start: "tsx jacobi.ts", build: "tsc" });
  assert.equal(made.dependencies, { [name]: `file:${root}` });
  for (const tool of ["tsx", "typescript", "@types/node"]) assert.is(made.devDependencies[tool], tools[tool], tool);
  assert.is(stderr, "wrote jacobi.ts\nwrote tsconfig.json\nwrote package.json\n");
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
    /^wrote k-means\.ts\nkept tsconfig\.json, .*\nkept package\.json, .*\nthe program needs "module": "nodenext", "types": \["node"\], "lib": \["esnext.disposable"\] there\n$/s,
  );
  assert.match(stdout, `  npm install ${root}\n  npm install --save-dev tsx @types/node\n  npx tsx k-means.ts`);
});

test("a project of CommonJS: the ending makes a module of the program", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "package.json"), '{ "dependencies": { "tundish": "*" } }');
  const { stdout } = await cliHere(["init", "--example", "k-means", "--json"], { cwd });
  assert.is(read(cwd, "k-means.mts"), read(root, "templates/k-means.ts"));
  assert.equal(JSON.parse(stdout), {
    schema: "tundish/init@1",
    folder: cwd,
    wrote: ["k-means.mts", "tsconfig.json"],
    kept: ["package.json"],
    next: [
      "npm install --save-dev tsx typescript @types/node",
      "npx tsx k-means.mts",
      "npx tsc --outDir dist && node dist/k-means.mjs",
    ],
  });
});

test("a second example beside the first: what is there already is not asked for", async () => {
  const cwd = emptyFolder();
  await cliHere(["init", "--example", "k-means"], { cwd });
  const { code, stdout, stderr } = await cliHere(["init", "--example", "jacobi"], { cwd });
  assert.is(code, 0);
  assert.is(
    stderr,
    "wrote jacobi.ts\nkept tsconfig.json, which was there already\nkept package.json, which was there already\n",
  );
  assert.match(stdout, /^Next\n {2}npm install\n {2}npx tsx jacobi\.ts /);
  mkdirSync(join(cwd, "node_modules/@types"), { recursive: true });
  for (const name of ["tundish", "tsx", "typescript", "@types/node"]) mkdirSync(join(cwd, "node_modules", name));
  const third = await cliHere(["init", "--example", "page-rank"], { cwd });
  assert.match(third.stdout, /^Next\n {2}npx tsx page-rank\.ts /);
});

test("only what a tsconfig.json lacks is named", async () => {
  const noted = async (options: object) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
    const { stderr } = await cliHere(["init"], { cwd });
    return /the program needs (.*) there/.exec(stderr)?.[1];
  };
  const lib = ["ES2023", "ESNext.Disposable"];
  assert.is(await noted({ module: "NodeNext", types: ["node"], lib }), undefined);
  assert.is(await noted({ module: "NodeNext", lib }), '"types": ["node"]');
  assert.is(await noted({ module: "commonjs", types: ["node"], lib }), '"module": "nodenext"');
});

test("the dependency is the version of a registry, or where the package was installed from", () => {
  const project = emptyFolder();
  const own = join(project, "node_modules/tundish");
  mkdirSync(own, { recursive: true });
  const installed = (resolved?: string) => {
    const packages = resolved === undefined ? {} : { "node_modules/tundish": { resolved } };
    writeFileSync(join(project, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
    return dependencyOn(own, "1.2.3");
  };
  assert.is(dependencyOn(own, "1.2.3"), "^1.2.3");
  assert.is(dependencyOn(root, "1.2.3"), `file:${root}`);
  assert.is(installed("https://registry.npmjs.org/tundish/-/tundish-1.2.3.tgz"), "^1.2.3");
  assert.is(installed(), "^1.2.3");
  writeFileSync(join(project, "a #1.tgz"), "");
  assert.is(installed("file:a %231.tgz"), `file:${join(project, "a #1.tgz")}`);
  assert.is(installed("file:gone.tgz"), `file:${own}`);
});

test("every example: it is listed with its first line, and each package that it imports is a dependency", async () => {
  const { stdout } = await cliHere(["init", "--list"]);
  const { examples } = JSON.parse((await cliHere(["init", "--list", "--json"])).stdout);
  const names = readdirSync(join(root, "templates")).filter((file) => file.endsWith(".ts"));
  assert.equal(
    examples.map(({ name }: { name: string }) => `${name}.ts`),
    names.sort(),
  );
  for (const { name, what } of examples) {
    assert.match(stdout, new RegExp(`^${name} +`, "m"));
    assert.ok(stdout.includes(`  ${what}\n`));
    const cwd = emptyFolder();
    await cliHere(["init", "--example", name], { cwd });
    const { dependencies } = json(cwd, "package.json");
    for (const [, from = ""] of read(cwd, `${name}.ts`).matchAll(/ from "([^"]+)"/g)) {
      if (!from.startsWith("node:")) assert.ok(from.replace(/\/.*/, "") in dependencies, `${from} of ${name}`);
    }
    for (const version of Object.values(dependencies)) assert.match(`${version}`, /^(?:[~^]?\d|file:)/);
  }
});

test("an example that there is not: wrong usage, with the nearest, and nothing is written", async () => {
  const cwd = emptyFolder();
  const { code, stderr } = await cliHere(["init", "--example", "jacoby"], { cwd });
  assert.is(code, 2);
  assert.match(stderr, /--example: unknown example 'jacoby'; did you mean 'jacobi'\? Known examples: .*k-means/);
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
