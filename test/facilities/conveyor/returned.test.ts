/** What sinks, sources, answers and handlers return: PUT_BACK, a promise, or something that does not matter. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, elasticBiconveyor, elasticConveyor, PUT_BACK, selector } from "../../../src/conveyor.ts";
import { bytes, createWorld, join, type PE, struct, u32 } from "../../../src/index.ts";

const returned = suite("what is returned");

/** A world of one PE, in this thread. */
async function alone(act: (pe: PE) => unknown): Promise<void> {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  const pe = await join(host.ticket(0));
  try {
    await act(pe);
  } finally {
    host.close();
    pe.leave();
  }
}

const refusal = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${message}`;
  }
  return "nothing";
};

/** As all that returns promises, of a type that is allowed. */
const later = (() => Promise.resolve()) as () => never;
/** Something else that `await` waits for. */
// biome-ignore lint/suspicious/noThenProperty: that is what it is about
const thenable = { then: (resolve: () => void) => resolve() };
// biome-ignore lint/suspicious/noThenProperty: and this is nothing of the kind
const noThenable = { then: 5 };
const nothing = () => {};
const timeout = 5000;

returned("false, and whatever else is no promise, does not matter", () =>
  alone((pe) => {
    const seen = new Set<number>([2]);
    const taken: boolean[] = [];
    const c = conveyor(pe, u32, { timeout });
    const source = (push: (dest: number, value: number) => void) => {
      for (const item of [1, 2, 2]) push(0, item);
    };
    c.run(source, (item) => {
      taken.push(seen.delete(item));
      return taken.at(-1);
    });
    assert.equal(taken, [false, true, false]);
    for (const value of [null, 0, "", seen, noThenable, [], Symbol("x")]) c.run(source, () => value as null);
    const { pulls, unpulls } = c.stats().cumulative;
    assert.equal([pulls, unpulls], [24, 0]);
  }),
);

returned("PUT_BACK puts an item back", () =>
  alone((pe) => {
    const items: unknown[] = [];
    const twice = (item: unknown) => (items.push(item) % 2 === 1 ? PUT_BACK : undefined);
    conveyor(pe, u32, { timeout }).run((push) => {
      push(0, 7);
      push(0, 8);
    }, twice);
    elasticConveyor(pe, { timeout }).run(
      (push) => push(0, Uint8Array.of(9)),
      ([first]) => twice(first),
    );
    assert.equal(items, [7, 7, 8, 8, 9, 9]);
    assert.is(PUT_BACK, Symbol.for("tundish.PUT_BACK"), "the same in every copy of the package");
  }),
);

/** Async, which no type allows. */
const promising = (async () => {}) as never;

/** By name: what refuses it before anything has begun. */
const early: Readonly<Record<string, (pe: PE) => unknown>> = {
  "sink, batches\\(\\)": (pe) => conveyor(pe, u32).run(nothing, promising),
  "source, batches\\(\\)": (pe) => conveyor(pe, u32).run(promising, nothing),
  "sink, loop": (pe) => elasticConveyor(pe).run(nothing, promising),
  "sink, ask\\(\\)": (pe) => biconveyor(pe, u32, u32, (x) => x).run(nothing, promising),
  "source, loop": (pe) => elasticBiconveyor(pe, (query) => query).run(promising, nothing),
  "is not async, an async one, reply at once": (pe) => biconveyor(pe, u32, u32, (async (x: number) => x) as never),
  "is not async, reply at once": (pe) => elasticBiconveyor(pe, (async (x: Uint8Array) => x) as never),
  "mailbox a": (pe) => selector(pe, { a: u32 }).run(nothing, { a: promising }),
};

returned("what is async is refused, and nothing has begun", () =>
  alone((pe) => {
    for (const [words, call] of Object.entries(early)) {
      const message = refusal(() => call(pe));
      assert.match(message, /^ERR_TUNDISH_USAGE/, words);
      for (const word of words.split(", ")) assert.match(message, new RegExp(word));
    }
    pe.barrier();
  }),
);

const one = (push: (dest: number, value: number) => void): void => push(0, 1);
const oneByte = (push: (dest: number, value: Uint8Array) => void): void => push(0, Uint8Array.of(1));

/** By name: what ends its session when something returns a promise. */
const late: Readonly<Record<string, (pe: PE) => unknown>> = {
  "the sink, batches\\(\\)": (pe) => conveyor(pe, u32, { timeout }).run(one, later),
  "the sink returned a promise": (pe) =>
    conveyor(pe, struct({ a: u32 }), { timeout }).run(one, () => thenable as never),
  "the source, batches\\(\\)": (pe) => conveyor(pe, u32, { timeout }).run(later, nothing),
  "the source returned a promise": (pe) => conveyor(pe, u32, { timeout }).run(() => thenable as never, nothing),
  "the sink, loops over push": (pe) => elasticConveyor(pe, { timeout }).run(oneByte, later),
  "the sink, ask\\(\\)": (pe) => biconveyor(pe, u32, u32, (x) => x, { timeout }).run(one, later),
  "the sink returned PUT_BACK": (pe) => biconveyor(pe, u32, u32, (x) => x, { timeout }).run(one, () => PUT_BACK),
  "the sink returned a promise, loop": (pe) => elasticBiconveyor(pe, (x) => x, { timeout }).run(oneByte, later),
  "biconveyor: the answer returned a promise, at once": (pe) =>
    biconveyor(pe, u32, u32, later as never, { timeout }).run(one, nothing),
  "the answer returned a promise": (pe) =>
    biconveyor(pe, u32, struct({ a: u32, b: bytes(2) }), later as never, { timeout }).run(one, nothing),
  "elasticBiconveyor: the answer returned a promise, at once": (pe) =>
    elasticBiconveyor(pe, later as never, { timeout }).run(oneByte, nothing),
  "the handler of mailbox a returned a promise": (pe) =>
    selector(pe, { a: u32 }, { timeout }).run((send) => send.a(0, 1), { a: later }),
  "the handler of mailbox a returned PUT_BACK": (pe) =>
    selector(pe, { a: u32 }, { timeout }).run((send) => send.a(0, 1), { a: () => PUT_BACK }),
};

for (const [words, call] of Object.entries(late)) {
  returned(words.replaceAll("\\", ""), () =>
    alone((pe) => {
      const message = refusal(() => call(pe));
      assert.match(message, /^ERR_TUNDISH_USAGE/);
      for (const word of words.split(", ")) assert.match(message, new RegExp(word));
    }),
  );
}

returned.run();
