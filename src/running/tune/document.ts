/** The plan that a tuning comes to. */
import { durationText, ratioText } from "../../ground/base/units.ts";
import type { MeasuredChoice, PlanDocument, PlannedConveyor } from "../../plan/document/document.ts";
import { optionsFor, type PlannedOptions } from "../../plan/model/cost-model.ts";
import { choiceText } from "../../plan/text/explain.ts";
import { areFew, type Judgement, judge, LEAST_RUNS, spreadOf } from "./judge.ts";
import type { Trial, TunedEntry } from "./trials.ts";
import type { Tuned } from "./tune.ts";

/** An entry that was tuned, and what is kept for it. */
export interface JudgedEntry {
  readonly entry: TunedEntry;
  readonly judgement: Judgement<Trial>;
}

/** Judges all entries. */
export const judged = ({ entries }: Tuned): readonly JudgedEntry[] =>
  entries.map((entry) => ({ entry, judgement: judge(entry.trials as [Trial, ...Trial[]]) }));

/** The document: that which was added to, with the entries that were tuned. */
export function tunedDocument(
  { world, created }: Tuned,
  all: readonly JudgedEntry[],
  forced: readonly string[],
  before: PlanDocument | undefined,
  trees: PlanDocument["trees"],
): PlanDocument {
  return {
    ...before,
    schema: "tundish/plan@1",
    created,
    world: { ...before?.world, ...world },
    conveyors: {
      ...before?.conveyors,
      ...Object.fromEntries(all.map((one) => [one.entry.name, plannedOf(one, forced)])),
    },
    ...(trees === undefined ? {} : { trees }),
  };
}

function plannedOf({ entry, judgement }: JudgedEntry, forced: readonly string[]): PlannedConveyor {
  const { kept, verdict } = judgement;
  const { itemBytes, load, maxBytes } = entry.workload;
  const others = entry.trials.filter((trial) => trial !== kept);
  const measured = { ...measuredOf(kept), sessions: entry.sessions, verdict, others: others.map(measuredOf) };
  return {
    workload: { itemBytes, load, ...(maxBytes === undefined ? {} : { maxBytes }) },
    choice: choiceOf(kept),
    forced,
    expected: kept.prediction,
    others: others.map(({ prediction }) => prediction),
    candidates: entry.trials.length,
    reasons: reasonsOf(judgement, others),
    measured,
  };
}

const choiceOf = ({ prediction }: Trial): PlannedOptions => optionsFor(prediction);

function measuredOf(trial: Trial): MeasuredChoice {
  const { time } = trial.prediction;
  const spread = spreadOf(trial);
  return {
    choice: choiceOf(trial),
    ...spread,
    turns: trial.times.length,
    expected: time,
    ratio: spread.time / time,
  };
}

/** Example: `measured: 105 us (100 us to 110 us), 1.31 x the prediction`. */
function measuredText(trial: Trial): string {
  const { time, low, high, ratio } = measuredOf(trial);
  return `${durationText(time)} (${durationText(low)} to ${durationText(high)}), ${ratioText(ratio)} the prediction`;
}

function reasonsOf(judgement: Judgement<Trial>, others: readonly Trial[]): string[] {
  const { kept, fastest, verdict } = judgement;
  const same = areFew(judgement)
    ? `fewer than ${LEAST_RUNS} runs do not tell the fastest, ${choiceText(fastest.prediction)}, from it`
    : `the quartiles of the fastest, ${choiceText(fastest.prediction)}, overlap with its own`;
  const why = {
    predicted: "the predicted best was the fastest",
    fastest: "faster than the predicted best",
    "no difference": `no difference: ${same}, so the predicted best is kept`,
  } as const;
  return [
    `measured: ${measuredText(kept)}; ${why[verdict]}`,
    ...others.map((trial) => `not ${choiceText(trial.prediction)}: measured ${measuredText(trial)}`),
  ];
}
