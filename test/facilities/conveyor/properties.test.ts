/**
 * The promises of the contract, under seeds and options that are drawn: exactly once, in order, from the right
 * sender, in its session; no PE working while another is at its end; every push taken in the end.
 *
 * A failure prints the smallest scenario that was found, and the command that plays it again.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { root } from "../../support/paths.ts";
import { commandFor, playScenario, type Scenario } from "./support/scenario.ts";
import { scenarios } from "./support/scenarios.ts";

const RUNS = rounds(20, 300_000);

const properties = suite("the contract, simulated");

for (const front of ["rigid", "elastic", "bi", "elastic bi"] as const) {
  properties(front, () => {
    fc.assert(
      fc.property(scenarios(front), (scenario) => void playScenario(scenario)),
      { numRuns: front === "rigid" ? 2 * RUNS : RUNS },
    );
  });
}

properties("what was found once stays found", () => {
  const ring = { pattern: "ring", count: 40, seed: 1791928825 } as const;
  const random = { pattern: "random", count: 4, seed: 740849054, reject: 0.1, burst: 1, lazy: 0.3 } as const;
  const common = { front: "elastic", nodes: 1, jitter: 50, itemBytes: 1, window: 2 } as const;
  const kept: readonly Scenario[] = [
    // two buffers of a link arrived at the same moment, and changed places
    ...Array.from({ length: 15 }, (_, seed) => ({
      ...common,
      options: { type: "tensor", buffersPerLink: 4, bufferBytes: 1000 } as const,
      pes: 12,
      seed,
      stalls: [{ pe: 0, at: 0, lasting: 1000 }],
      sessions: [ring],
    })),
    // a PE that stalled between what it did and its telling so
    {
      ...common,
      options: { type: "tensor", buffersPerLink: 1, bufferBytes: 256, steady: true },
      pes: 4,
      seed: 2147481594,
      stalls: [{ pe: 1, at: 104386, lasting: 100_000 }],
      sessions: [random],
    },
  ];
  for (const scenario of kept) assert.ok(playScenario(scenario).events > 0);
});

properties("the same seed gives the same run, another seed another one", () => {
  fc.assert(
    fc.property(scenarios("rigid"), (scenario) => {
      const first = playScenario(scenario);
      assert.equal(playScenario(scenario), first);
    }),
    { numRuns: rounds(5, 50) },
  );
  const one: Scenario = {
    front: "rigid",
    options: { bufferBytes: 64 },
    pes: 4,
    nodes: 2,
    seed: 1,
    jitter: 1,
    stalls: [],
    itemBytes: 8,
    window: 2,
    sessions: [{ pattern: "random", count: 50, seed: 1 }],
  };
  assert.not(playScenario(one).time === playScenario({ ...one, seed: 2 }).time);
});

properties("a failure names its seed and options, and the command it prints plays it again", () => {
  // an item that is larger than a buffer
  const scenario: Scenario = {
    front: "rigid",
    options: { bufferBytes: 4 },
    pes: 2,
    nodes: 1,
    seed: 77,
    jitter: 0,
    stalls: [],
    itemBytes: 8,
    window: 2,
    sessions: [{ pattern: "random", count: 5, seed: 1 }],
  };
  let message = "";
  try {
    playScenario(scenario);
  } catch (error) {
    ({ message } = error as Error);
  }
  assert.match(
    message,
    /seed 77; again:\nnode dist\/test\/facilities\/conveyor\/support\/replay\.js '\{"front":"rigid"/,
  );
  assert.ok(message.includes(commandFor(scenario)));
  const replay = (what: Scenario) =>
    spawnSync(process.execPath, [join(root, "dist/test/facilities/conveyor/support/replay.js"), JSON.stringify(what)], {
      encoding: "utf8",
    });
  const again = replay(scenario);
  assert.is(again.status, 1);
  assert.match(again.stderr, /bufferBytes/);
  const good = replay({ ...scenario, options: { bufferBytes: 8 } });
  assert.is(good.status, 0, good.stderr);
  assert.match(good.stdout, /^passed: /);
});

properties.run();
