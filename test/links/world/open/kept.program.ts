/** What PEs make together, use in runs of an open world, and free or keep, each returning at once, whoever is first. */

import { appendBuffer } from "../../../../src/append.ts";
import { containers, countingMap } from "../../../../src/containers.ts";
import { biconveyor, calls as callsOf, conveyor, selector } from "../../../../src/conveyor.ts";
import { exchange } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd, u32 } from "../../../../src/index.ts";
import { channel, messenger, orderedBroadcast } from "../../../../src/messages.ts";
import { openStore } from "../../../../src/store.ts";

/** How long the late PE takes, ms: the others have returned by then, and if not, the test shows less. */
const LATE_MS = 20;

/** Something that all PEs have made. */
interface Made {
  /** Sends this PE's rank to the next one. @returns what has come from the one before */
  use(): number;
  free(): void;
}

const bytesOf = (x: number) => Uint8Array.of(x);
const MAKERS: Readonly<Record<string, (pe: PE) => Made>> = {
  conveyor(pe) {
    const c = conveyor(pe, u32);
    let got = -1;
    return {
      use() {
        c.run(
          (push) => push(nextOf(pe), pe.rank),
          (rank) => {
            got = rank;
          },
        );
        return got;
      },
      free: () => c.free(),
    };
  },
  biconveyor(pe) {
    const c = biconveyor(pe, u32, u32, () => pe.rank);
    let got = -1;
    return {
      use() {
        c.run(
          (push) => push(lastOf(pe), 0),
          (rank) => {
            got = rank;
          },
        );
        return got;
      },
      free: () => c.free(),
    };
  },
  selector(pe) {
    const s = selector(pe, { tell: u32 });
    let got = -1;
    return {
      use() {
        s.run((send) => send.tell(nextOf(pe), pe.rank), {
          tell: (rank) => {
            got = rank;
          },
        });
        return got;
      },
      free: () => s.free(),
    };
  },
  calls(pe) {
    let got = -1;
    const calls = callsOf(pe, {
      tell(rank: number) {
        got = rank;
      },
    });
    return {
      use() {
        calls.run((call) => call(nextOf(pe), "tell", pe.rank));
        return got;
      },
      free: () => calls.free(),
    };
  },
  exchange(pe) {
    const x = exchange(pe);
    return {
      use() {
        const parts = Array.from({ length: pe.size }, (_, rank) =>
          rank === nextOf(pe) ? Float64Array.of(pe.rank) : new Float64Array(0),
        );
        return x.all(parts)[lastOf(pe)]?.[0] ?? -1;
      },
      free: () => x.free(),
    };
  },
  ...Object.fromEntries(
    (["auto", "receiver", "conveyor"] as const).map((transport) => [
      `append buffer, ${transport}`,
      (pe: PE): Made => {
        const a = appendBuffer(pe, 64, { transport });
        return {
          use() {
            a.push(nextOf(pe), bytesOf(pe.rank));
            a.waitUntil({ bytes: 1 });
            const got = a.data()[0] as number;
            a.reset();
            return got;
          },
          free: () => a.free(),
        };
      },
    ]),
  ),
  containers(pe) {
    const data = containers(pe, { counts: countingMap(u32) });
    return {
      use() {
        data.run(({ counts }) => counts.insert(pe.rank));
        const [count] = data.counts.getAll([lastOf(pe)]);
        data.clear();
        return count === 1 ? lastOf(pe) : -1;
      },
      free: () => data.free(),
    };
  },
  channel(pe) {
    const [before, next] = [channel(pe, lastOf(pe)), channel(pe, nextOf(pe))];
    return {
      use() {
        next.send(bytesOf(pe.rank));
        return before.receive()[0] as number;
      },
      free() {
        before.free();
        next.free();
      },
    };
  },
  messenger(pe) {
    const m = messenger(pe);
    return {
      use() {
        m.send(nextOf(pe), bytesOf(pe.rank));
        return m.receive({ from: lastOf(pe) }).bytes[0] as number;
      },
      free: () => m.free(),
    };
  },
  "ordered broadcast"(pe) {
    const b = orderedBroadcast(pe, { item: u32 });
    return {
      use() {
        b.submit(pe.rank);
        let sum = 0;
        for (let i = 0; i < pe.size; i++) sum += b.deliver();
        return sum === (pe.size * (pe.size - 1)) / 2 ? lastOf(pe) : -1;
      },
      free: () => b.free(),
    };
  },
  store(pe) {
    const store = openStore(pe);
    let uses = 0;
    return {
      use() {
        const key = (rank: number) => `${uses} of ${rank}`;
        uses++;
        store.set(key(pe.rank), `${pe.rank}`);
        store.serve(() => store.get(key(lastOf(pe))) !== undefined);
        return Number(store.get(key(lastOf(pe))));
      },
      free: () => store.close(),
    };
  },
};

const nextOf = (pe: PE) => (pe.rank + 1) % pe.size;
const lastOf = (pe: PE) => (pe.rank + pe.size - 1) % pe.size;
const kept = new Map<string, Made>();

export const PARTS: readonly string[] = Object.keys(MAKERS);
/**
 * Those that a PE may leave while others are in a call of them: a store serves the others in its own calls only, such
 * as close.
 */
export const LEFT_AT_ONCE: readonly string[] = PARTS.filter((part) => part !== "store");

/** @param late the PE that takes its time before it frees and returns */
export interface KeptArgs {
  readonly part: string;
  readonly keeps: boolean;
  readonly late: number;
}

const program: Spmd = spmd<KeptArgs>((pe, { part, keeps, late }) => {
  const made = kept.get(part) ?? MAKERS[part]?.(pe);
  if (made === undefined) throw new Error(`no ${part}`);
  const got = made.use();
  if (pe.rank === late) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
  if (keeps) kept.set(part, made);
  else {
    kept.delete(part);
    made.free();
  }
  return got === lastOf(pe);
});
export default program;
