/** A module that is never loaded. */
await new Promise(() => {
  setTimeout(() => {}, 2 ** 30);
});

/** The body of a loop that never begins. */
export function unreached(index: number): number {
  return index;
}
