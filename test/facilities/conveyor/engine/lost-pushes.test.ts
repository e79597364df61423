/** A push that returned false and was not repeated is told when the PE is done: its item would be lost in silence. */
import { suite } from "uvu";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launchPooled } from "../../../support/thread-pool.ts";
import { all } from "../support/lost-pushes.ts";
import { playVirtually } from "../support/seats.ts";

const program = sibling("../programs/lost-pushes.program.js", import.meta.url);

const lost = suite("pushes that are not repeated");
for (const pes of [1, 4]) {
  lost(`${pes} threads`, async () => {
    await launchPooled(program, { pes, waitTimeout: 60_000 });
  });
  for (const { name, play } of all)
    lost(`${name}, ${pes} virtual PEs`, () => {
      playVirtually({ pes, seed: pes }, play);
    });
}
lost.run();
