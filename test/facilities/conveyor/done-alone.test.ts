/** Simple conveyors while one PE is done and another is not; options that are not what they should be. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyor } from "../../../src/conveyor.ts";
import { sessionOf } from "../../../src/facilities/conveyor/faces/session.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import { choose } from "../../../src/route/geometry/conveyor-choice.ts";
import { type ConveyorOptions, checkRigidOptions } from "../../../src/route/geometry/options.ts";
import { createWorld, join } from "../../../src/running/launch/world.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/done-alone.program.ts";

const program = sibling("./programs/done-alone.program.js", import.meta.url);

const simple = suite("simple conveyors with one PE that is done and one that is not");

/** Virtual ns by which the items have come, and until which PE 0 is not done. */
const QUIET_FROM = 20_000;
const QUIET_TO = 100_000;

simple("nothing counts as progress when nothing is sent", () => {
  const { results } = simulate({ pes: 3 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32, { type: "simple" });
    const { engine } = sessionOf(c).machinery;
    yield* c.begin();
    const seen = { early: 0, quiet: 0, pulled: 0, advances: 0 };
    let pushed = 0;
    while ((yield* c.advance(pe.rank === 0 ? pe.now > QUIET_TO : pushed === 5)) !== DONE) {
      if (engine.moved && pe.now < QUIET_FROM) seen.early++;
      if (engine.moved && pe.now > QUIET_FROM && pe.now < QUIET_TO) seen.quiet++;
      if (pe.now > QUIET_FROM && pe.now < QUIET_TO) seen.advances++;
      for (; pe.rank > 0 && pushed < 5; pushed++) c.push(0, pushed);
      while (c.pull()) seen.pulled++;
    }
    yield* c.reset();
    return seen;
  });
  assert.equal(
    results.map(({ pulled }) => pulled),
    [10, 0, 0],
  );
  for (const { early, quiet, advances } of results) {
    assert.ok(early > 0);
    assert.ok(advances > 0);
    assert.is(quiet, 0);
  }
});

simple("what a PE that is done has pushed arrives though another goes on", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { results } = simulate({ pes: 4, seed, jitter: 2, timeout: 100 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(u32, { type: "simple", bufferBytes: 64 });
      yield* c.begin();
      let pushed = 0;
      let pulled = 0;
      // one after the other: each is done when it has what those before it have sent
      while ((yield* c.advance(pulled === 20 * pe.rank && pushed === 20 * (3 - pe.rank))) !== DONE) {
        while (pulled >= 20 * pe.rank && pushed < 20 * (3 - pe.rank)) {
          if (!c.push(pe.rank + 1 + (pushed % (3 - pe.rank)), pushed)) break;
          pushed++;
        }
        while (c.pull()) pulled++;
      }
      yield* c.reset();
      return pulled;
    });
    assert.equal(results, [0, 20, 40, 60]);
  }
});

simple("a simulation in which one PE is never done ends at its timeout", () => {
  const endless = function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32, { type: "simple" });
    yield* c.begin();
    while ((yield* c.advance(pe.rank > 0)) !== DONE);
  };
  assert.throws(
    () => simulate({ pes: 3, timeout: 1 }, endless),
    (error: Error & { code?: string }) => error.code === "ERR_TUNDISH_TIMEOUT",
  );
});

simple("threads: PE 0 is done when it has what the others have sent", async () => {
  const args: Args = { items: 100, enough: 200 };
  assert.equal(await launchPooled(program, { pes: 3, args, waitTimeout: 30_000 }), [200, 0, 0]);
});

simple("threads: waitTimeout ends a session in which one PE is never done", async () => {
  const args: Args = { items: 100, enough: Number.POSITIVE_INFINITY };
  for (const pes of [2, 3]) {
    const started = performance.now();
    const error = await launchPooled(program, { pes, args, waitTimeout: 500 }).then(
      () => assert.unreachable("the run ended well") as never,
      (error: Error & { code?: string }) => error,
    );
    assert.is(error.code, "ERR_TUNDISH_TIMEOUT", error.stack);
    assert.match(error.message, /waitTimeout/);
    assert.ok(performance.now() - started < 10_000);
  }
});

simple.run();

const options = suite("options of conveyors");

/** As a conveyor is made: checked by themselves first, then with the number of PEs and the size of items. */
function chosen(given: ConveyorOptions) {
  checkRigidOptions(given);
  return choose(given, 8, 4);
}

const refused = (given: unknown) =>
  assert.throws(
    () => chosen(given as ConveyorOptions),
    (error: unknown) => error instanceof UsageError,
  );

const NAMES = [
  "type",
  "hops",
  "groupSize",
  "bufferBytes",
  "buffersPerLink",
  "steady",
  "compress",
  "maxBytes",
  "timeout",
  "signal",
];

options("null and values of other types are refused, undefined is as if left out", () => {
  const usual = chosen({});
  for (const name of NAMES) {
    assert.equal(chosen({ [name]: undefined }), usual, name);
    for (const value of [null, Symbol("x"), 5n, Object.create(null), [], "5", Number.NaN, -1, () => 1]) {
      for (const type of name === "type" ? [] : ["trivial", "simple", "tensor"]) {
        refused({ type, [name]: value });
        refused({ type, hops: 2, [name]: value });
      }
      refused({ [name]: value });
    }
  }
});

options("what is no object of options is refused", () => {
  for (const given of [null, [], [1], "simple", 5, () => {}]) refused(given);
});

options("a group is all PEs, or a part that divides them, whatever the hops", () => {
  for (const hops of [1, 2, 3] as const) {
    refused({ hops, groupSize: 9 });
    refused({ hops, groupSize: 16 });
    refused({ hops, groupSize: 3 });
    chosen({ hops, groupSize: 8 });
  }
});

options("an item that no buffer of a trivial conveyor can hold is told as such", () => {
  assert.is(choose({ type: "trivial" }, 2, 2 ** 28).bufferBytes, 2 ** 28);
  assert.throws(
    () => choose({ type: "trivial" }, 2, 2 ** 28 + 1),
    /items of at most 268435456 bytes with type "trivial", .* got 268435457/,
  );
});

options("what two conveyors share is told as it was given, and with what would be enough for both", () => {
  const made = (maxBytes: number) =>
    simulate({ pes: 2 }, function* (pe) {
      yield;
      pe.biconveyor(u32, u32, (query) => query, { maxBytes }).free();
      pe.elasticBiconveyor((query) => query, { maxBytes: 2 ** 20 }).free();
    });
  let least = 0;
  assert.throws(
    () => made(1),
    ({ message }: Error) => {
      least = Number(
        /maxBytes: expected at least (\d+) bytes for 2 conveyors .* got 1\. Allow more/.exec(message)?.[1],
      );
      return least > 0;
    },
  );
  made(least);
  assert.throws(() => made(least - 1), new RegExp(`at least ${least} bytes .* got ${least - 1}\\.`));
});

options("a signal that is aborted already ends a session that would wait for nobody", async () => {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 22 });
  using pe = await join(host.ticket(0));
  const c = conveyor(pe, u32, { signal: AbortSignal.abort("enough") });
  assert.throws(() => {
    c.begin();
    while (c.advance(true) !== DONE);
    c.reset();
  }, /aborted the conveyor's session: "enough" \[ERR_TUNDISH_ABORTED\]/);
});

options.run();
