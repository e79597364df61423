/**
 * The driver: drives a conveyor between the turns of an event loop, for programs that await.
 *
 * What: pushes that found no room wait in a queue, in order. A turn tries them, advances, and hands out what has come;
 * after a few turns, or when nothing moves, the event loop has its own, and then the PE sleeps until something comes for it.
 *
 * Limits: what waits in the queue takes memory: a program that does not await its pushes has no bound.
 */
import { StateError } from "../../base/errors.ts";
import { Fifo } from "../../base/fifo.ts";
import { DONE, type Status } from "../../status/state.ts";
import type { Waiting } from "../engine/session.ts";

/** What is driven. */
export interface EventLoopDriven {
  proceed(done: boolean): Status;
  /** Whether the last advance got anything done. */
  readonly moved: boolean;
  until(ready: () => boolean): Promise<void>;
  /** Time, ms. */
  now(): number;
  /** Of a wait that began at some time. @throws when it has taken too long, and the session ends with that at every PE */
  checkWait(began: number): void;
  /** @param waits whether the turns of the session may wait in the thread */
  beginning(waits: boolean): Waiting;
  resetting(): Waiting;
  /** An error that ends the session at every PE; gives what is to be thrown. */
  fail(error: unknown): unknown;
}

/** Something that is tried at every turn until it says true. */
export interface LoopTask {
  try(): boolean;
}

const never = (): boolean => false;

/** Turns with something done before the event loop has its own. */
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

  /** Nothing waits to be pushed. */
  get isClear(): boolean {
    return this.#tasks.length === 0;
  }

  /** Tries something at every turn, after what was added before. @throws StateError outside a session */
  add(call: string, task: LoopTask): void {
    if (this.#isOver) throw new StateError(`${call}: this is good inside its session only.`);
    this.#tasks.add(task);
  }

  /** As {@link add}, for a push; resolves when it is in. */
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
    await this.#wait(this.#c.beginning(false));
    this.#isOver = false;
    this.#isDone = false;
  }

  /** From now on nothing is pushed beyond what waits for room. */
  end(): void {
    this.#isDone = true;
  }

  /**
   * Turns, until something has moved, the session is complete, or `isEnough`.
   * @param each is called after each turn
   * @param isOwed whether what runs beside the driver waits for other PEs, for more than that there is room
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
      // while what runs beside the driver has work of its own, nobody is waited for
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
  async reset(): Promise<void> {
    this.#isOver = true;
    await this.#wait(this.#c.resetting());
  }

  /** Ends the session with an error, at every PE. */
  fail(error: unknown): unknown {
    this.#isOver = true;
    return this.#c.fail(error);
  }

  async #wait(waiting: Waiting): Promise<void> {
    // at once, so that from now on the conveyor shows it
    if (waiting.next().done === true) return;
    await this.#until(() => waiting.next().done === true);
  }

  /**
   * What `ready` throws is thrown, and not lost in the loop of those who wait.
   * @param waits whether other PEs are waited for, which may not take too long. @default always
   */
  async #until(ready: () => boolean, waits: () => boolean = () => true): Promise<void> {
    const c = this.#c;
    let failed: { readonly error: unknown } | null = null as { readonly error: unknown } | null;
    let began = c.now();
    await c.until(() => {
      try {
        if (ready()) return true;
        if (waits()) c.checkWait(began);
        else began = c.now();
        return false;
      } catch (error) {
        failed = { error };
        return true;
      }
    });
    if (failed !== null) throw failed.error;
  }
}
