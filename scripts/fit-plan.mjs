// Fits the factors of the model of plans (src/plan/model/fit.ts) to the simulator: `npm run build`, then
//
//   node scripts/fit-plan.mjs collect times.jsonl --network congested --cases 120 --seed 1
//                                           runs the grid for cases that `tundish bench plan` never draws; minutes. What the
//                                           file has is not run again, so it can be stopped and started
//   node scripts/fit-plan.mjs fit times.jsonl --tries 4000 [--seed 1]
//                                           searches, and prints the factors as src/plan/model/fit.ts has them
//   node scripts/fit-plan.mjs check times.jsonl
//                                           how far the choices of the present factors are from the best of these cases
//
// The cases of a fit are drawn by odd seeds, those of the judge by even ones (packages/tundish-bench/src/plan/plan-cases.ts).
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { collect, collected } from "../dist/packages/tundish-bench/src/plan/fit/collect.js";
import { prepared, qualityOf, search } from "../dist/packages/tundish-bench/src/plan/fit/fit.js";
import { readMachine } from "../dist/src/machine/model/model.js";
import { FIT } from "../dist/src/plan/model/fit.js";

const machines = fileURLToPath(new URL("../test/fixtures/machines", import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    network: { type: "string", default: "congested" },
    cases: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    tries: { type: "string", default: "4000" },
  },
});
const [what, ...files] = positionals;
const names = readdirSync(machines).filter((name) => name.endsWith(".json"));
const models = await Promise.all(names.sort().map((name) => readMachine(join(machines, name))));
const seed = Number(values.seed);

const percent = (share) => `${(100 * share).toFixed(1)} %`;
function print(name, { loss, regrets, errors }) {
  const sorted = [...regrets].sort((a, b) => a - b);
  const at = (share) => percent(sorted[Math.floor(share * (sorted.length - 1))]);
  const wrong = [...errors].sort((a, b) => a - b)[Math.floor(errors.length / 2)];
  console.error(
    `${name}: over the best ${at(0.5)} (median), ${at(0.95)} (of 95 %), ${at(1)} (worst) of ${sorted.length} cases; ` +
      `predicted times are off by ${percent(wrong)} (median); loss ${loss.toFixed(4)}`,
  );
}

if (what === "collect") {
  const { network } = values;
  for (const file of files) collect({ file, models, seed, network, cases: Number(values.cases) });
} else if (what === "fit" || what === "check") {
  const cases = prepared(files.flatMap((file) => collected(file, models)));
  let fit = FIT;
  if (what === "fit") fit = search(cases, { tries: Number(values.tries), seed }, () => {});
  for (const network of ["congested", "simple", "none"]) {
    const some = cases.filter(({ swept }) => swept.network === network);
    if (some.length > 0) print(network, qualityOf(some, fit));
  }
  if (what === "fit")
    for (const [name, factor] of Object.entries(fit)) console.log(`  ${name}: ${Number(factor.toPrecision(3))},`);
} else {
  console.error("expected collect, fit or check, and a file; see the head of scripts/fit-plan.mjs");
  process.exitCode = 2;
}
