/**
 * Plays programs in which items cause items, on virtual PEs, one for each seed of a range; says how many of the sessions have ended
 * too early, or not at all.
 *
 *     node dist/test/conveyor/support/quiescence.js 0 100000
 */
import { causingOf, playCausing, Wrong } from "./causing.ts";

const [first = 0, end = 10_000] = process.argv.slice(2).map(Number);
const wrong = { early: 0, stuck: 0 };
let items = 0;
for (let seed = first; seed < end; seed++) {
  try {
    items += playCausing(causingOf(seed)).items;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    wrong[error.kind]++;
    console.error(error.message);
  }
}
console.log(
  `${end - first} schedules, ${wrong.early} early, ${wrong.stuck} stuck; ${items} items, seeds ${first} to ${end - 1}`,
);
process.exitCode = wrong.early + wrong.stuck === 0 ? 0 : 1;
