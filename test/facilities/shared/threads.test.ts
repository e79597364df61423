/** Shared objects on threads, with as many PEs as cores and with more. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/index.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { kinds, type Play } from "./programs/play.ts";
import type { Args } from "./programs/rounds.program.ts";

const test = suite("shared objects on threads");
const module = sibling("./programs/threads.program.js", import.meta.url);
const TURNS = rounds(1000, 200_000);

for (const pes of [2, 5]) {
  for (const kind of kinds) {
    test(`${kind}: ${pes} PEs, ${TURNS} turns each`, async () => {
      const turns = kind === "condition" ? TURNS / 10 : TURNS;
      const args: Play[] = [true, false].map((blocks) => ({
        kind,
        blocks,
        seed: SEED,
        turns: blocks ? turns : turns / 10,
      }));
      await launchPooled(module, { pes, args, waitTimeout: 60_000 });
    });
  }
}

const ROUNDS = rounds(100_000, 10_000_000);
const sections = sibling("./programs/rounds.program.js", import.meta.url);
for (const pes of [2, 4]) {
  for (const ordered of ["on", "off"]) {
    test(`lock: ${ROUNDS} sections of ${pes} PEs, plain stores ${ordered}`, async () => {
      // threads have the environment that is there when they start
      process.env.TUNDISH_ORDERED_STORES = ordered;
      try {
        const args: Args = { rounds: ROUNDS / pes };
        assert.equal(await launch(sections, { pes, args, waitTimeout: 60_000 }), new Array(pes).fill(ROUNDS));
      } finally {
        delete process.env.TUNDISH_ORDERED_STORES;
      }
    });
  }
}

test.run();
