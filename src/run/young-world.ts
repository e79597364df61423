/**
 * V8 optimizes later while a world is young, if its PEs fill the CPUs.
 *
 * V8 optimizes code that has run for a budget of bytecodes, by threads of its own. Where PEs fill the CPUs, these take the CPUs
 * from them: in the first sessions of a fresh process, two PEs on two CPUs, they used more CPU time than both PEs, most of it
 * for code that is run a few hundred times, or compiled again when V8 has met more types. With ten times the budget loops
 * over items are optimized some milliseconds later, and most of the rest not at all.
 */
import { setFlagsFromString } from "node:v8";
import { setting } from "../base/settings.ts";

/** V8's own budget, in bytes of bytecode: `node --v8-options`. */
const BUDGET = 67_584;
const YOUNG_BUDGET = 10 * BUDGET;
/** As long as waiting PEs are eager to yield (wait/strategy.ts). */
const YOUNG_MS = 1000;
/** The V8 of Node 20. Later ones count calls, and compile by Maglev before. */
const HAS_BUDGET = /^11\.3\./;

let young = 0;

const setBudget = (budget: number): void => setFlagsFromString(`--interrupt-budget=${budget}`);

/** Whether someone has chosen the budget. */
function isChosen(): boolean {
  const byFlag = process.execArgv.some((argument) => /^--interrupt[-_]budget=/.test(argument));
  return byFlag || setting("optimize") === "soon";
}

/** Begins a world of `pes` PEs on `cores` CPUs; it stays young until it is disposed of, for a second at most. */
export function youngWorld(pes: number, cores: number, ms: number = YOUNG_MS): Disposable {
  if (pes < cores || !HAS_BUDGET.test(process.versions.v8) || isChosen())
    return { [Symbol.dispose]: () => {} };
  young++;
  if (young === 1) setBudget(YOUNG_BUDGET);
  let isYoung = true;
  const grown = (): void => {
    if (!isYoung) return;
    isYoung = false;
    clearTimeout(timer);
    young--;
    if (young === 0) setBudget(BUDGET);
  };
  const timer = setTimeout(grown, ms).unref();
  return { [Symbol.dispose]: grown };
}
