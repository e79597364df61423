/** Programs that break a promise of docs/contract.md, and what can be said of one that breaks none. */
import { biconveyor, conveyor } from "../../../src/conveyor.ts";
import { diagnose, type PE, type Spmd, spmd, u32 } from "../../../src/index.ts";

export type Part =
  | "noDone"
  | "nobodyDone"
  | "noPull"
  | "noLastPull"
  | "putsBack"
  | "noReset"
  | "noVote"
  | "noBegin"
  | "beginOnOne"
  | "sinkThrows"
  | "sinkLoops"
  | "sinkBlocks"
  | "answerBlocks"
  | "noAdvance"
  | "killed"
  | "limit"
  | "fine"
  | "many";

/** More than the buffers hold, to PE 1. */
const flood = (pe: PE) => conveyor(pe, u32, { bufferBytes: 64 }).begin();

function sending(c: ReturnType<typeof flood>, pull: () => void): never {
  for (let sent = 0; ; ) {
    while (sent < 1000 && c.push(1, sent)) sent++;
    c.advance(sent === 1000);
    pull();
  }
}

const send = (push: (dest: number, value: number) => void) => push(1, 5);

/** The same; PE 1 does not become done, so that no other PE can leave before it is in its sink. */
const sendOn =
  (pe: PE) =>
  (push: (dest: number, value: number) => void, turn: () => void): void => {
    send(push);
    while (pe.rank === 1) turn();
  };

const parts: Readonly<Record<Part, (pe: PE) => unknown>> = {
  noDone(pe) {
    const c = conveyor(pe, u32).begin();
    c.push(0, 1);
    for (;;) {
      c.advance(pe.rank !== 1);
      while (c.pull());
    }
  },
  nobodyDone(pe) {
    const c = conveyor(pe, u32).begin();
    for (;;) c.advance(false);
  },
  noPull(pe) {
    const c = flood(pe);
    sending(c, () => {
      while (pe.rank !== 1 && c.pull());
    });
  },
  noLastPull(pe) {
    const c = conveyor(pe, u32, { bufferBytes: 64, buffersPerLink: 1 }).begin();
    // fills the one buffer, so that the word that nothing follows cannot come along with it
    const columns = new Uint32Array(pe.rank === 0 ? 8 : 0);
    const dests = columns.map(() => 1);
    // PE 1 looks at that buffer for ever
    let left = 8;
    for (let i = 0; ; ) {
      if (i < columns.length) i = c.pushAll(dests, columns, i);
      c.advance(i === columns.length);
      if (pe.rank !== 1) c.pull();
      else if (left > 0) left -= c.pullAll()?.count ?? 0;
    }
  },
  putsBack(pe) {
    const c = flood(pe);
    sending(c, () => {
      if (c.pull() && pe.rank === 1) c.unpull();
    });
  },
  noReset(pe) {
    const c = conveyor(pe, u32).begin();
    while (c.advance(true));
    if (pe.rank > 0) pe.barrier();
    c.reset();
    c.begin();
    while (c.advance(true));
  },
  noVote(pe) {
    const c = conveyor(pe, u32, { type: "simple" });
    if (pe.rank > 0) pe.barrier();
    c.begin();
  },
  noBegin(pe) {
    const c = conveyor(pe, u32);
    if (pe.rank > 0) for (;;);
    c.begin();
    while (c.advance(true));
  },
  beginOnOne(pe) {
    if (pe.rank > 0) pe.barrier();
    const c = conveyor(pe, u32).begin();
    while (c.advance(true));
  },
  sinkThrows(pe) {
    conveyor(pe, u32).run(send, () => {
      throw new TypeError("sink broke");
    });
  },
  sinkLoops(pe) {
    conveyor(pe, u32).run(sendOn(pe), () => {
      for (;;);
    });
  },
  sinkBlocks(pe) {
    conveyor(pe, u32).run(sendOn(pe), () => pe.barrier());
  },
  answerBlocks(pe) {
    const answer = (x: number) => {
      pe.barrier();
      return x;
    };
    biconveyor(pe, u32, u32, answer).run(
      (push) => {
        if (pe.rank === 0) push(1, 5);
      },
      () => {},
    );
  },
  noAdvance(pe) {
    const c = conveyor(pe, u32).begin();
    if (pe.rank === 1) for (;;);
    while (c.advance(true));
  },
  killed(pe) {
    const c = conveyor(pe, u32).begin();
    if (pe.rank === 1) process.exit(3);
    for (;;) c.advance(true);
  },
  limit(pe) {
    const c = conveyor(pe, u32, { timeout: 800 });
    pe.barrier();
    c.begin();
    for (;;) c.advance(pe.rank !== 1);
  },
  fine(pe) {
    const c = conveyor(pe, u32);
    c.run(send, () => {});
    // others may still be at it
    pe.barrier();
    return [diagnose(0).problems, pe.diagnose().pes.map(({ conveyors }) => conveyors.length)];
  },
  many(pe) {
    const all = Array.from({ length: 20 }, () => conveyor(pe, u32));
    const told = () => pe.diagnose().pes[pe.rank].conveyors.length;
    const before = told();
    for (const c of all) c.free();
    const after = told();
    pe.barrier();
    return [before, after];
  },
};

const program: Spmd = spmd((pe, args) => {
  // from the command line
  if (Array.isArray(args)) console.error("begun");
  return parts[(Array.isArray(args) ? args[0] : args) as Part](pe);
});
export default program;
