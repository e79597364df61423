/** The hosts of ./hosts.ts themselves: how they are made, and that nothing of them stays. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { testUnless } from "../../support/skip.ts";
import { makeHosts, whyNoHosts } from "./hosts.ts";
import { namesOf } from "./namespaces.ts";

const PROGRAM = fileURLToPath(new URL("./hosts.program.js", import.meta.url));
const missing = await whyNoHosts();
const test = suite("hosts");
test.after.each(() => assert.equal(namesOf(process.pid), []));

/** Whether one host reaches another: a connection to a port that is closed is refused at once, over a link that is cut it waits. */
function reaches(from: string, address: string): boolean {
  const connect = `const s = require("net").connect(9, "${address}");
    s.on("error", (e) => process.exit(e.code === "ECONNREFUSED" ? 0 : 1)); setTimeout(() => process.exit(1), 1000);`;
  return spawnSync("ip", ["netns", "exec", from, process.execPath, "-e", connect]).status === 0;
}

testUnless(test, missing, "hosts reach each other, over links that can be cut and restored", async () => {
  await using hosts = makeHosts(3);
  const [first, second] = hosts.names as [string, string];
  const [, to, other] = hosts.addresses as [string, string, string];
  assert.ok(reaches(first, to) && reaches(first, other));
  hosts.cut(1);
  assert.not(reaches(first, to), "to it");
  assert.not(reaches(second, other), "from it");
  assert.ok(reaches(first, other));
  hosts.restore(1);
  assert.ok(reaches(first, to) && reaches(second, other));
});

testUnless(test, missing, "two sets at the same time know nothing of each other", async () => {
  await using one = makeHosts(1);
  await using other = makeHosts(1);
  assert.is.not(one.net, other.net);
  assert.not(reaches(one.names[0] as string, other.addresses[0] as string));
});

testUnless(test, missing, "hosts that could not be made leave nothing", () => {
  assert.throws(() => makeHosts(1, { limits: { 0: "fast" } }), /^tc .*fast/);
});

/** A process that makes hosts and ends: by itself or by a signal. */
async function endOf(what: "wait" | "throw", signal?: NodeJS.Signals) {
  const child = spawn(process.execPath, [PROGRAM, what], { stdio: ["ignore", "pipe", "ignore"] });
  const closed = once(child, "close");
  const [said] = await once(child.stdout, "data");
  const sleeping = Number(/^pids (\d+)/.exec(String(said))?.[1]);
  if (signal) child.kill(signal);
  const [code] = await closed;
  return { code: code as number | null, pid: child.pid as number, sleeping };
}

for (const [what, signal, expected] of [
  ["throw", undefined, 1],
  ["wait", "SIGTERM", 143],
  ["wait", "SIGINT", 130],
] as const) {
  testUnless(test, missing, `nothing stays after ${signal ?? "an error"}`, async () => {
    const { code, pid, sleeping } = await endOf(what, signal);
    assert.is(code, expected);
    assert.equal(namesOf(pid), []);
    assert.not(existsSync(`/proc/${sleeping}/fd/0`));
  });
}

testUnless(test, missing, "what a killed process has left, the next one removes", async () => {
  const { pid, sleeping } = await endOf("wait", "SIGKILL");
  assert.is(namesOf(pid).length, 6);
  await using _ = makeHosts(1);
  assert.equal(namesOf(pid), []);
  assert.not(existsSync(`/proc/${sleeping}/fd/0`));
});

test.run();
