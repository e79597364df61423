/** The whole process of a program that launches: it ends by itself, with the right exit code, whatever happened. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { LONG } from "../../support/long.ts";
import { fixture } from "../../support/paths.ts";
import type { Args, Fault } from "./faults.program.ts";

const rank = fixture("programs", "world-rank.mjs");
const faults = sibling("./faults.program.js", import.meta.url).href;
const DEADLINE = 120_000;

interface Cause {
  readonly name: string;
  readonly code?: string;
  readonly rank?: number;
  readonly message: string;
}

interface Ended {
  readonly code: number | null;
  readonly results?: unknown[];
  readonly errors?: readonly Cause[];
  readonly stderr: string;
  /** From the line it prints to its end, ms. */
  readonly lingered: number;
}

interface How {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly script?: "world-run.mjs" | "world-unhandled.mjs";
  readonly more?: readonly string[];
}

/** Runs a program that launches a module; fails when it has to be killed. */
async function run(module: string, options: LaunchOptions, how: How = {}): Promise<Ended> {
  const { env, flags = [], script = "world-run.mjs", more = [] } = how;
  const line = [...flags, fixture("programs", script), module, JSON.stringify(options), ...more];
  const child = spawn(process.execPath, line, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const kill = setTimeout(() => child.kill("SIGKILL"), DEADLINE);
  let [stdout, stderr, printed] = ["", "", 0];
  child.stdout.on("data", (data) => {
    stdout += data;
    printed = performance.now();
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  const lingered = performance.now() - printed;
  clearTimeout(kill);
  assert.is(signal, null, `killed by ${signal}: ${stdout}${stderr}`);
  return { code, stderr, lingered, ...(stdout.startsWith("{") ? JSON.parse(stdout) : {}) };
}

/** Command lines of the programs above that still run, where /proc tells. */
function left(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return parent === String(process.pid) && line.includes(fixture("programs")) ? [line] : [];
    } catch {
      return []; // no process, or one that ended meanwhile
    }
  });
}

const processes = suite("processes");

processes("a program that is done ends by itself with exit code 0", async () => {
  const { code, results, stderr, lingered } = await run(rank, { pes: 3 });
  assert.is(code, 0);
  assert.equal(
    (results as { sum: number }[]).map(({ sum }) => sum),
    [3, 3, 3],
  );
  assert.is(stderr, "");
  assert.ok(lingered < 60_000, `${lingered} ms`);
});

processes("without koffi: no binding, waits park by Atomics.wait", async () => {
  const { code, results } = await run(rank, { pes: 4 }, { env: { TUNDISH_NATIVE: "off" } });
  assert.is(code, 0);
  assert.equal(
    (results as { sum: number; cpu: number | null }[]).map(({ sum, cpu }) => [sum, cpu]),
    Array(4).fill([6, null]),
  );
});

const lost: [Fault, string | undefined, How?][] = [
  ["throw", "TypeError"],
  ["exit 3", undefined],
  ["throw in a timer", "Error"],
  ["reject in the background", "Error"],
  ["wait for nothing", undefined],
  ["return early", undefined],
  ["out of memory", "Error", { flags: ["--max-old-space-size=64"] }],
];
for (const [i, [fault, cause, how]] of lost.entries()) {
  // every other one without native calls too in a plain run
  for (const native of LONG || i % 2 === 0 ? ["on", "off"] : ["on"]) {
    for (const pes of native === "off" ? [2] : LONG ? [2, 4] : [i % 2 === 0 ? 2 : 4]) {
      processes(`${fault}, ${pes} PEs, native ${native}: told, and the process ends`, async () => {
        const args: Args = { fault, culprit: 1, wait: "blocks", rounds: 3 };
        const options = { pes, args, timeout: DEADLINE };
        const { code, errors, lingered } = await run(faults, options, {
          ...how,
          env: { TUNDISH_NATIVE: native },
        });
        assert.is(code, 0, "the program has handled the error");
        assert.equal([errors?.[0].name, errors?.[0].rank], ["RankLostError", 1]);
        assert.is(errors?.[1]?.name, cause);
        if (fault === "out of memory") assert.is(errors?.[1].code, "ERR_WORKER_OUT_OF_MEMORY");
        assert.ok(lingered < 60_000, `${lingered} ms`);
      });
    }
  }
}

processes("a PE that loops: the run ends at its timeout and the process with it", async () => {
  const args: Args = { fault: "loop", culprit: 0, wait: "barrier", rounds: 2 };
  const { code, errors, lingered } = await run(faults, { pes: 2, args, timeout: 700 });
  assert.is(code, 0);
  assert.is(errors?.[0].code, "ERR_TUNDISH_TIMEOUT");
  assert.ok(lingered < 60_000, `${lingered} ms`);
});

processes("an error that nobody handles ends the process with exit code 1 and says all", async () => {
  const args: Args = { fault: "throw with cause", culprit: 1, wait: "reduce", rounds: 2 };
  const { code, stderr } = await run(faults, { pes: 2, args }, { script: "world-unhandled.mjs" });
  assert.is(code, 1);
  assert.match(stderr, /RankLostError: PE 1 threw Error: on top/);
  assert.match(stderr, /ERR_TUNDISH_RANK_LOST/);
  assert.match(stderr, /\[cause\]: .*RangeError.*: deep down/);
  assert.match(stderr, /faults\.program/, "with the place where it was thrown");
});

processes("process.exit() in the launching thread ends everything, PEs that wait included", async () => {
  for (const fault of ["loop", "never call"] as const) {
    const args: Args = { fault, culprit: 0, wait: "barrier", rounds: 2 };
    const how = { script: "world-unhandled.mjs", more: ["7", "600"] } as const;
    const { code, stderr } = await run(faults, { pes: 3, args }, how);
    assert.equal([code, stderr], [7, ""]);
  }
});

processes("none of these processes is left", () => assert.equal(left(), []));
processes.run();
