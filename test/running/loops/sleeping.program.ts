/** A run that takes a while. */
import { setTimeout as delay } from "node:timers/promises";
import { type PE, type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd = spmd(async (pe: PE) => {
  await delay(100);
  return pe.rank;
});

export default program;
