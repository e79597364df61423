/** A conveyor made like the one before takes over what was prepared for it, and nothing else. */

import { setFlagsFromString } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyor } from "../../../src/conveyor.ts";
import { type SessionFace, sessionOf } from "../../../src/facilities/conveyor/faces/session.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { type ItemType, struct, u32 } from "../../../src/ground/item/item-type.ts";
import { createWorld, join } from "../../../src/index.ts";
import type { PE } from "../../../src/pe/pe.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";

const again = suite("conveyors made again");

/** A world of one PE. */
async function alone(play: (pe: PE) => void): Promise<void> {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  const pe = await join(host.ticket(0));
  play(pe);
  pe.leave();
}

again("options that were changed in between count", () =>
  alone((pe) => {
    const options: { -readonly [K in keyof ConveyorOptions]: ConveyorOptions[K] } = { bufferBytes: 256 };
    assert.match(conveyor(pe, u32, options).explain(), "256");
    options.bufferBytes = 512;
    assert.match(conveyor(pe, u32, options).explain(), "512");
    options.steady = true;
    assert.is(conveyor(pe, u32, options).features.steady, true);
    delete options.steady;
    assert.is(conveyor(pe, u32, options).features.steady, false);
    options.bufferBytes = 0;
    assert.throws(
      () => conveyor(pe, u32, options),
      (error: Error) => error instanceof UsageError,
    );
    assert.match(conveyor(pe, u32, { bufferBytes: 512 }).explain(), "512");
    assert.throws(
      () => conveyor(pe, u32, null as never),
      (error: Error) => error instanceof UsageError,
    );
  }),
);

again("memory that was full of something else", () =>
  alone((pe) => {
    const item = struct({ a: u32, b: u32 });
    for (const type of [u32, item, u32] as readonly ItemType[]) {
      // every word of the block that the conveyor gets is set
      const junk = pe.alloc(Uint32Array, 50_000).fill(0xffff_ffff);
      pe.free(junk);
      const c = conveyor(pe, type, { observe: true }).begin();
      let sum = 0;
      for (let i = 0; c.advance(i === 5000); ) {
        for (; i < 5000; i++)
          if (!(c.push as (...values: number[]) => boolean)(0, i, ...(type === u32 ? [] : [1]))) break;
        while (c.pull()) sum += type === u32 ? (c.item as number) : (c.item as { a: number }).a;
      }
      c.reset();
      assert.is(sum, (5000 * 4999) / 2);
      c.free();
    }
  }),
);

again("conveyors made one after another have parts of one shape, so that compiled code stays", () =>
  alone((pe) => {
    setFlagsFromString("--allow-natives-syntax");
    const areAlike = new Function("a", "b", "return %HaveSameMap(a, b);") as (a: object, b: object) => boolean;
    setFlagsFromString("--no-allow-natives-syntax");
    const partsOf = (c: SessionFace): object[] => {
      const belt = sessionOf(c);
      const { machinery } = belt;
      return [c, belt, machinery, machinery.inbox, ...machinery.outboxes.flatMap((outbox) => [outbox, outbox.packing])];
    };
    let before: object[] | null = null;
    for (let i = 0; i < 40; i++) {
      const c = conveyor(pe, u32).begin();
      c.push(0, 1);
      while (c.advance(true)) while (c.pull());
      c.reset();
      const parts = partsOf(c);
      for (const [k, part] of (before ?? parts).entries())
        assert.ok(areAlike(part, parts[k] as object), `part ${k} of conveyor ${i}`);
      before = parts;
      c.free();
    }
  }),
);

again.run();
