/**
 * The part of a container behind its face: its place in the session, and its collective calls. Each of those is a task
 * (ground/wait/task.ts) of collectives of the group, with local work between them, and has a blocking form and an Async
 * form.
 */

import type { CollectivesBackend } from "../../collectives/calls/backend.ts";
import { type CallOptions, checkCallOptions } from "../../collectives/calls/call.ts";
import type { Collectives } from "../../collectives/collectives.ts";
import { MismatchError, RankRangeError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import type { Scratch } from "./content/cursor.ts";
import { headOf, type OperationReceiver, type Sent } from "./session/receiver.ts";
import type { OperationSession } from "./session/session.ts";

/** Parts that the containers of an object share. */
export interface ContainerObject {
  readonly seat: Seat;
  readonly session: OperationSession;
  /** Of the containers of the group the how many-th object it is, the same at all PEs. */
  readonly number: number;
  /** Entries of the table in which counts are combined before they are sent; 0 for none. */
  readonly combine: number;
}

export class ContainerPart {
  /** As the program calls it. */
  readonly name: string;
  readonly rank: number;
  readonly size: number;
  readonly session: OperationSession;
  readonly combine: number;
  readonly #seat: Seat;
  readonly #collectives: Collectives;
  readonly #backend: CollectivesBackend;
  readonly #object: number;
  #number = -1;

  constructor({ seat, session, number, combine }: ContainerObject, name: string) {
    this.name = name;
    this.rank = seat.rank;
    this.size = seat.size;
    this.session = session;
    this.combine = combine;
    this.#seat = seat;
    this.#collectives = seat.collectives;
    this.#backend = seat.collectives.backend;
    this.#object = number;
  }

  /** The receiver of what is sent to the container, at any PE. Called once, in the order of the containers. */
  receiveBy(receiver: OperationReceiver): void {
    this.#number = this.session.add(receiver);
  }

  // --- operations -----------------------------------------------------------------------------------

  /** Begins an operation. */
  begin(operation: number): Scratch {
    return this.session.begin(headOf(this.#number, operation));
  }

  /** Makes another operation of the one that was begun. */
  retitle(scratch: Scratch, operation: number): void {
    scratch.views.u32[0] = headOf(this.#number, operation);
  }

  /** Sends it to its owner. */
  send(owner: number, call: string): Sent {
    return this.session.send(owner, call);
  }

  /** @throws RankRangeError for what is no rank */
  checkRank(call: string, rank: unknown): void {
    if (Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.size) return;
    throw new RankRangeError(`${call}: expected a rank from 0 to ${this.size - 1}, got ${shortText(rank)}`);
  }

  // --- collective calls -----------------------------------------------------------------------------

  /** A collective call that blocks. @param task it begins with {@link agree} */
  block<T>(call: string, task: Task<T>, options: CallOptions = {}): T {
    const { life } = this.session;
    life.begin(`${this.name}.${call}`);
    try {
      this.#collectives.checkBlocking(call);
      checkCallOptions(options, call);
      return blockOn(this.#seat, task, options.timeout);
    } finally {
      life.end();
    }
  }

  /** One that does not. */
  async await<T>(call: string, task: Task<T>, options: CallOptions = {}): Promise<T> {
    const { life } = this.session;
    life.begin(`${this.name}.${call}`);
    try {
      checkCallOptions(options, call);
      return await awaitOn(this.#seat, task, options);
    } finally {
      life.end();
    }
  }

  /**
   * Whether all PEs make the same call is checked before anything else is sent: collectives of different calls would be
   * taken for each other. What its arguments are each PE has checked before. The blocking form and the Async form of a
   * call are the same.
   * @param argument the one that is the same at all PEs, if there is one
   * @throws MismatchError, at all PEs
   */
  *agree(call: string, argument?: number): Task<void> {
    const title = `${this.name}.${call.replace(/Async$/, "")}(${argument ?? ""}) of containers ${this.#object}`;
    const hash = fnv1a(title);
    const hashes = Float64Array.of(hash, -hash);
    const [most, least] = yield* this.#collectives.task(this.#backend.allreduce(hashes, "max"));
    if (most !== 0 - (least as number)) throw differing((yield* this.allgather([title])).flat());
  }

  /** Sums a number of all PEs. */
  sum(x: number): Task<number> {
    return this.#collectives.task(this.#backend.allreduce(x, "sum"));
  }

  /** The values of all PEs by rank at the root; undefined elsewhere. */
  gather<T extends object>(x: T, root: number): Task<readonly T[] | undefined> {
    return this.#collectives.task(this.#backend.gather(x, root)) as Task<readonly T[] | undefined>;
  }

  /** The values of all PEs by rank at every PE. */
  allgather<T extends object>(x: T): Task<readonly T[]> {
    return this.#collectives.task(this.#backend.allgather(x)) as Task<readonly T[]>;
  }

  /** Part j of each PE's list at PE j, by rank. */
  exchange<T>(parts: readonly T[]): Task<readonly T[]> {
    return this.#collectives.task(this.#backend.alltoall(parts)) as Task<readonly T[]>;
  }
}

function differing(calls: readonly string[]): MismatchError {
  const other = calls.findIndex((call) => call !== calls[0]);
  return new MismatchError(
    `containers: expected the same call at all PEs, got ${calls[0]} at PE 0 and ${calls[other]} at PE ${other}. ` +
      "Every PE makes the same collective calls, in the same order, with the same arguments where these are not the PE's own.",
  );
}
