/** PE 1 does something wrong in an exchange. */
import { type DisciplineName, exchange } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";

export type Fault = "throws" | "returns" | "never finishes" | "computes" | "never closes" | "differs" | "crashes";

interface Args {
  readonly fault: Fault;
  readonly discipline: DisciplineName;
}

/** Longer than the others wait. */
const sleep = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);

function main(pe: PE, { fault, discipline }: Args): void {
  const isWrong = pe.rank === 1;
  const x = exchange(pe, {
    discipline: isWrong && fault === "differs" ? "eager" : discipline,
    chunkBytes: 1000,
  });
  // in the second phase PE 1 is late, in the first it was there
  if (fault === "never finishes") x.finish(() => {});
  if (isWrong && fault === "never finishes") sleep();
  for (let to = 0; to < pe.size; to++) x.schedule(to, new Uint8Array(5000));
  if (isWrong && fault === "returns") return;
  if (isWrong && fault === "computes") sleep();
  while (isWrong && fault === "never closes") x.serviceQueue(() => {});
  if (isWrong && fault === "crashes") process.exit(3);
  x.finish(() => {
    if (isWrong && fault === "throws") throw new RangeError("too much");
  });
}

const program: Spmd = spmd(main);
export default program;
