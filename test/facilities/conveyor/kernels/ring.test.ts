/** The kernels of rings by themselves, for replies of every size, against the ring in JavaScript. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Ring, ringTables } from "../../../../src/facilities/conveyor/engine/ring.ts";
import { conveyorKernels } from "../../../../src/facilities/conveyor/kernels/kernels.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import { type WasmMemory, wasm } from "../../../../src/ground/memory/kernels/webassembly.ts";
import { mix } from "../support/payloads.ts";

const memory: WasmMemory = new wasm.Memory({ initial: 4, maximum: 4, shared: true });
const kernels = conveyorKernels(memory);
const { u8, u32 } = viewsOf(memory.buffer);

/** Byte offsets. */
const RING = 1024;
const DESTS = 16_384;
const REPLIES = 32_768;
const TAGS = 65_536;
const RANKS = 70_000;
const SLOTS = 100_000;

const PES = 5;
const WINDOW = 40;
const PLACES = WINDOW + 1;

const ring = suite("kernels of a ring");

for (const stride of [1, 3, 4, 8, 12, 16, 20, 40]) {
  for (const tagged of [false, true]) {
    ring(`${stride} bytes${tagged ? ", tagged" : ""}: each reply gets into the slot of its query`, () => {
      u8.fill(0xee, 0, SLOTS + PLACES * stride);
      // only the counts of what is missing have to be zero
      u32.fill(0, RING / 4 + 2 * PES, RING / 4 + 3 * PES);
      u32.set([3, 0, 4, 1, 2], RANKS / 4);
      const model = new Ring(WINDOW, ringTables(WINDOW, PES));
      model.begin();
      /** By PE: the slots that wait for it, in order. */
      const waiting: number[][] = Array.from({ length: PES }, () => []);
      let serial = 0;
      for (let turn = 0; turn < 300; turn++) {
        const luck = (n: number) => mix(stride, turn, ++serial) % n;
        const count = luck(model.free + 1);
        const before = model.tail;
        for (let i = 0; i < count; i++) {
          const dest = luck(PES);
          u32[DESTS / 4 + i] = dest;
          waiting[dest].push(model.tail);
          model.add(dest);
        }
        assert.is(kernels.enlist(DESTS, 0, count, before, RING, PES, PLACES), model.tail);
        const from = luck(PES);
        const come = luck(waiting[from].length + 1);
        const slots = waiting[from].splice(0, come);
        const bytes = Uint8Array.from({ length: come * stride }, () => luck(256));
        u8.set(bytes, REPLIES);
        if (tagged) {
          // the tag alone is the position
          const place = [3, 0, 4, 1, 2].indexOf(from);
          for (let i = 0; i < come; i++) u8[TAGS - 1 - i] = place;
          kernels.settleTagged(
            ...([REPLIES, TAGS, come, stride, 1, RANKS, 0, 0, 0xff, SLOTS, RING, PES, PLACES] as const),
          );
        } else kernels.settle(REPLIES, come, stride, from, SLOTS, RING, PES, PLACES);
        for (const [i, slot] of slots.entries()) {
          assert.is(model.claim(from), slot);
          const at = SLOTS + slot * stride;
          assert.equal(u8.slice(at, at + stride), bytes.slice(i * stride, (i + 1) * stride));
        }
        const { head, tail } = model;
        const stop = head <= tail ? tail : PLACES;
        let ready = 0;
        while (head + ready < stop && model.present[head + ready] === 1) ready++;
        assert.is(kernels.ready(head, stop - head, RING, PES, PLACES), ready);
        for (let i = luck(ready + 1); i > 0; i--) assert.ok(model.take() >= 0);
      }
      assert.is(u8[SLOTS - 1], 0xee);
    });
  }
}

ring.run();
