/** Disciplines of conveyors: who chooses them, what is refused, and what goes wrong under one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError, PlanError, RankLostError, TimeoutError, UsageError } from "../../../src/ground/base/errors.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { type SimulatedPE, type SimulatedProgram, simulate } from "../../../src/running/simulate/simulate.ts";
import { choosing, samplePlan } from "../../plan/support/sample.ts";

/** What `explain` says, the same at all PEs. */
function told(options: ConveyorOptions, world: Partial<SimulationOptions> = {}): string {
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const { results } = simulate({ pes: 8, nodes: 2, ...world }, function* (pe: SimulatedPE) {
    return pe.conveyor(u32, options).explain();
  });
  assert.is(new Set(results).size, 1);
  return results[0] as string;
}

function failure(program: SimulatedProgram, world: Partial<SimulationOptions> = {}): Error {
  try {
    simulate({ pes: 4, nodes: 2, ...world }, program);
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

/** The error of making a conveyor. */
function refused(options: object, world?: Partial<SimulationOptions>): Error {
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const error = failure(function* (pe) {
    pe.conveyor(u32, options as ConveyorOptions);
  }, world);
  return (error.cause ?? error) as Error;
}

const test = suite("disciplines of conveyors");

test("which there are", () => {
  const error = refused({ discipline: "static" });
  assert.instance(error, UsageError);
  assert.match(
    error.message,
    /^discipline: expected one of "eager", .* \(static needs all sizes before anything is sent\), got "static"/,
  );
  for (const type of ["simple", "trivial"] as const) {
    assert.match(
      refused({ type, discipline: "token" }).message,
      new RegExp(`^discipline: a ${type} conveyor has none, got "token"\\. Leave it out, or take type: "tensor"`),
    );
    assert.not.match(told({ type, discipline: "eager" }), "discipline");
  }
});

test("told", () => {
  assert.match(
    told({ discipline: "token", hops: 1 }),
    "\n  discipline token, hop 1: a PE sends to the PE whose token it holds; tokens are passed around\n",
  );
  assert.match(told({ discipline: "dynamic", hops: 2 }), /\n {2}discipline dynamic, hop 2: /);
  assert.not.match(told({}), "discipline");
});

test("chosen by a plan", () => {
  const plan = samplePlan({
    "*": choosing({ type: "tensor", hops: 2, groupSize: 4, discipline: "token" }),
    edges: choosing({ type: "tensor", hops: 1, bufferBytes: 512, buffersPerLink: 1 }),
    own: choosing({ discipline: "barrier" }),
  });
  const by = (options: ConveyorOptions) => told(options, { plan });
  assert.match(by({}), "discipline token, hop 2");
  assert.match(by({ name: "own" }), "discipline barrier, hop 2");
  // the entry leaves it open, and nothing else
  assert.match(by({ name: "edges" }), "discipline token, hop 1");
  assert.match(by({ discipline: "dynamic" }), "discipline dynamic");
  assert.match(by({ discipline: "dynamic" }), /discipline: dynamic, given at the call, not token as in conveyors/);
  assert.not.match(by({ discipline: "eager" }), /discipline eager/);
  assert.match(by({ type: "simple" }), /discipline: eager, as type is simple, given at the call, not token/);
  // groups that are not possible elsewhere
  assert.match(told({}, { plan, fit: "adapt", pes: 6, nodes: 3 }), /discipline token, hop/);
  const simple = samplePlan({ "*": choosing({ type: "simple" }) });
  assert.match(
    told({ discipline: "token" }, { plan: simple }),
    /type: tensor, for discipline token, given at the call/,
  );
  assert.match(told({ discipline: "token", load: 10 }), /^tensor, .*\n(.*\n)* {2}forced: discipline\n/m);
});

test("a plan that contradicts itself", () => {
  const plan = samplePlan({ "*": choosing({ type: "simple", discipline: "token" }) });
  const error = refused({ plan });
  assert.instance(error, PlanError);
  assert.is((error as PlanError).path, "conveyors.*.choice.discipline");
});

test("PEs with different ones", () => {
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const error = failure(function* (pe) {
    pe.conveyor(u32, { discipline: pe.rank === 1 ? "token" : "eager" });
  });
  assert.instance(error, MismatchError);
  assert.match(error.message, "discipline token");
});

for (const discipline of ["token", "dynamic", "barrier", "cyclic-shift"] as const) {
  const everyone = (onAdvance: (pe: SimulatedPE, turn: number) => void, options: ConveyorOptions = {}) =>
    function* (pe: SimulatedPE): Generator<void, void, void> {
      const c = pe.conveyor(u32, { discipline, bufferBytes: 64, ...options });
      yield* c.begin();
      for (let i = 0, turn = 0; (yield* c.advance(i === 1000)) !== DONE; turn++) {
        for (; i < 1000 && c.push(i % pe.size, i); i++);
        while (c.pull());
        onAdvance(pe, turn);
      }
      yield* c.reset();
    };

  test(`${discipline}: a PE that throws`, () => {
    const error = failure(
      everyone((pe, turn) => {
        if (pe.rank === 2 && turn === 5) throw new TypeError("something");
      }),
    );
    assert.instance(error, RankLostError);
    assert.match(error.message, "PE 2 threw TypeError: something");
  });

  test(`${discipline}: a PE that crashes`, () => {
    for (let seed = 0; seed < 10; seed++) {
      const faults = [{ kind: "crash", pe: seed % 4, at: 1000 + 3777 * seed }] as const;
      assert.match(
        failure(
          everyone(() => {}),
          { seed, faults },
        ).message,
        "crashed",
      );
    }
  });

  test(`${discipline}: a PE that is never done ends with the timeout`, () => {
    const error = failure(function* (pe) {
      const c = pe.conveyor(u32, { discipline, timeout: 1 });
      yield* c.begin();
      while ((yield* c.advance(pe.rank > 0)) !== DONE) while (c.pull());
    });
    assert.instance(error, TimeoutError);
    assert.match(error.message, "longer than 1 ms");
  });
}

test.run();
