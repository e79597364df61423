/** How the other nodes learn that a world could not start. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PlanError, RankLostError } from "../../../src/base/errors.ts";
import { type ControlPayload, Epoch } from "../../../src/world/nodes/epoch.ts";

const test = suite("epochs");

/** Two nodes; what the first says reaches the second as MPI carries it. */
function twoNodes(): readonly [Epoch, Epoch] {
  const epochs: Epoch[] = [0, 1].map((node) => {
    const sendToAll = (_epoch: number, said: ControlPayload) =>
      epochs[1 - node]?.hear(node, JSON.parse(JSON.stringify(said)) as ControlPayload);
    const nothing = () => {};
    const tagsUsed = new Int32Array(1);
    return new Epoch(
      { node, nodes: 2, tagsUsed, sendToAll, watch: nothing, unwatch: nothing, close: nothing },
      0,
    );
  });
  return [epochs[0] as Epoch, epochs[1] as Epoch];
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
  const [first, second] = twoNodes();
  second.check();
  assert.is(
    first.atAll(() => 5),
    5,
  );
  second.check();
  const misfit = new PlanError(
    "world.nodes",
    "plan.json: world.nodes: expected 2, the number of nodes here, got 3",
  );
  const refuse = () => {
    throw misfit;
  };
  assert.is(
    thrownBy(() => first.atAll(refuse)),
    misfit,
  );
  // the launcher reports every error; this one was reported
  first.fail(misfit);
  const learnt = thrownBy(() => second.check()) as PlanError;
  assert.instance(learnt, PlanError);
  assert.is(learnt.path, "world.nodes");
  assert.is(learnt.code, "ERR_TUNDISH_PLAN");
  assert.is(learnt.message, misfit.message);
});

test("what fails at one node is the loss of that node for the others", () => {
  const [first, second] = twoNodes();
  first.fail(new PlanError("", "plan.json: expected JSON"));
  const learnt = thrownBy(() => second.check()) as RankLostError;
  assert.instance(learnt, RankLostError);
  assert.match(learnt.message, /^Node 0 could not start the world: PlanError: plan\.json: expected JSON/);
  assert.instance(learnt.cause, PlanError);
});

test.run();
