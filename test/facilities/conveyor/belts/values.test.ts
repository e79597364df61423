/** Conveyors of values: nothing is lost, doubled, changed or out of order; and what is wrong about values and functions. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { rounds } from "../../../support/long.ts";
import { testInTurn } from "../../../support/test-in-turn.ts";
import type { Args } from "../programs/values.program.ts";
import { playVirtually } from "../support/seats.ts";
import { passValues, valueTrials, waresOf } from "../support/values.ts";

const program = sibling("../programs/values.program.js", import.meta.url);

const values = suite("values");

values("any values, virtual PEs", () => {
  fc.assert(
    fc.property(valueTrials, fc.constantFrom(1, 2, 3, 4, 6), (trial, pes) => {
      const wares = waresOf(trial);
      playVirtually({ pes, seed: trial.seed, timeout: 1000 }, (pe) => passValues(pe, trial, wares));
    }),
    { numRuns: rounds(40, 20_000) },
  );
});

values("in a mesh a push reserves room in the buffer of its own link alone", () => {
  for (const options of [{}, { of: Float64Array }]) {
    const value = "of" in options ? Float64Array.of(1) : { id: 1 };
    playVirtually({ pes: 12, nodes: 2, timeout: 1000 }, function* (pe) {
      const c = pe.valueConveyor<unknown>({ mesh: [2, 3, 2], ...(options as object) });
      yield* c.begin();
      const links = new Set<number>();
      for (let dest = 0; dest < pe.size; dest++) {
        assert.ok(c.push(dest, value));
        const { ways, outboxes } = sessionOf(c).machinery;
        links.add(ways.link[dest]);
        const open = outboxes.reduce((sum, { at }) => sum + at.filter((place) => place !== 0).length, 0);
        assert.is(open, links.size);
      }
      let got = 0;
      while (yield* c.advance(true)) {
        while (c.pull()) {
          assert.equal(c.value, value);
          got++;
        }
      }
      assert.is(got, pe.size);
      yield* c.reset();
      c.free();
    });
  }
});

values("an urgent value waits in no buffer, and takes those before it along", () => {
  playVirtually({ pes: 4, timeout: 1000 }, function* (pe) {
    const c = pe.valueConveyor<unknown>({ hops: 2 });
    yield* c.begin();
    const dest = (pe.rank + 1) % pe.size;
    assert.ok(c.push(dest, { first: pe.rank }));
    assert.ok(c.pushUrgent(dest, { second: pe.rank }));
    const got: unknown[] = [];
    // without an end of the session
    while (got.length < 2) {
      yield* c.advance();
      while (c.pull()) got.push(c.value);
    }
    const from = (pe.rank + 3) % pe.size;
    assert.equal(got, [{ first: from }, { second: from }]);
    while (yield* c.advance(true));
    yield* c.reset();
    assert.is(c.stats().sentFor.end, 0);
    c.free();
  });
});

for (const pes of [1, 3, 4]) {
  testInTurn<Args>(values, program, pes, [
    ["any values", { part: "pass", trials: rounds(5, 100) }, 0],
    ["whole sessions", { part: "run" }, 0],
    ["whole sessions, two hops", { part: "run", hops: 2 }, 0],
    ["sent and taken", { part: "sent" }, 0],
  ]);
}

values.run();
