/** Shared objects on threads, with as many PEs as cores and with more. */
import { suite } from "uvu";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { kinds, type Play } from "./programs/play.ts";

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

test.run();
