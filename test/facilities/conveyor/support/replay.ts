/** Plays a scenario again that a property test has printed: node dist/test/facilities/conveyor/replay.js '{…}' */
import { playScenario, type Scenario } from "./scenario.ts";

const { time, events, results } = playScenario(JSON.parse(process.argv[2]) as Scenario);
console.log(`passed: ${results.join(", ")} items, ${time} ns, ${events} events`);
