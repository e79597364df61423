/** Waits of event loops that end when a limit is exceeded, and rethrow what the condition throws. */

/** Who waits. */
export interface AsyncWaiting {
  /** See Site.until. */
  until(ready: () => boolean, pollMs?: number): Promise<void>;
  /** Time, ms. */
  now(): number;
  /** Checks a wait begun at `began`. @throws when it exceeds its limit: the session's error at every PE */
  checkWait(began: number): void;
}

/**
 * Waits until `ready`. What it throws is rethrown here instead of being lost in the wait loop.
 * @param waits whether it waits for other PEs, so that waitTimeout applies. @default always
 * @param pollMs longest time between two calls of `ready`, ms. @default as the waiter does
 */
export async function untilReady(
  c: AsyncWaiting,
  ready: () => boolean,
  waits: () => boolean = () => true,
  pollMs?: number,
): Promise<void> {
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
  }, pollMs);
  if (failed !== null) throw failed.error;
}
