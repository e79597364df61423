/** Sessions of programs that await, in one call: what pushes or asks runs beside the driver. */
import type { EventLoopDriver } from "./event-loop-driver.ts";

/** Pushes everything, with a push that gives a promise when there is no room. */
export type AsyncSource<Push> = (push: Push) => unknown;

/** Batches without a turn of the event loop between them. */
const STREAK = 32;

/** Something that runs beside the driver, and how it ended. */
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

  /** @throws what the body has thrown */
  check(): void {
    if (this.failed) throw this.error;
  }
}

const nothing = (): void => {};

/**
 * A session whose batches are handed out.
 * @param source pushes everything
 * @param next the next batch, null when there is none for now
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
      await loopDriver.reset();
    }
  }

  /** Of a loop that was left early. */
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
 * A session that serves while `body` runs, and until all are done.
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
  await loopDriver.reset();
  return side.value as T;
}
