/**
 * Documents with random faults, through their readers and to their users: each ends in an error of ours or in a result,
 * within limits of time and memory. That schema and reader refuse the same ones is tested beside each format.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../src/ground/base/errors.ts";
import { parseReport } from "../../src/interface/report/file.ts";
import { reportPage } from "../../src/interface/report/page/page.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";
import { fullReport } from "../interface/report/support/reports.ts";
import { choosing, samplePlan } from "../plan/support/sample.ts";
import type { Loose } from "../support/broken-documents.ts";
import { rounds } from "../support/long.ts";
import { runCases } from "../support/many-cases.ts";
import { thrownBy } from "../support/thrown.ts";
import { faultsOf } from "./support/schemas.ts";

const test = suite("documents with faults");
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Loose;

for (const kind of ["machine", "trees", "plan", "network", "report", "cli"]) {
  test(`${kind}: an error of ours, or a result`, async () => {
    const cases = rounds(kind === "cli" ? 40 : 60, kind === "cli" ? 3000 : 10_000);
    const outcomes = await runCases(new URL("./mutated.program.js", import.meta.url), cases, kind);
    const { used = 0, refused = 0, "refused in use": late = 0 } = outcomes;
    assert.ok(used > 0 && refused + late > cases / 3, JSON.stringify(outcomes));
  });
}

test("times of a report are above 0, and quartiles around the median", async () => {
  const full = asJson(await fullReport());
  const withTime = (part: string, time: Loose) => {
    const copy = structuredClone(full);
    Object.assign(((copy[part] as Loose).times as Loose[])[0] as Loose, time);
    return copy;
  };
  for (const part of ["predictions", "collectives", "starts", "conveyors"]) {
    for (const name of ["ns", "low", "high", "mode"]) {
      for (const value of [0, 5e-324, 1e16]) {
        const copy = withTime(part, { [name]: value });
        const error = thrownBy(() => parseReport(copy)) as UsageError & { path: string };
        assert.instance(error, UsageError);
        assert.is(error.path, `${part}.times.0.${name}`);
        assert.match(error.message, /expected a time in ns, from 1e-6 to 2\^53, got /);
        assert.not.equal(faultsOf("report.json", copy), "");
      }
    }
    for (const [name, time, expected] of [
      ["low", { low: 201 }, "at most 200, the median, got 201"],
      ["high", { high: 199 }, "at least 200, the median, got 199"],
    ] as const) {
      const error = thrownBy(() => parseReport(withTime(part, time))) as Error;
      assert.ok(error.message.startsWith(`${part}.times.0.${name}: expected ${expected}`), error.message);
    }
    reportPage(parseReport(withTime(part, { ns: 2 ** 53, low: 1e-6, high: 2 ** 53 })));
  }
});

test("a plan that would be absurd is refused by its field, its value and what is allowed", () => {
  const exchanges = (choice: Loose, expected?: Loose) => ({
    ...samplePlan(),
    exchanges: { rows: { workload: { bytes: 2 ** 40 }, choice, ...(expected && { expected }) } },
  });
  const swapped = asJson(samplePlan());
  const entry = (swapped as unknown as ReturnType<typeof samplePlan>).conveyors["*"]?.expected as unknown as Loose;
  [entry.work, entry.time] = [entry.time, entry.work];
  const phase = { discipline: "token", chunkBytes: 65_536, time: 10, network: 8, crowd: 1, rounds: 2 };
  for (const [plan, message] of [
    [swapped, /^conveyors\.\*\.expected\.time: expected 2100, the longer of work \(1500\) and network .*, got 900/],
    [
      samplePlan({ "*": choosing({ hops: 2, window: [1, 2] } as never) }),
      /^conveyors\.\*\.choice\.window: expected no window, which is a choice of exchanges, got \[ 1, 2 \]/,
    ],
    [exchanges({ hops: 2 }), /^exchanges\.rows\.choice\.hops: expected no hops, which is a choice of conveyors, got 2/],
    [exchanges({ window: [1, 2] }), /^exchanges\.rows\.choice\.window: expected a whole number from 1 to 31, got \[/],
    [
      exchanges({ chunkBytes: 1 }),
      /^exchanges\.rows\.choice\.chunkBytes: expected at least 16384, for no more than .*, got 1/,
    ],
    [
      exchanges({ pace: 1e-9 }),
      /^exchanges\.rows\.choice\.pace: expected a number of bytes per second from 1000 to 2\^53/,
    ],
    [
      exchanges({ pace: 1000 }),
      /^exchanges\.rows\.choice\.pace: expected at least 12725830, for a phase of at most 86400 s with .*, got 1000/,
    ],
    [
      exchanges({ pace: 1000 }, { ...phase, time: 25_000 }),
      /^exchanges\.rows\.choice\.pace: expected at least \d+, for a phase of at most 10 s with .*, got 1000/,
    ],
    [
      exchanges({ pace: 1000 }, { ...phase, time: 25_000_000 }),
      /^exchanges\.rows\.choice\.pace: expected at least \d+, for a phase of at most 25 s with .*, got 1000/,
    ],
    [exchanges({}, phase), /^exchanges\.rows\.expected\.time: expected at least 11, the sum of network .*, got 10/],
    [
      { ...samplePlan(), world: { pes: 2 ** 21, nodes: 1, pesOfNode: [2 ** 21] } },
      /^world\.pes: expected a whole number from 1 to 1048576, got 2097152/,
    ],
  ] as const) {
    const error = thrownBy(() => parsePlan(asJson(plan))) as Error;
    assert.match(error.message, message);
  }
});

test("the kind of a topology is a text", () => {
  const network = { topology: { kind: ["full"], byte: 1 } } as never;
  const error = thrownBy(() => simulate({ pes: 4, nodes: 2, network }, function* () {})) as Error;
  assert.match(error.message, /^network\.topology: expected an object with kind, which is one of full, mesh, fat-tree/);
});

test.run();
