/** A little of everything on small worlds: what runs where a processor is emulated, or a setting changes all of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/index.ts";
import { itemsOf } from "./small.program.ts";

const small = suite("small worlds");

for (const pes of [2, 3]) {
  small(`barriers, collectives and conveyors of ${pes} PEs`, async () => {
    const program = sibling("./small.program.js", import.meta.url);
    assert.equal(
      await launch(program, { pes, timeout: 120_000 }),
      Array.from({ length: pes }, (_, rank) => ({ rank, items: itemsOf(pes), arch: process.arch })),
    );
  });
}

small.run();
