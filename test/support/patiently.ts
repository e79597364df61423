/**
 * For limits that are to strike in the middle of a run: on a busy machine they strike before it has come so far.
 *
 * Runs the body with a limit of `ms`; where that fails, again with four times as much, up to about a minute.
 */
export async function patiently(ms: number, body: (ms: number) => Promise<void>): Promise<void> {
  for (let limit = ms; ; limit *= 4) {
    try {
      await body(limit);
      return;
    } catch (error) {
      if (limit * 4 > 64_000) throw error;
    }
  }
}
