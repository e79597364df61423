/** Every illegal call in every state: the right error, nothing moved, and the session completes. */
import { suite } from "uvu";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { playVirtually } from "./support/seats.ts";
import { all } from "./support/states-all.ts";

const program = sibling("./programs/states.program.js", import.meta.url);

const states = suite("illegal calls");
for (const pes of [1, 3, 6]) {
  states(`${pes} threads`, async () => {
    await launch(program, { pes, timeout: 120_000 });
  });
  for (const { name, play } of all) {
    states(`${name}, ${pes} virtual PEs`, () => {
      playVirtually({ pes, seed: pes }, (pe) => play(pe, {}));
    });
  }
}
states.run();
