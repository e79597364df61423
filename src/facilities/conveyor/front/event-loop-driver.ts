/**
 * The event-loop driver: drives a conveyor between the turns of an event loop, for asynchronous programs.
 *
 * Pushes that found no room wait in a queue, in order. A turn retries them, advances, and hands out received items.
 * After some turns, or when there is no progress, the event loop runs other tasks; then the PE sleeps until it is
 * woken.
 *
 * Limits: the queue is in memory and has no bound if a program does not await its pushes.
 */
import { StateError } from "../../../ground/base/errors.ts";
import { Fifo } from "../../../ground/base/fifo.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import { DONE, type Status } from "../../../links/status/state.ts";
import { type AsyncWaiting, untilReady } from "../../../links/transport/until-ready.ts";
import type { Gate } from "../codegen/run-code.ts";
import type { Waiting } from "../engine/session.ts";

/** The conveyor that is driven. */
export interface EventLoopDriven extends AsyncWaiting {
  proceed(done: boolean): Status;
  /** Whether the last advance made progress. */
  readonly moved: boolean;
  /** @param waits whether the turns of the session may block the thread */
  beginning(waits: boolean, item?: ItemType): Waiting;
  endSession(): void;
  /** Ends the session with an error at every PE; returns the error to be thrown. */
  fail(error: unknown): unknown;
}

/** A conveyor that a program advances by itself. */
interface Advanced extends EventLoopDriven {
  /** Whether a push that found no room would find some now. */
  hasRoomAgain(): boolean;
}

/** A push of an awaiting program is allowed where another gate says so, and no push is pending. */
export class LoopGate implements Gate {
  readonly #gate: Gate;
  readonly #loopDriver: EventLoopDriver;

  constructor(gate: Gate, loopDriver: EventLoopDriver) {
    this.#gate = gate;
    this.#loopDriver = loopDriver;
  }

  get isClear(): boolean {
    return this.#gate.isClear && this.#loopDriver.isClear;
  }
}

/** A task that is retried at every turn until it returns true. */
export interface LoopTask {
  try(): boolean;
}

const never = (): boolean => false;

/**
 * Longest time without progress after which an advance returns nevertheless, ms; and between two turns beside a program
 * that may push, as nothing wakes the driver when it does.
 */
const LONGEST_TURN_MS = 1;

/** Turns with progress before the event loop runs other tasks. */
const BURST = 16;

/** Drives one session. */
export class EventLoopDriver {
  readonly #c: EventLoopDriven;
  readonly #tasks = new Fifo<LoopTask>();
  #isOver = true;
  #isDone = false;

  constructor(c: EventLoopDriven) {
    this.#c = c;
  }

  /** No push is queued. */
  get isClear(): boolean {
    return this.#tasks.length === 0;
  }

  /** Adds a task to the end of the queue. @throws StateError outside a session */
  add(call: string, task: LoopTask): void {
    if (this.#isOver) throw new StateError(`${call}: this function may be called only inside its session.`);
    this.#tasks.add(task);
  }

  /** As {@link add}, for a push; resolves when the item was pushed. */
  push(call: string, push: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.add(call, {
        try() {
          try {
            if (!push()) return false;
            resolve();
          } catch (error) {
            reject(error as Error);
          }
          return true;
        },
      });
    });
  }

  /** Begins a session. */
  async begin(): Promise<void> {
    await beginAsync(this.#c);
    this.#isOver = false;
    this.#isDone = false;
  }

  /** From now on nothing is pushed except what is queued. */
  end(): void {
    this.#isDone = true;
  }

  /**
   * Runs turns until one made progress, the session is complete, or `isEnough`.
   * @param each is called after each turn
   * @param isOwed whether the function beside the driver waits for other PEs for something other than room
   * @returns whether the session is complete
   */
  async turn(each: () => void, isEnough: () => boolean, isOwed: () => boolean = never): Promise<boolean> {
    const c = this.#c;
    let status: Status = DONE;
    await this.#until(
      () => {
        for (let left = BURST; left > 0; left--) {
          const tried = this.#tryTasks();
          status = c.proceed(this.#isDone && this.isClear);
          each();
          if (status === DONE || isEnough()) return true;
          if (!c.moved && !tried) return left < BURST;
        }
        return true;
      },
      // while the function beside the driver has other work, this is no wait for other PEs
      () => this.#isDone || !this.isClear || isOwed(),
    );
    return status === DONE;
  }

  #tryTasks(): boolean {
    let any = false;
    for (; this.#tasks.first?.try(); any = true) this.#tasks.leave();
    return any;
  }

  /** Ends a session that is complete. */
  reset(): void {
    this.#isOver = true;
    this.#c.endSession();
  }

  /** Ends the session with an error, at every PE. */
  fail(error: unknown): unknown {
    this.#isOver = true;
    return this.#c.fail(error);
  }

  #until(ready: () => boolean, waits?: () => boolean): Promise<void> {
    return untilReady(this.#c, ready, waits, this.#isDone ? undefined : LONGEST_TURN_MS);
  }
}

/** Begins a session without blocking. */
export async function beginAsync(c: EventLoopDriven, item?: ItemType): Promise<void> {
  const waiting = c.beginning(false, item);
  // the first turn runs at once, so that the conveyor shows its new state
  if (waiting.next().done !== true) await untilReady(c, () => waiting.next().done === true);
}

/**
 * Advances without blocking: until there was progress, or room for a push that found none, or for {@link
 * LONGEST_TURN_MS}, as the program may have other work.
 */
export async function advanceAsync(c: Advanced, done: boolean): Promise<Status> {
  let status: Status = DONE;
  const until = c.now() + LONGEST_TURN_MS;
  await untilReady(
    c,
    () => {
      status = c.proceed(done);
      return status === DONE || c.moved || c.hasRoomAgain() || c.now() >= until;
    },
    never,
    LONGEST_TURN_MS,
  );
  return status;
}
