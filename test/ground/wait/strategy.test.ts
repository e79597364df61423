/** How long PEs spin and yield before they park. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chooseStrategy, turnsStrategy } from "../../../src/ground/wait/strategy.ts";

const strategies = suite("strategies");

strategies("a PE that drives conveyors sleeps at once while it is cold, but not where nobody wakes it", () => {
  const strategy = chooseStrategy(true);
  assert.is(turnsStrategy(strategy, 1, 1).cold?.yields, 0);
  assert.ok((turnsStrategy(strategy, 1, 2).cold?.yields as number) > 0);
  assert.is(turnsStrategy(chooseStrategy(false), 1, 2).cold, undefined, "it yields soon anyway");
  assert.is(turnsStrategy(strategy, 1, 2).spins, strategy.spins);
});

strategies.run();
