/**
 * What one PE of a group does for all: a loop of one iteration, which the first PE takes that comes. A value that the
 * body returns goes to all in a broadcast after the barrier.
 *
 * Source: OpenMP 5.2, sections 11.1 (single) and 5.7.2 (copyprivate).
 */
import { UsageError } from "../../ground/base/errors.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import { blockOn, type Task } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import { checkBody, type RunClaim, refusePromise } from "./bodies.ts";
import type { LoopArea } from "./chunks/area.ts";
import type { LoopEnd } from "./chunks/endings.ts";
import { NEXT, type Slot } from "./chunks/layout.ts";
import { checkedOptions, type LoopOptions, NAMES } from "./chunks/options.ts";
import { type LoopJob, loopJob } from "./job.ts";
import type { Loop } from "./loop.ts";
import { checkCloneable } from "./map-each.ts";
import type { Iterations } from "./range.ts";
import { loopAt, runLater, runNow } from "./run.ts";

/** Options of {@link single}: the same at all PEs, but signal and timeout. */
export interface SingleOptions extends Pick<LoopOptions, "timeout" | "signal"> {
  /**
   * Whether all wait until the body is over, and get its value. Without it a PE that does not run the body goes on at
   * once, as after a loop that does not wait, and no PE gets the value.
   * @default true
   */
  readonly wait?: boolean | undefined;
}

type Body = () => AtOnce;

/** The body, and its value at all PEs. */
class Single implements LoopEnd<unknown> {
  readonly #call: string;
  readonly #body: Body;
  readonly #area: LoopArea;
  /** NEXT of the slot. */
  #word = 0;
  #value: unknown;

  constructor(call: string, body: Body, area: LoopArea) {
    this.#call = call;
    this.#body = body;
    this.#area = area;
  }

  readonly run: RunClaim = () => {
    const value = this.#body();
    refusePromise(this.#call, value);
    if (value === undefined) return;
    checkCloneable(this.#call, [value]);
    this.#value = value;
    // one PE stores it, and the barrier is before the loads of all
    this.#area.heap.i32[this.#word] = 1 + this.#area.seat.rank;
  };

  begin({ control }: Slot): void {
    this.#word = (control + NEXT) / 4;
    this.#value = undefined;
  }

  now(): void {
    this.#area.barrier.now();
    if (this.#giver >= 0) blockOn(this.#area.seat, this.#giving());
  }

  *later(): Task<void> {
    yield* this.#area.barrier.later();
    if (this.#giver >= 0) yield* this.#giving();
  }

  result(): unknown {
    const value = this.#value;
    // the job may be kept
    this.#value = undefined;
    return value;
  }

  /** The rank of the PE whose value all get; -1 for none. */
  get #giver(): number {
    return (this.#area.heap.i32[this.#word] as number) - 1;
  }

  *#giving(): Task<void> {
    const { collectives, rank } = this.#area.seat;
    const giver = this.#giver;
    // in an object: all give a value, whatever kind it is at the one that has it
    const given = yield* collectives.task(collectives.backend.broadcast({ value: this.#value }, giver));
    if (giver !== rank) this.#value = given.value;
  }
}

/** The first PE that comes takes the one iteration. */
const FIRST: LoopOptions = { schedule: "dynamic" };
const ONE: Iterations = { count: 1, terms: 0, begin: 0, step: 1, items: null };

/** @throws UsageError */
function jobOf(loop: Loop, call: string, body: Body, given: SingleOptions | undefined): LoopJob<unknown> {
  const { area, kept } = loop;
  const { here, size } = area.seat;
  if (here.length < size) {
    throw new UsageError(
      `${call}: expected a group of one node, got one over several: who comes first is known by a word in the memory of a node. ` +
        "Give it a group of each node, or let one PE do it: if (pe.rank === 0) …, then broadcast.",
    );
  }
  const { wait } = checkedOptions<LoopOptions>(call, given, NAMES.single, size);
  const options = given === undefined ? FIRST : { ...given, ...FIRST };
  if (area.call === "" && kept !== null && kept.call === call && kept.body === body && kept.wait === wait) {
    kept.job.options = options;
    return kept.job;
  }
  checkBody(call, body, "()");
  const job =
    wait === false
      ? loopJob(call, ONE, options, "", () => refusePromise(call, body()), null)
      : waiting(call, options, new Single(call, body, area));
  loop.kept = { call, over: 1, body, iterations: ONE, op: undefined, initial: undefined, wait, job };
  return job;
}

const waiting = (call: string, options: LoopOptions, one: Single): LoopJob<unknown> =>
  loopJob(call, ONE, options, "", one.run, one);

/**
 * What one PE does for all: the first that comes runs the body, as in OpenMP's `single`; the others wait until it is
 * over, and get copies of its value (`copyprivate`).
 *
 *     const [low, high] = single(pe, () => limitsOf(table));
 *
 * Collective, and a loop of one iteration ({@link forEach}): all PEs make the call, which ends with a barrier; the body
 * must not await, and makes no loop and no collective. For what is done once in the whole run, and for a function that
 * returns a promise: `once` of tundish/shared. On one node.
 *
 * @throws the error of the body, at all PEs alike; else as forEach
 */
export function single<V extends AtOnce>(
  pe: Group,
  body: () => V,
  options?: SingleOptions & { readonly wait?: true | undefined },
): V;
export function single(pe: Group, body: () => AtOnce, options?: SingleOptions): unknown;
export function single(pe: Group, body: Body, options?: SingleOptions): unknown {
  const loop = loopAt(pe, "single");
  return runNow(loop, jobOf(loop, "single", body, options));
}

/** As {@link single}, without blocking. @throws as there */
export function singleAsync<V extends AtOnce>(
  pe: Group,
  body: () => V,
  options?: SingleOptions & { readonly wait?: true | undefined },
): Promise<V>;
export function singleAsync(pe: Group, body: () => AtOnce, options?: SingleOptions): Promise<unknown>;
export async function singleAsync(pe: Group, body: Body, options?: SingleOptions): Promise<unknown> {
  const loop = loopAt(pe, "singleAsync");
  return await runLater(loop, jobOf(loop, "singleAsync", body, options));
}
