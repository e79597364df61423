/** What calls throw, for programs that report it. */

/** The message of what it throws; "nothing" if it throws nothing. */
export function thrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing";
}

/** What it throws. @throws an Error if it throws nothing */
export function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error, and nothing was thrown");
}

/** As {@link thrown}, of what its promise is rejected with, too. */
export async function rejected(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing";
}
