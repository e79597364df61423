/** Sessions of asynchronous programs in one call: the user's source or body runs beside the driver. */
import type { EventLoopDriver } from "./event-loop-driver.ts";

/** Pushes all items, with a push that returns a promise if there is no room. */
export type AsyncSource<Push> = (push: Push) => unknown;

/** Batches handed out before the event loop runs other tasks. */
const STREAK = 32;

/** The user's function that runs beside the driver, and how it ended. */
class Side<T> {
  isOver = false;
  value: T | undefined;
  error: unknown;
  failed = false;

  constructor(loopDriver: EventLoopDriver, body: () => T | Promise<T>) {
    const run = async (): Promise<void> => {
      try {
        this.value = await body();
      } catch (error) {
        this.error = error;
        this.failed = true;
      }
      this.isOver = true;
      loopDriver.end();
    };
    void run();
  }

  /** @throws what the body threw */
  check(): void {
    if (this.failed) throw this.error;
  }
}

const nothing = (): void => {};

/**
 * A session that yields batches.
 * @param source pushes all items
 * @param next the next batch, null if there is none now
 * @param isThere whether there is one
 */
export async function* batchesOf<B>(
  loopDriver: EventLoopDriver,
  source: () => unknown,
  next: () => B | null,
  isThere: () => boolean,
): AsyncGenerator<B, void, void> {
  await loopDriver.begin();
  const side = new Side(loopDriver, source);
  const isEnough = () => side.failed || isThere();
  let isComplete = false;
  let isFailed = false;
  try {
    for (let streak = 0; ; ) {
      side.check();
      const batch = ++streak < STREAK ? next() : null;
      if (batch !== null) yield batch;
      else if (isComplete) break;
      else {
        streak = 0;
        isComplete = await loopDriver.turn(nothing, isEnough);
      }
    }
  } catch (error) {
    isFailed = true;
    throw loopDriver.fail(error);
  } finally {
    if (!isFailed) {
      await rest();
      loopDriver.reset();
    }
  }

  /** Completes a session whose loop was left early. */
  async function rest(): Promise<void> {
    const discard = () => {
      while (next() !== null);
    };
    while (!isComplete) {
      discard();
      isComplete = await loopDriver.turn(discard, () => side.failed);
      if (side.failed) throw loopDriver.fail(side.error);
    }
  }
}

/**
 * A session that serves requests while `body` runs, and until all PEs are done.
 * @param serve is called after every turn
 * @param isOwed see {@link EventLoopDriver.turn}
 */
export async function runAsyncSession<T>(
  loopDriver: EventLoopDriver,
  body: () => T | Promise<T>,
  serve: () => void,
  isOwed?: () => boolean,
): Promise<T> {
  const side = new Side(loopDriver, body);
  try {
    while (!(await loopDriver.turn(serve, () => side.failed, isOwed))) side.check();
    side.check();
  } catch (error) {
    throw loopDriver.fail(error);
  }
  loopDriver.reset();
  return side.value as T;
}
