/** Everything that a program awaits, where the timers of its thread are fake. */
import { isMainThread, workerData } from "node:worker_threads";
import { join, type PE, type Spmd, spmd, type Ticket } from "../../../../src/index.ts";
import { FACILITIES } from "./facilities.ts";
import { FAKES, type FakeName } from "./fakes.ts";

/** Awaits each facility. @returns the number of them */
export async function awaitAll(pe: PE): Promise<number> {
  for (const facility of Object.values(FACILITIES))
    await facility(
      pe,
      () => {},
      (call) => call(),
    );
  return Object.keys(FACILITIES).length;
}

const main: Spmd<FakeName | "never", Promise<number>> = spmd(async (pe, fakes) => {
  // a timer keeps the thread there
  if (fakes === "never") await new Promise(() => setInterval(() => {}, 2 ** 30));
  else await FAKES[fakes as FakeName]();
  pe.post("faked");
  return awaitAll(pe);
});
export default main;

// a thread of the test's own, with the ticket of a PE
const ticket = isMainThread ? undefined : (workerData as { ticket?: Ticket } | null)?.ticket;
if (ticket !== undefined) {
  const pe = await join(ticket);
  await awaitAll(pe);
  pe.leave();
}
