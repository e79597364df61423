// Runs every test file (dist/test/**/*.test.js) in a process of its own with a deadline: a blocked
// Atomics.wait would hang the runner inside the process for ever. Three files run at a time, and one more that mostly
// waits (lanes.mjs). Ends with "N passed, N failed". What Node warns of in one of the processes
// and threads of a file is told, unless the file expects it (support/expect-warnings.ts).
//
//   node test/run.mjs [--times] [part of a file's name ...]
//
// --times ends with a table of all files: user and system CPU seconds, with those of all processes that a file starts,
// and seconds that passed, the most CPU time first.
//
// TUNDISH_TEST_DEADLINE=60      seconds that a file may take; 600 unless told.
// TUNDISH_TEST_LONG=1           the long repetitions (test/support/long.ts).
// TUNDISH_TEST_SEED=7           which sample a plain run plays of cases that are many (test/support/sample.ts): drawn unless
//                               told, and told when a test has failed.
// TUNDISH_TEST_REQUIRE=hwloc,…  a skip whose name carries one of these words counts as a failure: those of
//                               REQUIRABLE below.
// TUNDISH_TEST_NODE="COMMAND …"  the node that runs the test files, with what must stand before it (an emulator);
//                               files whose tests start processes of their own need one that starts without more. Where
//                               they start npm, npx or what these have installed, it must come first in PATH, too.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { KINDS, LONGEST } from "./lanes.mjs";
import { mappedStacks } from "./mapped-stacks.mjs";

/** Files that are named at the end of a run of more. */
const SLOWEST = 10;
/** What tests are skipped without, as the names of the skips say it. */
const REQUIRABLE = ["hwloc", "lstopo", "gcc", "clang", "openmpi", "mpich", "iproute2", "slurm", "chromium"];
/** Warnings of Node that fail a file: all but those that come and go with its versions, which are told. */
const FATAL = /^(?!ExperimentalWarning|SecurityWarning)/;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const wanted = process.argv.slice(2).filter((word) => word !== "--times");
const TIMES = process.argv.includes("--times");
/** Command and first arguments of what runs a test file. */
const runtime = process.env.TUNDISH_TEST_NODE?.split(/\s+/).filter(Boolean) ?? [process.execPath];
const required = (process.env.TUNDISH_TEST_REQUIRE ?? "").split(",").flatMap((word) => word.trim() || []);
const unknown = required.filter((word) => !REQUIRABLE.includes(word));
if (unknown.length > 0) {
  const known = REQUIRABLE.join(", ");
  console.error(`TUNDISH_TEST_REQUIRE: expected some of ${known}, comma-separated; got ${unknown.join(", ")}`);
  process.exit(2);
}

// refuses what is neither the plain nor the long run
const { LONG, rounds } = await import(join(root, "dist/test/support/long.js"));
process.env.TUNDISH_TEST_SEED ||= `${Math.floor(Math.random() * 2 ** 31)}`;
const DEADLINE_MS = 1000 * Number(process.env.TUNDISH_TEST_DEADLINE || rounds(600, 12 * 3600));
if (!(DEADLINE_MS > 0)) {
  const got = process.env.TUNDISH_TEST_DEADLINE;
  console.error(`TUNDISH_TEST_DEADLINE: expected a number of seconds above 0; got ${got}`);
  process.exit(2);
}

const files = readdirSync(join(root, "dist/test"), { recursive: true })
  .filter((file) => file.endsWith(".test.js"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

if (files.length === 0) console.error(`no test file has one of these in its name: ${wanted.join(", ")}`);
const total = { passed: 0, failed: 0, skipped: 0 };
/** How long each file took, s. */
const took = [];
/** What all processes that have ended took of a CPU, s. */
let taken = cpuOfEnded();
/** What one file makes and others use. */
const shared = mkdtempSync(join(tmpdir(), "tundish-tests-"));
process.on("exit", () => rmSync(shared, { recursive: true, force: true }));
const queues = { alone: [], waiting: [], busy: [] };
const kindOf = (file) =>
  Object.entries(KINDS).find(([, patterns]) => patterns.some((pattern) => pattern.test(file)))[0];
for (const file of files) queues[kindOf(file)].push(file);
const place = (file) => {
  const at = LONGEST.findIndex((pattern) => pattern.test(file));
  return at < 0 ? LONGEST.length : at;
};
for (const queue of Object.values(queues)) queue.sort((a, b) => place(a) - place(b));
/** Options of node for a test and all that it starts. The long run, and figures, get V8 as users have it. */
function optionsOf(file) {
  const isAsForUsers = LONG || kindOf(file) === "alone";
  const hooks = ["record-warnings.cjs", ...(isAsForUsers ? [] : ["optimize-late.cjs"])];
  const required = hooks.map((hook) => `--require ${JSON.stringify(join(root, "test", hook))}`);
  return [process.env.NODE_OPTIONS ?? "", ...required].join(" ");
}
/** Runs one file after the other: of the first queue that has one left. */
async function lane(...queues) {
  const next = () => queues.find((queue) => queue.length > 0)?.shift();
  for (let file = next(); file !== undefined; file = next()) await test(file);
}
const busy = [1, 2, 3].map(() => lane(queues.busy, queues.waiting));
await Promise.all([lane(queues.waiting), ...busy]);
await lane(queues.alone);
if (TIMES) {
  const row = (...cells) => cells.map((cell) => (cell.toFixed?.(1) ?? cell).padStart(8)).join("");
  const sum = (of) => took.reduce((all, file) => all + of(file), 0);
  const shown = took.sort((a, b) => b.user + b.system - a.user - a.system);
  console.log(`\n${row("CPU s", "user", "system", "passed")}  file`);
  for (const { name, user, system, seconds } of shown)
    console.log(`${row(user + system, user, system, seconds)}  ${name}`);
  const [user, system] = [sum((file) => file.user), sum((file) => file.system)];
  console.log(`${row(user + system, user, system, performance.now() / 1000)}  all ${took.length} files`);
} else if (took.length > SLOWEST) {
  console.log(`\nThe ${SLOWEST} slowest of ${took.length} files:`);
  const slowest = took.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
const skips = total.skipped ? `, ${total.skipped} skipped` : "";
if (total.failed > 0 && !LONG) console.log(`\nthe same sample: TUNDISH_TEST_SEED=${process.env.TUNDISH_TEST_SEED}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${skips}`);
process.exitCode = total.failed || files.length === 0 ? 1 : 0;

async function test(file) {
  const started = performance.now();
  const { output, code, late, user, system, warnings } = await runFile(file);
  const count = (word) => Number(new RegExp(`^\\s*${word}:\\s+(\\d+)`, "m").exec(output)?.[1] ?? 0);
  const all = count("Total");
  const passed = count("Passed");
  const skips = [...output.matchAll(/^SKIP (.*)$/gm)].map((match) => match[1]);
  const missing = skips.filter((name) => required.some((word) => name.includes(word)));
  let failed = all - passed + missing.length;
  if (warnings.some((warning) => FATAL.test(warning))) failed++;
  // a process that died, ran too long or ran nothing is one more failure
  if (failed === 0 && (code !== 0 || late || all + skips.length === 0)) failed = 1;
  total.passed += passed;
  total.failed += failed;
  total.skipped += skips.length - missing.length;
  const seconds = (performance.now() - started) / 1000;
  const name = file.replace(/\.js$/, "");
  took.push({ name, seconds, user, system });
  const mark = failed ? "FAIL" : "ok  ";
  console.log(`${mark} ${name} (${passed} passed, ${skips.length} skipped, ${seconds.toFixed(1)} s)`);
  for (const skip of skips) console.log(`     skipped: ${skip}${missing.includes(skip) ? " (required here)" : ""}`);
  if (failed) console.log(mappedStacks(output, root).replace(/^/gm, "     | "));
  for (const warning of warnings) console.log(`     Node's warning: ${warning}`);
  if (late) console.log(`     ended after ${DEADLINE_MS / 1000} s without an answer`);
}
/** CPU time of all ended children and of theirs, s: Linux counts it in hundredths; zero elsewhere. */
function cpuOfEnded() {
  try {
    // behind the name, which may have blanks: the state is field 3, the children's times are 16 and 17
    const fields = readFileSync("/proc/self/stat", "latin1").replace(/.*\) /, "").split(" ");
    return { user: fields[13] / 100, system: fields[14] / 100 };
  } catch {
    return { user: 0, system: 0 };
  }
}
/** Node's warnings in the processes of a file that it does not expect, once each. */
function warningsIn(record) {
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const expected = lines.flatMap(({ expected }) => expected ?? []);
  const isExpected = (warning) => expected.some((words) => warning.includes(words));
  const unexpected = lines.filter(({ warning }) => warning !== undefined && !isExpected(warning));
  return [...new Set(unexpected.map(({ warning, by }) => `${warning} (${by.join(" ").slice(0, 200)})`))];
}
function runFile(file) {
  const scratch = mkdtempSync(join(tmpdir(), "tundish-test-"));
  const record = join(scratch, "node-warnings");
  return new Promise((resolve) => {
    const child = spawn(runtime[0], [...runtime.slice(1), join(root, "dist/test", file)], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // choices of one test are not to be another's
      env: {
        ...process.env,
        TUNDISH_CACHE: "off",
        NO_COLOR: "1",
        FORCE_COLOR: undefined,
        NODE_COMPILE_CACHE: undefined,
        // a sixth of the start of each of a thousand processes
        OPENSSL_CONF: "/dev/null",
        NODE_OPTIONS: optionsOf(file),
        TUNDISH_TEST_WARNINGS: record,
        TUNDISH_TEST_SHARED: shared,
        // other tests' interfaces come and go, and UCX (of MPICH) fails where one is gone that it has seen
        UCX_NET_DEVICES: "lo",
        // its launchers fail where one makes or removes their common folder beside another
        OMPI_MCA_orte_tmpdir_base: scratch,
      },
    });
    let output = "";
    let late = false;
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, DEADLINE_MS);
    child.on("error", (error) => (output += error.message));
    let cpu = { user: 0, system: 0 };
    child.on("exit", () => {
      const now = cpuOfEnded();
      cpu = { user: now.user - taken.user, system: now.system - taken.system };
      taken = now;
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      const warnings = warningsIn(record);
      rmSync(scratch, { recursive: true, force: true });
      resolve({ output, code, late, warnings, ...cpu });
    });
  });
}
