/** What a program sees of conveyors: members that are documented, and nothing that is inside. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { biconveyor, conveyor, elasticBiconveyor, elasticConveyor, valueConveyor } from "../../../../src/conveyor.ts";
import { f64, struct, u32 } from "../../../../src/ground/item/item-type.ts";
import { createWorld, join } from "../../../../src/index.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";

const shown = suite("what conveyors show");

const OWN = ["rank", "size"];
const ITEMS = ["push", "pull", "item", "pushUrgent", "pushAll", "pullAll", "accumulate", "from", "unpull"];
const PACKETS = ["push", "pushUrgent", "pull", "bytes", "from", "unpull"];
const SESSION = ["state", "features", "explain", "flush", "free", "stats", "histograms", "begin", "advance", "reset"];
const BI = ["state", "features", "explain", "free", "stats", "begin", "advance", "reset", "push", "pull"];
const AWAITED = ["beginAsync", "advanceAsync", "take", "run"];

/** The names of an object, and of its classes. */
function namesOf(c: object): { own: string[]; all: string[] } {
  const all = new Set<string>();
  for (let of = Object.getPrototypeOf(c); of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    for (const name of Object.getOwnPropertyNames(of)) all.add(name);
  }
  all.delete("constructor");
  return { own: Object.getOwnPropertyNames(c).sort(), all: [...all].sort() };
}

function check(c: object, own: readonly string[], ...all: readonly (readonly string[])[]): void {
  assert.equal(namesOf(c), { own: [...own].sort(), all: [...new Set(all.flat())].sort() }, c.constructor.name);
}

shown("of a thread's PE", async () => {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  const pe = await join(host.ticket(0));
  const c = conveyor(pe, u32);
  check(c, OWN, SESSION, ITEMS, AWAITED, ["send", "batches"]);
  // by other methods, which find it in another field
  check(c.begin(struct({ a: u32, b: f64 })), OWN, SESSION, ITEMS, AWAITED, ["send", "batches"]);
  while (c.advance(true));
  c.reset();
  check(elasticConveyor(pe), OWN, SESSION, PACKETS, AWAITED, ["pushAll", "pullAll", "send"]);
  check(valueConveyor(pe), OWN, SESSION, PACKETS, AWAITED, ["value", "send"]);
  const asked = ["item", "pushAll", "pullAll", "runAsync", "ask", "askAll"];
  check(biconveyor(pe, u32, f64, Number), [...OWN, "window"], BI, AWAITED, asked);
  check(
    elasticBiconveyor(pe, (bytes) => bytes),
    [...OWN, "window"],
    BI,
    AWAITED,
    ["bytes"],
  );
  pe.leave();
});

shown("of a virtual PE", () => {
  simulate({ pes: 1 }, function* (pe) {
    check(pe.conveyor(u32), OWN, SESSION, ITEMS);
    check(pe.elasticConveyor(), OWN, SESSION, PACKETS, ["pushAll", "pullAll"]);
    check(pe.valueConveyor(), OWN, SESSION, PACKETS, ["value"]);
    check(pe.biconveyor(u32, f64, Number), [...OWN, "window"], BI, ["item", "pushAll", "pullAll"]);
    check(
      pe.elasticBiconveyor((bytes) => bytes),
      [...OWN, "window"],
      BI,
      ["bytes"],
    );
    yield;
  });
});

shown.run();
