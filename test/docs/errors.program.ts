/** A program of two PEs whose calls fail: for the messages that docs/errors.md shows. */

import { appendBuffer } from "../../src/append.ts";
import { conveyor, elasticConveyor } from "../../src/conveyor.ts";
import { bytes, f64, type PE, type Spmd, spmd, struct, u32 } from "../../src/index.ts";
import { thrown } from "../support/thrown.ts";

const item = struct({ slot: u32, value: f64 });
/** What ends a session, after an error in it. */
const finish = (c: { advance(done: boolean): number | boolean; pull(): unknown }) => {
  while (c.advance(true)) c.pull();
};

/** Each throws at its PE alone. */
const refused = (pe: PE): string[] => {
  const plain = conveyor(pe, item);
  const rigid = conveyor(pe, bytes(8));
  const elastic = elasticConveyor(pe);
  const append = appendBuffer(pe, 64);
  const table = new Float64Array(10);
  const messages = [
    thrown(() => pe.broadcast(1, 5)),
    thrown(() => pe.alloc(Float64Array, 2 ** 28)),
    thrown(() => plain.pull()),
    thrown(() => append.push(0, new Uint8Array(80))),
  ];
  for (const c of [plain, rigid, elastic]) c.begin();
  messages.push(
    thrown(() => plain.push(8, 1, 1)),
    thrown(() => rigid.push(0, new Uint8Array(5))),
  );
  plain.push(pe.rank, 12, 1);
  elastic.push(pe.rank, new Uint8Array(5));
  const adding = () => {
    while (plain.advance(true)) plain.accumulate(table, { op: "sum", index: "slot", value: "value" });
  };
  messages.push(thrown(adding));
  messages.push(
    thrown(() => {
      while (elastic.advance(true)) elastic.pull(8);
    }),
  );
  for (const c of [plain, rigid, elastic]) finish(c);
  return messages;
};

/** Each ends the world. */
const ending: Readonly<Record<string, (pe: PE) => unknown>> = {
  throws: (pe) => {
    if (pe.rank === 1) throw new RangeError("too much");
    pe.barrier();
  },
  differs: (pe) => (pe.rank === 0 ? pe.barrier() : pe.allreduce(1, "sum")),
  waits: (pe) => {
    if (pe.rank === 0) pe.barrier();
    else for (;;);
  },
};

const program: Spmd = spmd((pe, args) => {
  const [what = ""] = args as string[];
  return what === "" ? refused(pe) : ending[what]?.(pe);
});
export default program;
