/**
 * Plays exchanges of small blocks under many seeds: node dist/test/facilities/exchange/seeds.js 100000 [seed [kind …]]
 *
 * Kinds: token, barrier, dynamic; "token, barriers" and "dynamic, tokens", with `barrierEvery`. Without any all of them.
 * Prints the number of runs of each; a run that loses, duplicates or reorders blocks, breaks a promise of its
 * discipline, or is stuck, ends the program with fast-check's report, whose seed and path play it again.
 */
import * as fc from "fast-check";
import { play, scenarios } from "./support/scenario.ts";

const SMALL = fc.nat(400);

const KINDS = {
  token: scenarios("token", [undefined], SMALL),
  "token, barriers": scenarios("token", [1, 3, 7], SMALL),
  barrier: scenarios("barrier", [undefined], SMALL),
  dynamic: scenarios("dynamic", [undefined], SMALL),
  "dynamic, tokens": scenarios("dynamic", [0, 0, 0, 2, 7, 40], SMALL),
};
type Kind = keyof typeof KINDS;

const [runs = "1000", first = "1", ...given] = process.argv.slice(2);
const kinds = given.length === 0 ? Object.keys(KINDS) : given;
if (!(Number(runs) > 0) || Number.isNaN(Number(first)) || kinds.some((kind) => !(kind in KINDS))) {
  console.error(`expected a number of runs, a seed, and any of ${Object.keys(KINDS).join("; ")}`);
  process.exit(2);
}
for (const kind of kinds) {
  const began = performance.now();
  fc.assert(
    fc.property(KINDS[kind as Kind], (scenario) => void play(scenario)),
    { numRuns: Number(runs), seed: Number(first) },
  );
  console.log(`${kind}: ${runs} runs of seed ${first}, ${Math.round(performance.now() - began)} ms`);
}
