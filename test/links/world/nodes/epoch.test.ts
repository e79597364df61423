/** How the other nodes learn that a world could not start. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PlanError, RankLostError } from "../../../../src/ground/base/errors.ts";
import type { Epoch } from "../../../../src/links/world/nodes/epoch.ts";
import { Epochs } from "./support/epochs.ts";

const test = suite("epochs");

/** Two nodes, and what lets them hear each other. */
function twoNodes(): readonly [Epoch, Epoch, () => void] {
  const epochs = new Epochs(2);
  return [epochs.all[0], epochs.all[1], () => epochs.deliver()];
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test("what fails at all nodes alike is the reason at each, whoever is first", () => {
  const [first, second, deliver] = twoNodes();
  second.check();
  assert.is(
    first.atAll(() => 5),
    5,
  );
  deliver();
  second.check();
  const misfit = new PlanError("world.nodes", "plan.json: world.nodes: expected 2, the number of nodes here, got 3");
  const refuse = () => {
    throw misfit;
  };
  assert.is(
    thrownBy(() => first.atAll(refuse)),
    misfit,
  );
  // the launcher reports every error; this one was reported
  first.fail(misfit);
  deliver();
  const learnt = thrownBy(() => second.check()) as PlanError;
  assert.instance(learnt, PlanError);
  assert.is(learnt.path, "world.nodes");
  assert.is(learnt.code, "ERR_TUNDISH_PLAN");
  assert.is(learnt.message, misfit.message);
});

test("what fails at one node is the loss of that node for the others", () => {
  const [first, second, deliver] = twoNodes();
  first.fail(new PlanError("", "plan.json: expected JSON"));
  deliver();
  const learnt = thrownBy(() => second.check()) as RankLostError;
  assert.instance(learnt, RankLostError);
  assert.match(learnt.message, /^Node 0 could not start the world: PlanError: plan\.json: expected JSON/);
  assert.instance(learnt.cause, PlanError);
});

test.run();
