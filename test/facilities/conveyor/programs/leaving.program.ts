/** PEs that return in the middle of a session, or just after it. */
import { biconveyor, conveyor, elasticConveyor, selector } from "../../../../src/conveyor.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";

export type Part = "working" | "endgame" | "elastic" | "replies" | "batches" | "handlers" | "failed" | "proper";

export const parts: Readonly<Record<Part, (pe: PE) => unknown>> = {
  /** All push, and are gone. */
  working(pe: PE) {
    const c = conveyor(pe, u32).begin();
    for (let i = 0; i < 10; i++) c.push((pe.rank + 1) % pe.size, i);
  },
  /** All say that they are done, and do not wait for the end. */
  endgame(pe: PE) {
    const c = conveyor(pe, u32, { type: "simple" }).begin();
    c.push((pe.rank + 1) % pe.size, 1);
    c.advance(true);
  },
  elastic(pe: PE) {
    const c = elasticConveyor(pe).begin();
    c.push((pe.rank + 1) % pe.size, Uint8Array.of(1));
  },
  /** Everything has come, but the replies are not pulled. */
  replies(pe: PE) {
    const c = biconveyor(pe, u32, u32, (x) => x).begin();
    c.push(0, 1);
    while (c.advance(true) !== 2);
    return c.state;
  },
  /** Nobody awaits the session. */
  batches(pe: PE) {
    void conveyor(pe, u32)
      .batches((push) => push(0, 1))
      .next()
      .catch(() => {});
  },
  handlers(pe: PE) {
    selector(pe, { ask: u32 })
      .runAsync((send) => void send.ask(0, 1), { ask() {} })
      .catch(() => {});
  },
  /** One fails; the other one lets that pass, and returns. */
  failed(pe: PE) {
    const c = conveyor(pe, u32).begin();
    c.push(0, 1);
    if (pe.rank === 1) throw new TypeError("the first error");
    try {
      while (c.advance());
    } catch {
      return;
    }
  },
  /** Complete is enough: without a reset, freed, or with a session that has not begun. */
  proper(pe: PE) {
    const c = conveyor(pe, u32).begin();
    c.push(0, 5);
    let come = 0;
    while (c.advance(true)) while (c.pull()) come += c.item;
    const d = biconveyor(pe, u32, u32, (x) => x).begin();
    while (d.advance(true));
    d.free();
    conveyor(pe, u32).batches();
    return come;
  },
};

const program: Spmd = spmd((pe, part) => parts[part as Part](pe));
export default program;
