/**
 * Fits the factors of the model (src/plan/model/fit.ts) to times of the simulator.
 *
 * The fit minimizes the regret of the choice that the model makes: how much longer it takes than the best. As the
 * choice is a step function of the factors, each case has instead a mean over all choices, weighed by how near their
 * predictions are to the least (a softmin). The square is added, as the worst cases count most, and a little of the
 * error of the predicted times.
 *
 * The search changes a few factors at a time, by random amounts that become smaller, and keeps what is better. It is
 * cheap and finds no certain optimum; a longer search, or another seed, may find a better one. The same cases, start,
 * seed and number of tries give the same factors everywhere. scripts/fit-plan.mjs runs it.
 */

import { randomNumbers } from "../../../../../src/ground/base/random.ts";
import type { CostModel } from "../../../../../src/plan/model/cost-model.ts";
import { FIT, type FitFactors } from "../../../../../src/plan/model/fit.ts";
import { predict } from "../../../../../src/plan/model/predict.ts";
import { type HopCost, shapeCosts } from "../../../../../src/plan/model/shape.ts";
import { settle } from "../../../../../src/running/simulate/options.ts";
import type { collected } from "./collect.ts";

/** Predictions that differ by so little are nearly as likely to be chosen. */
const SOFT = 0.02;
/** The regret of a run that was given up, and of any that takes as long. */
const MOST_REGRET = 1;
const WEIGHT_OF_SQUARE = 3;
const WEIGHT_OF_ERROR = 0.1;
/** Of factors that are far from those at the start, so that one without effect stays where it is. */
const WEIGHT_OF_CHANGE = 0.0005;
/** Choices that take more than this over the best need no exact prediction. */
const NEAR = 0.5;

type Collected = ReturnType<typeof collected>[number];

/** A case with all that does not depend on the factors. */
interface Prepared {
  readonly swept: Collected;
  readonly model: CostModel;
  readonly best: number;
  readonly costs: readonly (readonly HopCost[])[];
}

/** The quality of factors over all cases. */
export interface Quality {
  readonly loss: number;
  /** Of the choices of the model: median, worst, and relative error of their predicted times (median). */
  readonly regrets: readonly number[];
  readonly errors: readonly number[];
}

export function prepared(all: readonly Collected[]): Prepared[] {
  return all.map((swept) => {
    const model: CostModel = settle(swept.case.options);
    const costsOf = shapeCosts(model);
    const best = Math.min(...swept.times.map(({ time }) => time ?? Number.POSITIVE_INFINITY));
    return { swept, model, best, costs: swept.times.map(costsOf) };
  });
}

export function qualityOf(cases: readonly Prepared[], fit: FitFactors): Quality {
  const regrets: number[] = [];
  const errors: number[] = [];
  let loss = 0;
  for (const { swept, model, best, costs } of cases) {
    const { itemBytes, load, maxBytes } = swept.case;
    const predicted = swept.times.map(
      (choice, i) => predict(model, { itemBytes, load, maxBytes }, choice, costs[i] ?? [], fit).time,
    );
    const least = Math.min(...predicted);
    let [weights, soft, error, near] = [0, 0, 0, 0];
    for (const [i, { time }] of swept.times.entries()) {
      const regret = time === null ? MOST_REGRET : Math.min(MOST_REGRET, time / best - 1);
      const weight = Math.exp(-Math.log((predicted[i] as number) / least) / SOFT);
      weights += weight;
      soft += weight * regret;
      if (time === null || regret > NEAR) continue;
      error += Math.abs(Math.log((predicted[i] as number) / time));
      near++;
    }
    const mean = soft / weights;
    loss += mean + WEIGHT_OF_SQUARE * mean ** 2 + (WEIGHT_OF_ERROR * error) / near;
    const chosen = predicted.indexOf(least);
    const { time } = swept.times[chosen] as Collected["times"][number];
    regrets.push(time === null ? MOST_REGRET : time / best - 1);
    if (time !== null) errors.push(Math.abs(least / time - 1));
  }
  return { loss: loss / cases.length, regrets, errors };
}

/** Makes so many tries. @param onBetter told of every improvement */
export function search(
  cases: readonly Prepared[],
  { tries, seed, start = FIT }: { readonly tries: number; readonly seed: number; readonly start?: FitFactors },
  onBetter: (fit: FitFactors, quality: Quality) => void,
): FitFactors {
  const random = randomNumbers(seed);
  const names = Object.keys(FIT) as (keyof FitFactors)[];
  const change = (fit: FitFactors) =>
    WEIGHT_OF_CHANGE * names.reduce((total, name) => total + Math.log(fit[name] / start[name]) ** 2, 0);
  let best: FitFactors = start;
  let quality = qualityOf(cases, best);
  let loss = quality.loss + change(best);
  onBetter(best, quality);
  for (let tried = 0; tried < tries; tried++) {
    const left = 1 - tried / tries;
    const next: { -readonly [name in keyof FitFactors]: number } = { ...best };
    const count = 1 + Math.floor(3 * random());
    for (let i = 0; i < count; i++) {
      const name = names[Math.floor(names.length * random())] as keyof FitFactors;
      // normal, nearly
      const step = random() + random() + random() - 1.5;
      next[name] = Math.max(0.01, next[name] * Math.exp((0.1 + 0.7 * left) * step));
    }
    const found = qualityOf(cases, next);
    const total = found.loss + change(next);
    if (total >= loss) continue;
    [best, quality, loss] = [next, found, total];
    onBetter(best, quality);
  }
  return best;
}
