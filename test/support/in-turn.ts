/** Cases that are played one after the other in one world, as a world of its own for each costs more than most cases do. */

/** What a program is to do; `part` names it in errors. */
export interface Step {
  readonly part: string;
}

/** In the program: plays one step and gives its result, or several and gives a list. What one throws is told with its name. */
export async function playInTurn<Args extends Step>(
  args: Args | readonly Args[],
  play: (step: Args) => unknown,
): Promise<unknown> {
  if (!Array.isArray(args)) return play(args as Args);
  const results: unknown[] = [];
  for (const step of args as readonly Args[]) {
    try {
      results.push(await play(step));
    } catch (error) {
      throw new Error(`${JSON.stringify(step)}: ${(error as Error).message}`, { cause: error });
    }
  }
  return results;
}
