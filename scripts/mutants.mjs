// Puts faults into the code on purpose, one at a time, and says which tests notice them: a test that passes whatever the
// code does is none. The faults are data, in faults.mjs: a piece of text of one source file, what it is replaced by,
// and the test files that are to notice it, the quickest first. When you change code that a fault is about, change
// the fault with it; when you write code that nothing but time or luck would show to be wrong, add one. Everything
// is done in a copy of the tree, which is built once; then only the file with the fault is compiled anew, and bundled for
// tests (dist/lib has no faults, so name tests that do not load it). A fault that makes a test hang
// is noticed by the deadline of test/run.mjs, 60 seconds here (TUNDISH_TEST_DEADLINE, for a machine that is busy).
//
//   npm run mutants                       all: minutes. Exit code 1 when one survives, 2 for a fault that fits no more
//   npm run mutants -- --only vote        those with this in their name; may be given again
//   npm run mutants -- --list             only their names; that each fits its file is checked all the same
//   npm run mutants -- --json             as data
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";
import { buildInPlace } from "./build/in-place.mjs";
import { faults } from "./faults.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const DEADLINE_S = "60";
/** What the copy does without. */
const LEFT_OUT = new Set(["node_modules", ".git", "coverage", "api"]);

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    list: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const wanted = faults.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
const misfits = [
  ...(wanted.length === 0 ? [`--only: no fault has ${values.only} in its name; --list shows them`] : []),
  ...wanted.flatMap(misfit),
];
if (misfits.length > 0) {
  console.error(misfits.join("\n"));
  process.exit(2);
}
if (values.list) {
  print(
    wanted.map(({ name, file, tests }) => ({ name, file, tests })),
    ({ name, file }) => `${file}: ${name}`,
  );
  process.exit(0);
}

const copy = mkdtempSync(join(tmpdir(), "tundish-mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
cpSync(root, copy, {
  recursive: true,
  filter: (path) => !LEFT_OUT.has(relative(root, path).split(sep)[0]),
});
mkdirSync(join(copy, "node_modules"));
for (const name of readdirSync(join(root, "node_modules"))) {
  // a package of ours is linked to its folder, which the copy has too
  const ours = existsSync(join(copy, "packages", name));
  symlinkSync(join(ours ? copy : root, ours ? "packages" : "node_modules", name), join(copy, "node_modules", name));
}
build();
const compilerOptions = optionsForOne();
/** Test files that pass as the code is, or do not. */
const sound = new Map();

const found = [];
for (const fault of wanted) {
  const started = performance.now();
  const { noticedBy, cases } = await look(fault);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const { name, file } = fault;
  const one = { name, file, noticedBy, cases, seconds };
  if (!values.json) console.log(line(one));
  found.push(one);
}
const survivors = found.filter(({ noticedBy }) => noticedBy === null);
if (values.json) console.log(JSON.stringify(found, null, 2));
else console.log(`\n${found.length - survivors.length} noticed, ${survivors.length} survived`);
process.exitCode = survivors.length > 0 ? 1 : 0;

function print(entries, text) {
  console.log(values.json ? JSON.stringify(entries, null, 2) : entries.map(text).join("\n"));
}

function line({ name, file, noticedBy, cases, seconds }) {
  // a file in which no case has failed did not come to its end
  const how = cases.length === 0 ? ", which did not end well" : "";
  const by = noticedBy === null ? "SURVIVED" : `noticed by ${noticedBy}${how}`;
  return `${by.padEnd(40)} ${`${seconds} s`.padStart(7)}  ${file}: ${name}`;
}

/** What keeps a fault from being put in, in words; nothing when it fits. */
function misfit({ name, file, find, tests }) {
  if (!existsSync(join(root, file))) return [`${name}: there is no file ${file}; faults.mjs has the paths`];
  const times = readFileSync(join(root, file), "utf8").split(find).length - 1;
  const files = readdirSync(join(root, "test"), { recursive: true }).filter((path) => path.endsWith(".test.ts"));
  const missing = tests.filter((part) => !files.some((path) => path.includes(part)));
  return [
    ...(times === 1
      ? []
      : [`${name}: expected its text once in ${file}, found it ${times} times: ${JSON.stringify(find)}`]),
    ...missing.map((part) => `${name}: there is no test file ${part}`),
  ];
}

/** The first of its test files that fails with the fault in, and which cases of it; null when all pass. */
async function look({ file, find, put, tests }) {
  for (const test of tests) {
    if (!sound.has(test)) sound.set(test, run(test).passes);
    if (!sound.get(test)) console.error(`${test} fails without a fault; no fault is looked for by it`);
  }
  const takeOut = await putIn(file, (source) => source.replace(find, () => put));
  try {
    for (const test of tests.filter((test) => sound.get(test))) {
      const { passes, cases } = run(test);
      if (!passes) return { noticedBy: test, cases };
    }
    return { noticedBy: null, cases: [] };
  } finally {
    await takeOut();
  }
}

/** Changes a file of the copy, and what it is compiled to; gives what makes both as they were. */
async function putIn(file, change) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  // a kernel, which is not of TypeScript, or what is compiled apart
  if (file.includes("/assembly/") || file.startsWith("packages/node-hwloc/")) {
    const put = (text) => {
      writeFileSync(path, text);
      build();
    };
    put(change(source));
    return () => put(source);
  }
  const out = join(copy, "dist/modules", file.replace(/\.ts$/, ".js"));
  const built = readFileSync(out, "utf8");
  const [whole, faulty] = [source, change(source)].map(
    (text) => ts.transpileModule(text, { compilerOptions }).outputText,
  );
  // else every test would notice how it was compiled
  if (!built.startsWith(whole.trimEnd())) {
    console.error(`${file}: compiled by itself it is not what the build makes of it`);
    process.exit(2);
  }
  const putBuilt = (text) => {
    writeFileSync(out, text);
    return buildInPlace(copy);
  };
  await putBuilt(faulty);
  return () => putBuilt(built);
}

/** As those of the build, for one file without its surroundings. */
function optionsForOne() {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  return {
    ...ts.parseJsonConfigFileContent(config, ts.sys, root).options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    sourceMap: false,
    inlineSources: false,
  };
}

function build() {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, stdio: "inherit" });
  if (status !== 0) process.exit(2);
}

/** Runs the test files with this in their names in the copy: whether they pass, and the cases that do not. */
function run(test) {
  const { status, stdout } = spawnSync(process.execPath, ["test/run.mjs", test], {
    cwd: copy,
    env: { TUNDISH_TEST_DEADLINE: DEADLINE_S, ...process.env },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const cases = [...stdout.matchAll(/^ *\| *FAIL +(.*)$/gm)].map(([, name]) => name);
  return { passes: status === 0, cases };
}
