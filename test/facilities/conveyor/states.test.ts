/** Every illegal call in every state: the right error, nothing moved, and the session completes. */
import { suite } from "uvu";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { LONG } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/states.program.ts";
import { playVirtually } from "./support/seats.ts";
import { all } from "./support/states-all.ts";

const program = sibling("./programs/states.program.js", import.meta.url);

const states = suite("illegal calls");
/** A plain run has each conveyor on one thread or on three, and on two of three numbers of virtual PEs: which is drawn. */
const FIRST = drawn(2, "states");
for (const [world, pes] of [1, 3, 6].entries()) {
  states(`${pes} threads`, async () => {
    const args: Args = LONG ? {} : { half: (FIRST + world) % 2 };
    await launchPooled(program, { pes, args, heapBytes: 2 ** 26, waitTimeout: 60_000 });
  });
  for (const [i, { name, play }] of all.entries()) {
    if (!LONG && drawn(3, "virtual states", i) === world) continue;
    states(`${name}, ${pes} virtual PEs`, () => {
      playVirtually({ pes, seed: pes }, (pe) => play(pe, {}));
    });
  }
}
states.run();
