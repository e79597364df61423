/** Channels: messages of some sizes from PE 0 to PE 1, one way and back. */

import type { ChannelKind } from "../../../../src/ground/base/channel-kinds.ts";
import { bytes, type ItemType, u8 } from "../../../../src/ground/item/item-type.ts";
import { channel } from "../../../../src/messages.ts";
import type { PE } from "../../../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../../../src/pe/spmd.ts";
import type { Load, Samples } from "./job.ts";

export interface ChannelsJob {
  readonly backend: ChannelKind;
  readonly loads: readonly Load[];
  readonly batches: number;
}

/** A sender and receiver of messages of some bytes, whose first one is the number of it. */
interface Ends {
  send(i: number): void;
  /** @returns the first byte */
  receive(): number;
  free(): void;
}

function ofBytes(pe: PE, size: number, backend: ChannelKind): Ends {
  const c = channel(pe, 1 - pe.rank, { backend, partBytes: Math.max(64, size) });
  const data = new Uint8Array(size);
  const into = new Uint8Array(size);
  return {
    send(i) {
      data[0] = i;
      c.send(data);
    },
    receive() {
      // copied out, as in C
      into.set(c.receive());
      return into[0] as number;
    },
    free: () => c.free(),
  };
}

function ofItems(pe: PE, size: number, backend: ChannelKind): Ends {
  const item: ItemType = size === 1 ? u8 : bytes(size);
  const c = channel(pe, 1 - pe.rank, { item, backend });
  const data = new Uint8Array(size);
  const send = c.send as (x: unknown) => void;
  return {
    send(i) {
      data[0] = i;
      send(data);
    },
    receive: () => (c.receive() as unknown as Uint8Array)[0] as number,
    free: () => c.free(),
  };
}

function play(pe: PE, { send, receive }: Ends, messages: number, isBoth: boolean): number {
  pe.barrier();
  const began = performance.now();
  let wrong = 0;
  for (let i = 0; i < messages; i++) {
    if (pe.rank === 0) {
      send(i);
      if (isBoth && receive() !== (i & 255)) wrong++;
    } else {
      if (receive() !== (i & 255)) wrong++;
      if (isBoth) send(i);
    }
  }
  if (wrong > 0) throw new Error(`${wrong} of ${messages} messages are not those that were sent`);
  pe.barrier();
  return ((performance.now() - began) * 1e6) / messages;
}

const program: Spmd = spmd((pe: PE, { backend, loads, batches }: ChannelsJob): Samples[] => {
  const all: Samples[] = [];
  for (const { bytes: size, messages } of loads) {
    for (const [name, make] of [
      [backend, ofBytes],
      [`${backend}, items`, ofItems],
    ] as const) {
      // items of many bytes are what channels of bytes are for
      if (make === ofItems && (size > 1024 || size < 2)) continue;
      const ends = make(pe, size, backend);
      for (const what of ["one way", "round trip"] as const) {
        const samples: number[] = [];
        for (let batch = -1; batch < batches; batch++) {
          const ns = play(pe, ends, messages, what === "round trip");
          if (batch >= 0) samples.push(ns);
        }
        all.push({ name, what: `${what}, ${size} B`, batch: messages, samples });
      }
      ends.free();
    }
  }
  return all;
});
export default program;
