/**
 * Whether a history is linearizable: whether each operation can have taken effect at one moment between its invocation and its return,
 * so that the results are those of a sequential object (Herlihy and Wing, 1990).
 *
 * The search of Wing and Gong (1993): of the operations that none of the rest precedes, one that the model allows goes next; at a dead end
 * the last one is taken back. With what Lowe adds ("Testing for linearizability", 2017, also Horn and Kroening, 2015): the events are a
 * list that operations are taken out of and put back into, and a configuration (operations that are done, state) is never searched twice.
 * As in Porcupine, independent parts of the object are checked each by itself.
 *
 * An operation of unknown outcome never returns, and may be left out. Limits: the problem is NP-complete; time and memory grow with
 * 2^(operations that overlap), those of unknown outcome overlap with all that come after.
 *
 * Example: a: set 1 at 0…3, b: get -> 1 at 1…2. At event 0 only `set` may go; then `get`. Linearizable, although b returned first.
 */
import { historyText, type Model, type Operation } from "./history.ts";

/** An event in the list: an invocation, or a return (whose `match` is null). */
interface Event<Op, Result> {
  readonly operation: Operation<Op, Result>;
  /** The number of the operation in its part. */
  readonly id: number;
  match: Event<Op, Result> | null;
  previous: Event<Op, Result>;
  next: Event<Op, Result> | null;
}

/** A part of a history that is not linearizable. */
export interface Violation<Op, Result> {
  readonly part: string;
  readonly history: readonly Operation<Op, Result>[];
  /** As many operations as could be put in an order. */
  readonly longest: readonly Operation<Op, Result>[];
}

/** @returns null if the history is linearizable, or the first part that is not */
export function findViolation<State extends string | number, Op, Result>(
  model: Model<State, Op, Result>,
  history: readonly Operation<Op, Result>[],
): Violation<Op, Result> | null {
  if (model.partOf === undefined) return searchPart(model, history, "");
  const parts = new Map<string, Operation<Op, Result>[]>();
  for (const operation of history) {
    const part = model.partOf(operation.op);
    const own = parts.get(part);
    if (own) own.push(operation);
    else parts.set(part, [operation]);
  }
  for (const [part, operations] of parts) {
    const violation = searchPart(model, operations, part);
    if (violation !== null) return violation;
  }
  return null;
}

/** @throws an Error with the history and the longest order, if it is not linearizable */
export function assertLinearizable<State extends string | number, Op, Result>(
  model: Model<State, Op, Result>,
  history: readonly Operation<Op, Result>[],
  what: string,
): void {
  const violation = findViolation(model, history);
  if (violation === null) return;
  const { part, longest } = violation;
  throw new Error(
    `${what}: not linearizable${part === "" ? "" : ` at ${part}`}:\n${historyText(violation.history)}\nThe longest order:\n${historyText(longest)}`,
  );
}

/** The list of events in time order, behind a head. Invocations come before returns of the same time: those overlap. */
function listOf<Op, Result>(operations: readonly Operation<Op, Result>[]): Event<Op, Result> {
  const head = { id: -1, next: null } as unknown as Event<Op, Result>;
  const events: { time: number; event: Event<Op, Result> }[] = [];
  for (const [id, operation] of operations.entries()) {
    const call: Event<Op, Result> = { operation, id, match: null, previous: head, next: null };
    events.push({ time: operation.invoke, event: call });
    call.match = { operation, id, match: null, previous: head, next: null };
    if (operation.returned !== Number.POSITIVE_INFINITY) events.push({ time: operation.returned, event: call.match });
  }
  events.sort((a, b) => a.time - b.time || Number(a.event.match === null) - Number(b.event.match === null));
  let last = head;
  for (const { event } of events) {
    last.next = event;
    event.previous = last;
    last = event;
  }
  return head;
}

function unlink<Op, Result>(event: Event<Op, Result>): void {
  event.previous.next = event.next;
  if (event.next !== null) event.next.previous = event.previous;
}

function relink<Op, Result>(event: Event<Op, Result>): void {
  event.previous.next = event;
  if (event.next !== null) event.next.previous = event;
}

/** Configurations that were searched: by the set of operations that are done, and the state. */
class Seen<State> {
  readonly #words: Int32Array;
  readonly #states = new Map<number | string, State[]>();

  constructor(operations: number) {
    this.#words = new Int32Array(Math.ceil(operations / 32));
  }

  flip(id: number): void {
    (this.#words[id >>> 5] as number) ^= 1 << (id & 31);
  }

  /** @returns false if it was there */
  add(state: State): boolean {
    const key = this.#words.length === 1 ? (this.#words[0] as number) : this.#words.join();
    const states = this.#states.get(key);
    if (states === undefined) {
      this.#states.set(key, [state]);
      return true;
    }
    if (states.includes(state)) return false;
    states.push(state);
    return true;
  }
}

function searchPart<State extends string | number, Op, Result>(
  model: Model<State, Op, Result>,
  history: readonly Operation<Op, Result>[],
  part: string,
): Violation<Op, Result> | null {
  const head = listOf(history);
  const seen = new Seen<State>(history.length);
  const done: { call: Event<Op, Result>; before: State }[] = [];
  let longest: Operation<Op, Result>[] = [];
  let left = history.filter(({ returned }) => returned !== Number.POSITIVE_INFINITY).length;
  let state = model.initial;
  let event = head.next;
  while (left > 0) {
    const call = event as Event<Op, Result>;
    if (call.match !== null) {
      const { op, result, returned } = call.operation;
      const after = model.step(state, op, result);
      if (after !== undefined) {
        seen.flip(call.id);
        if (seen.add(after)) {
          done.push({ call, before: state });
          state = after;
          unlink(call);
          if (returned !== Number.POSITIVE_INFINITY) {
            unlink(call.match);
            left--;
          }
          event = head.next;
          continue;
        }
        seen.flip(call.id);
      }
      event = call.next;
      continue;
    }
    // an operation returns here that could not go before: a dead end
    if (done.length > longest.length) longest = done.map(({ call }) => call.operation);
    const last = done.pop();
    if (last === undefined) return { part, history, longest };
    state = last.before;
    seen.flip(last.call.id);
    if (last.call.operation.returned !== Number.POSITIVE_INFINITY) {
      relink(last.call.match as Event<Op, Result>);
      left++;
    }
    relink(last.call);
    event = last.call.next;
  }
  return null;
}
