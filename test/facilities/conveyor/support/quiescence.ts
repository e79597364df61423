/**
 * Plays programs in which items cause items, on virtual PEs, one for each seed of a range; says how many of their sessions have ended
 * too early, or not at all. Each session is a schedule of its own.
 *
 *     node dist/test/facilities/conveyor/support/quiescence.js 0 1000
 *     node dist/test/facilities/conveyor/support/quiescence.js 0 40000 small     small programs with 25 sessions
 */
import { causingOf, playCausing, Wrong } from "./causing.ts";

const [first = 0, end = 10_000] = process.argv.slice(2, 4).map(Number);
const isSmall = process.argv[4] === "small";
const wrong = { early: 0, stuck: 0, failed: 0 };
let items = 0;
let schedules = 0;
for (let seed = first; seed < end; seed++) {
  try {
    const one = causingOf(seed, isSmall);
    items += playCausing(one).items;
    schedules += one.sessions;
  } catch (error) {
    wrong[error instanceof Wrong ? error.kind : "failed"]++;
    console.error(`seed ${seed}: ${(error as Error).message}`);
  }
}
console.log(
  `${schedules} schedules, ${wrong.early} early, ${wrong.stuck} stuck, ${wrong.failed} failed otherwise; ${items} items, seeds ${first} to ${end - 1}`,
);
process.exitCode = wrong.early + wrong.stuck + wrong.failed === 0 ? 0 : 1;
