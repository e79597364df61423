/** Rounds in which each PE waits for what all have sent in it, in one session: by maxDelay alone, by flush, by urgent items. */

import { conveyor } from "../../../../src/conveyor.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { PE } from "../../../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../../../src/pe/spmd.ts";

const ROUNDS = 200;

const program: Spmd = spmd((pe: PE) => {
  let delay = 0;
  let flush = 0;
  let got = 0;
  for (const how of ["delay", "flush", "urgent"] as const) {
    const c = conveyor(pe, u32, how === "delay" ? { maxDelay: 0.05, observe: true } : {}).begin();
    const rounds = how === "delay" ? ROUNDS / 2 : ROUNDS / 4;
    const seen = new Uint32Array(pe.size);
    const pull = (): void => {
      while (c.pull()) {
        if (c.item !== seen[c.from]++) throw new Error(`round ${c.item} of PE ${c.from}, not ${seen[c.from] - 1}`);
        got++;
      }
    };
    for (let round = 0; round < rounds; round++) {
      for (let dest = 0; dest < pe.size; dest++) {
        while (!(how === "urgent" ? c.pushUrgent(dest, round) : c.push(dest, round))) {
          c.advance();
          pull();
        }
      }
      if (how === "flush") c.flush();
      while (seen.some((count) => count <= round)) {
        c.advance();
        pull();
      }
    }
    while (c.advance(true)) while (c.pull()) throw new Error("too many");
    c.reset();
    const { sentFor, pushes, buffers } = c.stats();
    if (pushes !== rounds * pe.size) throw new Error(`${pushes} pushes`);
    delay += sentFor.delay;
    flush += sentFor.flush;
    const ages = c.histograms()?.age.reduce((a, b) => a + b, 0) ?? buffers;
    if (ages !== buffers) throw new Error(`${ages} ages of ${buffers} buffers`);
    c.free();
  }
  return { delay, flush, got };
});
export default program;
