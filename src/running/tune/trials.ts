/** The trials for an entry of a plan: its choices, and the times that were measured for them. */

import {
  type Candidate,
  type ConveyorWorkload,
  type CostModel,
  type Forced,
  optionsFor,
} from "../../plan/model/cost-model.ts";
import type { Prediction } from "../../plan/model/predict.ts";
import { predict } from "../../plan/model/predict.ts";
import { shapeCosts } from "../../plan/model/shape.ts";
import { closeOnes, judge, LEAST_RUNS, type TimedChoice } from "./judge.ts";
import { promising } from "./promising.ts";
import { areSame, leastOf, type SessionsOfEntry } from "./sessions.ts";

/** One choice for an entry, and the time of a session in each run with it, ns. */
export interface Trial extends TimedChoice {
  readonly prediction: Prediction;
  readonly times: number[];
}

/** A run's answer for an entry. */
export interface EntryInRun {
  readonly name: string;
  /** Sessions of a PE. */
  readonly sessions: number;
  /** Mean time of a session at the slowest PE, ns. */
  readonly time: number;
  /** With the `maxBytes` that the program has given. */
  readonly workload: ConveyorWorkload;
  /** The part of `maxBytes` that its buffers keep to. */
  readonly share: number;
  readonly choices: readonly Candidate[];
}

/** The entries of a run, the one that takes longest first. */
export function entriesIn({
  sessions,
}: {
  readonly sessions: readonly (readonly SessionsOfEntry[])[];
}): readonly EntryInRun[] {
  const names = new Set(sessions.flat().map(({ name }) => name));
  const most = (all: readonly SessionsOfEntry[], pick: (one: SessionsOfEntry) => number) =>
    all.reduce((max, one) => Math.max(max, pick(one)), 0);
  return [...names]
    .map((name): EntryInRun => {
      const own = sessions.flatMap((all) => all.filter((one) => one.name === name));
      const maxBytes = own.reduce<number | null>((least, one) => leastOf(least, one.maxBytes), null);
      return {
        name,
        sessions: most(own, (one) => one.sessions),
        time: most(own, (one) => one.time / one.sessions),
        workload: {
          itemBytes: itemBytesOf(own),
          load: Math.max(1, Math.round(most(own, (one) => one.pushes / one.sessions))),
          scratch: most(own, ({ scratch }) => scratch),
          ...(maxBytes === null ? {} : { maxBytes }),
        },
        share: own.reduce((least, { share }) => Math.min(least, share), 1),
        choices: own.flatMap(({ choices }) => choices),
      };
    })
    .sort((a, b) => b.sessions * b.time - a.sessions * a.time);
}

/** Of any length: the mean of all PEs, as each sends items of others on. */
function itemBytesOf(own: readonly SessionsOfEntry[]): number {
  const sum = (pick: (one: SessionsOfEntry) => number) => own.reduce((all, one) => all + pick(one), 0);
  const [bytes, pushes] = [sum((one) => one.packetBytes), sum((one) => one.pushes)];
  return bytes > 0 && pushes > 0
    ? Math.ceil(bytes / pushes)
    : own.reduce((max, { itemBytes }) => Math.max(max, itemBytes), 0);
}

/** Limits of what is tried. */
export type TrialLimits = Forced & { readonly maxBytes?: number };

/** An entry while it is tuned. */
export class TunedEntry {
  readonly name: string;
  /** With `maxBytes` as the program or the user has given it. */
  readonly workload: ConveyorWorkload;
  readonly sessions: number;
  /** The predicted best first. */
  trials: Trial[] = [];
  /** The program's own choices: a plan cannot change it. */
  fixed: Forced = {};
  readonly #model: CostModel;
  readonly #forced: Forced;
  readonly #most: number;
  readonly #share: number;
  /** The user's limits. */
  readonly #limits: TrialLimits;
  /** The load within the program's limits alone. */
  readonly #program: ConveyorWorkload;
  readonly #now: Candidate | undefined;

  /** @param entry as it is without a plan @param most number of predicted choices */
  constructor(entry: EntryInRun, maxBytes: number | undefined, model: CostModel, forced: Forced, most: number) {
    this.name = entry.name;
    this.sessions = entry.sessions;
    this.workload = within(maxBytes, entry.workload);
    this.#share = entry.share;
    this.#limits = { ...forced, ...(maxBytes === undefined ? {} : { maxBytes }) };
    this.#program = entry.workload;
    this.#model = model;
    this.#forced = forced;
    this.#most = most;
    // with several kinds of conveyors of one name there is not one choice
    const [now, ...others] = entry.choices;
    this.#now = now !== undefined && others.every((one) => areSame(one, now)) ? now : undefined;
    this.#choose();
  }

  /** The predicted choices, and what the program has without a plan. */
  #choose(): void {
    const budgeted = this.#budgeted(this.workload);
    const best = promising(this.#model, budgeted, { ...this.#forced, ...this.fixed }, this.#most);
    const now = this.#now !== undefined && keepsTo(this.#now, this.#forced) ? this.#now : undefined;
    const costs = shapeCosts(this.#model);
    const further =
      now === undefined || best.length === 0 || best.some((one) => areSame(one, now))
        ? []
        : [predict(this.#model, budgeted, now, costs(now))];
    const before = this.trials;
    this.trials = [...best, ...further].map(
      (prediction) => before.find((one) => areSame(one.prediction, prediction)) ?? { prediction, times: [] },
    );
  }

  /** The load with the bytes that its buffers keep to. */
  #budgeted({ maxBytes, ...load }: ConveyorWorkload): ConveyorWorkload {
    return maxBytes === undefined ? load : { ...load, maxBytes: maxBytes * this.#share };
  }

  /** Whether choices are left over; else nothing can be tuned. */
  get isOpen(): boolean {
    return this.trials.length > 1;
  }

  /** The user's limits that leave nothing open, each alone, or else together; none if it is the program. */
  get closing(): readonly string[] {
    const given = Object.keys(this.#limits).filter((name) => this.#limits[name as keyof TrialLimits] !== undefined);
    if (given.length === 0 || this.#isOpenWithin(given) || !this.#isOpenWithin([])) return [];
    const alone = given.filter((name) => !this.#isOpenWithin([name]));
    return alone.length > 0 ? alone : given;
  }

  /** Whether there are choices, if of the user's limits only these hold. */
  #isOpenWithin(kept: readonly string[]): boolean {
    const own = kept.map((name) => [name, this.#limits[name as keyof TrialLimits]]);
    const { maxBytes, ...forced }: TrialLimits = Object.fromEntries(own);
    const workload = this.#budgeted(within(maxBytes, this.#program));
    return promising(this.#model, workload, { ...forced, ...this.fixed }, 2).length > 1;
  }

  /** Those to be run: each `turns` times, then those that may be the fastest as often again. */
  wanted(turns: number, isLate: boolean): readonly Trial[] {
    if (!this.isOpen) return [];
    const short = this.trials.filter(({ times }) => times.length < turns);
    if (short.length > 0 || isLate) return short;
    const close = closeOnes(this.trials as [Trial, ...Trial[]]);
    const enough = Math.max(LEAST_RUNS, 2 * turns);
    return close.length > 1 ? close.filter(({ times }) => times.length < enough) : [];
  }

  /** The best so far. */
  get best(): Trial {
    const tried = this.trials.filter(({ times }) => times.length > 0);
    return tried.length === 0 ? (this.trials[0] as Trial) : judge(tried as [Trial, ...Trial[]]).kept;
  }

  /** Notes what a run with a trial has shown. Choices of the program are fixed, and trials are chosen again. */
  note(trial: Trial, { time, choices }: EntryInRun): void {
    const { prediction } = trial;
    if (choices.some((one) => areSame(one, prediction))) {
      trial.times.push(time);
      return;
    }
    const [actual] = choices as readonly [Candidate];
    const fixed = { ...this.fixed, ...differenceOf(prediction, actual) };
    if (Object.keys(fixed).length > Object.keys(this.fixed).length) {
      this.fixed = fixed;
      this.#choose();
    } else this.trials = this.trials.filter((one) => one !== trial);
  }
}

/** A program's load, of which the user has limited the memory. */
function within(maxBytes: number | undefined, program: ConveyorWorkload): ConveyorWorkload {
  const limit = leastOf(maxBytes ?? null, program.maxBytes ?? null);
  return limit === null ? program : { ...program, maxBytes: limit };
}

/** Whether a choice is as is forced. */
const keepsTo = (choice: Candidate, forced: Forced): boolean =>
  Object.entries(forced).every(
    ([name, value]) => value === undefined || String(choice[name as keyof Candidate]) === String(value),
  );

/** The values that differ from those asked for. */
function differenceOf(asked: Candidate, actual: Candidate): Forced {
  const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink } = optionsFor(actual);
  const isOtherMesh = mesh !== undefined && String(mesh) !== String(asked.mesh ?? "");
  const isOtherGrid = hops !== undefined && hops > 1 && hops === asked.hops && groupSize !== asked.groupSize;
  return {
    ...(type === asked.type ? {} : { type }),
    ...(isOtherMesh ? { mesh } : {}),
    ...(hops === undefined || hops === asked.hops ? {} : { hops }),
    ...(isOtherGrid ? { groupSize } : {}),
    ...(bufferBytes === asked.bufferBytes ? {} : { bufferBytes }),
    ...(buffersPerLink === asked.buffersPerLink ? {} : { buffersPerLink }),
  };
}
