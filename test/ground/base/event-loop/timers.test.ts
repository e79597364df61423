/** One clock for all threads and processes of the machine, which does not step. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { machineClock } from "../../../../src/ground/base/event-loop/timers.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";

const program = sibling("./clock.program.js", import.meta.url);
/** Nobody reads two clocks at once, ms. */
const SLACK = 5;

const test = suite("clocks");

/** That a time was read between two others. */
function between(before: number, time: unknown, after: number): void {
  assert.type(time, "number");
  const told = `${before} <= ${time} <= ${after}`;
  assert.ok((time as number) >= before - SLACK && (time as number) <= after + SLACK, told);
}

test("the machine's clock is the same in a thread that is started later", async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = machineClock();
  const worker = new Worker(program);
  const [time] = await once(worker, "message");
  between(before, time, machineClock());
});

test("and in another process", () => {
  const before = machineClock();
  const time = Number(execFileSync(process.execPath, [program.pathname], { encoding: "utf8" }));
  between(before, time, machineClock());
});

test("it does not step with the clock of the day", () => {
  const { now } = Date;
  const before = machineClock();
  Date.now = () => now() + 3_600_000;
  try {
    assert.ok(machineClock() - before < 1_800_000);
  } finally {
    Date.now = now;
  }
});

test.run();
