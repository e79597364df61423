/** Conveyors used together, and again and again: none hangs, none loses. */
import { suite } from "uvu";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { LONG } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { playVirtually } from "./support/seats.ts";
import { types, uses } from "./support/uses.ts";

const program = sibling("./programs/uses.program.js", import.meta.url);

const using = suite("conveyors in use");
for (const pes of [1, 4, 8]) {
  using(`all of them: ${pes} threads`, async () => {
    await launchPooled(program, { pes, heapBytes: 2 ** 24, waitTimeout: 60_000 });
  });
}
for (const [i, [name, use]] of Object.entries(uses).entries()) {
  for (const [j, pes] of [1, 4, 8].entries()) {
    for (const [k, options] of types.entries()) {
      // half of them in a plain run, other ones for each use, number of PEs and type; the other half in another run
      if (!LONG && (i + j + k) % 2 !== drawn(2, "uses")) continue;
      using(`${name}: ${pes} virtual PEs, ${JSON.stringify(options)}`, () => {
        playVirtually({ pes, seed: pes, jitter: 1 }, (pe) => use(pe, options));
      });
    }
  }
}
using.run();
