/** Arrays that have lost their memory, by a transfer or by free(), are refused where they are pushed: nothing is sent of them. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, elasticConveyor } from "../../../../src/conveyor.ts";
import { createWorld, join, type PE, struct, UsageError, u8, u32 } from "../../../../src/index.ts";

const gone = suite("arrays that are gone");

async function alone(act: (pe: PE) => void): Promise<void> {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  const pe = await join(host.ticket(0));
  try {
    act(pe);
  } finally {
    pe.leave();
  }
}

const refused = (push: () => unknown, text: RegExp): void =>
  assert.throws(push, (error: unknown) => error instanceof UsageError && text.test(error.message));

function transferred<T extends Uint32Array>(array: T): T {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

gone("destinations whose buffer was transferred, where a loop over them would never end", () =>
  alone((pe) => {
    const text = /^pushAll: dests: expected an array with its memory, got one whose buffer was transferred/;
    const dests = transferred(new Uint32Array(10));
    const c = conveyor(pe, u32).begin();
    refused(() => c.pushAll(dests, new Uint32Array(10)), text);
    assert.is(c.pushAll(new Uint32Array(0), new Uint32Array(0)), 0);
    while (c.advance(true));
    c.reset();
    const elastic = elasticConveyor(pe).begin();
    refused(() => elastic.pushAll(dests, new Uint8Array(8), new Uint32Array(1)), text);
    while (elastic.advance(true));
    elastic.reset();
    const b = biconveyor(pe, u32, u32, (x) => x).begin();
    refused(() => b.pushAll(dests, new Uint32Array(10)), text);
    while (b.advance(true));
    b.reset();
  }),
);

gone("columns, destinations and offsets of the heap that were given back", () =>
  alone((pe) => {
    const text = /^pushAll: expected an array with its memory, got one that was given back with free\(\)/;
    const value = pe.alloc(Uint32Array, 8).fill(5);
    const dests = pe.alloc(Uint32Array, 8).fill(0);
    const zeros = new Uint32Array(8);
    const c = conveyor(pe, u32).begin();
    assert.is(c.pushAll(dests, value), 8);
    pe.free(value);
    refused(() => c.pushAll(dests, value), text);
    pe.free(dests);
    refused(() => c.pushAll(dests, zeros), text);
    // memory that is in use again
    pe.alloc(Uint32Array, 8).fill(99);
    refused(() => c.pushAll(zeros, value), text);
    let sum = 0;
    while (c.advance(true)) while (c.pull()) sum += c.item;
    assert.is(sum, 40);
    c.reset();
    const pairs = conveyor(pe, struct({ a: u32, b: u8 })).begin();
    refused(() => pairs.pushAll(zeros, { a: value, b: new Uint8Array(8) }), text);
    while (pairs.advance(true));
    pairs.reset();
    const elastic = elasticConveyor(pe).begin();
    refused(() => elastic.pushAll(new Uint32Array(7), new Uint8Array(8), value), text);
    while (elastic.advance(true));
    elastic.reset();
  }),
);

gone.run();
