/**
 * Plays programs in which items cause items, on virtual PEs, one for each seed of a range; says how many of their sessions have ended
 * too early, or not at all. Each session is a schedule of its own.
 *
 *     node dist/test/conveyor/support/quiescence.js 0 1000
 *     node dist/test/conveyor/support/quiescence.js 0 40000 small     small programs with 25 sessions
 */
import { causingOf, playCausing, Wrong } from "./causing.ts";

const [first = 0, end = 10_000] = process.argv.slice(2, 4).map(Number);
const isSmall = process.argv[4] === "small";
const wrong = { early: 0, stuck: 0 };
let items = 0;
let schedules = 0;
for (let seed = first; seed < end; seed++) {
  try {
    const one = causingOf(seed, isSmall);
    items += playCausing(one).items;
    schedules += one.sessions;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    wrong[error.kind]++;
    console.error(error.message);
  }
}
console.log(
  `${schedules} schedules, ${wrong.early} early, ${wrong.stuck} stuck; ${items} items, seeds ${first} to ${end - 1}`,
);
process.exitCode = wrong.early + wrong.stuck === 0 ? 0 : 1;
