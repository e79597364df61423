/** Says by which thread a PE runs, or fails. */
import { threadId } from "node:worker_threads";
import { type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd((pe, how: unknown) => {
  if (how === "fail") throw new Error("as told");
  // until its world is closed
  if (how === "stay") return new Promise((resolve) => setTimeout(resolve, 60_000));
  return how === "ids" ? threadId : pe.rank;
});

export default program;
