/**
 * What the processes of a job say of how it went: each adds a line of JSON to one file. Not on stdout: what a launcher
 * passes on of several processes it may mix, where lines are long.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** What each says. */
export interface Said {
  readonly node: number;
  readonly results?: readonly unknown[];
  readonly first?: number;
  readonly warning?: { readonly code: string; readonly message: string };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly rank?: number;
    readonly cause?: string;
  };
}

const besideOrder = (order: string): string => `${order}.said`;

/** @param order the file with the order of the job */
export function say(order: string, said: Said): void {
  appendFileSync(besideOrder(order), `${JSON.stringify(said)}\n`);
}

/** All that was said in a job, in the order of the nodes. */
export const saidIn = (order: string): Said[] =>
  saidText(order)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Said)
    .sort((a, b) => a.node - b.node);

/** The same as it was said, for those who read why a test has failed. */
export function saidText(order: string): string {
  const file = besideOrder(order);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
