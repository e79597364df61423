/** Node's warnings that tests of a file cause on purpose: any other one fails the file (test/run.mjs). */
import { appendFileSync } from "node:fs";

/** Tells that warnings may come that have one of these words, in this process and in those that it starts. */
export function expectWarnings(...words: string[]): void {
  const file = process.env.TUNDISH_TEST_WARNINGS;
  if (file !== undefined) for (const expected of words) appendFileSync(file, `${JSON.stringify({ expected })}\n`);
}
