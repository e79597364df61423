/**
 * What PEs read from stdin: the first PE of a node all of it, the others an error; what no PE reads is left for others.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ended } from "../../interface/cli/support/cli.ts";
import { eachMpi, mpirun, ROOT } from "../../machine/mpi/launchers.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { LONG } from "../../support/long.ts";
import { fixture, root } from "../../support/paths.ts";

const main = fixture("programs", "stdin-main.mjs");
const COMMAND = [process.execPath, `${root}/dist/lib/main.js`, "run", fixture("programs", "cli-stdin.mjs")];
const DEADLINE_MS = 120_000;
const REFUSED =
  "StateError ERR_TUNDISH_STATE process.stdin: expected to be read by PE 0 alone, which has the stdin of this process as " +
  "the first PE of its node, got a read by PE 1. Let PE 0 read, and pass on what it has read, by a broadcast or a scatter. " +
  "[ERR_TUNDISH_STATE]";

/** Starts a command; what it does not end by itself is killed. */
function start(line: readonly string[], stdin: "pipe" | "ignore" | number = "pipe"): ChildProcess {
  const [command, ...rest] = line as [string, ...string[]];
  const child = spawn(command, rest, {
    stdio: [stdin, "pipe", "pipe"],
    env: { ...process.env, ...ROOT, TUNDISH_CACHE: "off", TUNDISH_CONTEST: "off" },
  });
  const kill = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  child.on("close", () => clearTimeout(kill));
  // who does not read to the end closes the pipe
  child.stdin?.on("error", () => {});
  return child;
}

/** What a program prints, given this input and then its end. */
async function printed(line: readonly string[], input: string | Uint8Array): Promise<string> {
  const child = start(line);
  child.stdin?.end(input);
  const { code, stdout, stderr } = await ended(child);
  assert.equal([code, stderr], [0, ""]);
  return stdout;
}

/** What it prints while its stdin stays open, which it must not wait for. */
async function printedBeforeEnd(line: readonly string[], input: string): Promise<string> {
  const child = start(line);
  child.stdin?.write(input);
  const { code, stdout, stderr } = await ended(child);
  assert.equal([code, stderr], [0, ""]);
  return stdout;
}

/** The words of `tundish run` with two PEs, that do this. @param reader the only one that does */
const run = (how: string, reader = "0"): string[] => [...COMMAND, "-n", "2", "--", how, reader];
const all = (how: string): string[] => [...COMMAND, "-n", "2", "--", how];
const launches = (what: string): string[] => [process.execPath, main, what];
const numbers = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("");

const test = suite("stdin of PEs");

test("the first PE reads each byte of it, however much", async () => {
  const bytes = randomBytes((LONG ? 100 : 4) * 2 ** 20 + 17);
  const expected = `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
  assert.is(await printed(run("hash"), bytes), `0: '${expected}'\n`);
});

test("a slow PE stops who writes: the process reads hardly ahead", async () => {
  const text = numbers(1_000_000);
  const [bytes, ahead] = JSON.parse(await printed(launches("slow"), text));
  assert.is(bytes, text.length);
  assert.ok(ahead <= 2 ** 18, `${ahead} of ${text.length} bytes`);
});

test("closed, as Node.js starts with it: it ends", async () => {
  assert.is(await printed(["sh", "-c", 'exec "$@" <&-', "sh", ...run("lines")], ""), "0: 0\n");
});

test("one that cannot be read: its error", async () => {
  const text = await printed(["sh", "-c", 'exec "$@" 0>/dev/null', "sh", ...run("iterate")], "");
  assert.is(text, "0: 'Error EBADF EBADF: bad file descriptor, read'\n");
});

for (const how of LONG ? ["iterate", "listen", "lines", "line"] : ["lines"]) {
  test(`another PE gets an error at its first read: ${how}`, async () => {
    const [first, second] = (await printed(all(how), "a\nb\n")).split("\n");
    assert.match(
      first,
      { iterate: /^0: 'read'$/, listen: /^0: 'read'$/, lines: /^0: 2$/, line: /^0: 'a'$/ }[how] as RegExp,
    );
    assert.is(second, `1: '${REFUSED}'`);
  });
}

test("descriptor 0 and /dev/stdin are the process's for every PE", async () => {
  assert.is(await printed(run("descriptor", "1"), "text"), "1: 'text'\n");
  if (process.platform !== "linux" || !LONG) return;
  // a pipe: what Node.js gives its children is a socket, which no path opens
  assert.is(await printed(["sh", "-c", 'printf text | "$@"', "sh", ...run("file", "1")], ""), "1: 'text'\n");
});

test("the first PE of a world that a PE launches; tagged output has the result, too", async () => {
  const line = [...COMMAND, "-n", "2", "--tag-output", "--", "nested", "0"];
  assert.is(await printed(line, numbers(10)), "0: 10\n");
});

test("a terminal", async () => {
  const [command, ...rest] = run("lines").map((word) => `'${word}'`);
  const text = await printed(["script", "-qec", `${[command, ...rest].join(" ")} | cat`, "/dev/null"], "a\nb\n\u0004");
  assert.match(text, /^0: 2\s*$/m);
});

for (const how of ["nothing", "flowing"]) {
  test(`what is not read to its end keeps no process: ${how}`, async () => {
    assert.is(await printedBeforeEnd(run(how), "x"), `0: '${how === "flowing" ? "some" : how}'\n`);
  });
}

test("an open world that waits for its next run keeps no process either", async () => {
  assert.is(await printedBeforeEnd(launches("idle"), "x"), '["some",null]\n');
});

test("a program that launches keeps its stdin, unless a PE reads", async () => {
  const text = numbers(1000);
  assert.is(await printed(launches("keeps"), text), '[1000,["nothing",null]]\n');
  if (LONG) assert.is(await printed(launches("before"), text), "[1000,[0,null]]\n");
  // the PE has read a chunk ahead, as every reader does
  const [line, left] = JSON.parse(await printed(launches("after"), numbers(1_000_000)));
  assert.is(line, "1");
  assert.ok(left > 900_000 && left < 1_000_000, `${left} lines left`);
});

test("what somebody else reads is refused by name", async () => {
  const child = start(launches("both"));
  child.stdout?.once("data", () => child.stdin?.end("a\nb\n"));
  const { code, stdout, stderr } = await ended(child);
  assert.equal([code, stderr], [0, ""]);
  assert.match(stdout, /^"StateError .*got the program that launched this world, which reads it\. .*"\n2\n$/);
  if (!LONG) return;
  const [refused, [line]] = JSON.parse(await printed(launches("two worlds"), numbers(100_000)));
  assert.match(refused, /^StateError .*got a PE of another world, which reads it\./);
  assert.match(line, /^\d+$/);
});

test("runs of an open world go on in one stream, which ends once", async () => {
  const text = await printed(launches("runs"), "1\n2\n3\n4\n5\n6\n");
  assert.equal(JSON.parse(text), ["1\n2\n", "3\n4\n", "5\n6\n", ""]);
});

eachMpi(
  test,
  "over nodes the launcher gives it to node 0",
  async (kind) => {
    const line = [...mpirun(kind, 2), ...run("lines", "0")];
    assert.is(await printed(line, numbers(1000)), "0: 1000\n");
  },
  inTurn(0),
);

test.run();
