/** Histories: what concurrent clients asked of a shared object and were told, with the times of both. */

/** One call of a client. Two calls overlap unless one returned before the other was invoked. */
export interface Operation<Op, Result> {
  readonly client: number;
  readonly op: Op;
  readonly invoke: number;
  /** Infinity: its outcome is not known. It took effect at some time after its invocation, or never. */
  readonly returned: number;
  /** Undefined if its outcome is not known. */
  readonly result: Result | undefined;
}

/** What an object does when calls come one after the other. States are compared by `===`. */
export interface Model<State extends string | number, Op, Result> {
  readonly initial: State;
  /**
   * The state after an operation.
   * @param result undefined if the outcome is not known: any result is right
   * @returns undefined if the operation cannot have this result in this state
   */
  step(state: State, op: Op, result: Result | undefined): State | undefined;
  /** Parts of the object that do not depend on each other, such as the keys of a store: each is checked by itself. */
  partOf?(op: Op): string;
}

/** Writes down a history as it happens; times are the numbers of events, so that no two are equal. */
export class Recorder<Op, Result> {
  readonly operations: Operation<Op, Result>[] = [];
  #events = 0;

  /** Notes an invocation. @returns a function that notes its result; one that is never called leaves the outcome unknown */
  invoke(client: number, op: Op): (result: Result) => void {
    const at = this.operations.length;
    this.operations.push({
      ...{ client, op, invoke: this.#events++ },
      ...{ returned: Number.POSITIVE_INFINITY, result: undefined },
    });
    return (result) => {
      this.operations[at] = {
        ...(this.operations[at] as Operation<Op, Result>),
        ...{ returned: this.#events++, result },
      };
    };
  }
}

/** A history as text, a line for each operation. */
export const historyText = <Op, Result>(history: readonly Operation<Op, Result>[]): string =>
  history
    .map(
      ({ client, op, invoke, returned, result }) =>
        `${invoke}…${returned === Number.POSITIVE_INFINITY ? "?" : returned}  client ${client}  ${JSON.stringify(op)} -> ${JSON.stringify(result)}`,
    )
    .join("\n");
