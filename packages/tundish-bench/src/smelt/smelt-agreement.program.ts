/**
 * The PEs of `bench smelt`, part agreement: each is a replica, and all propose (figures 12 and 13 of Smelt's paper, and
 * 2PC of figure 8). Each kind runs along the tree of the world and by sequential sending, in turn: as many commands
 * under way at each PE as its window holds, for the time per command; and one PE alone, command by command, for the
 * time until its reply.
 */

import type { Entry } from "../../../../microbench/turns/contender.ts";
import { distanceProbe, type ProbeWords } from "../../../../microbench/turns/distance.ts";
import { openReplica, openTwoPhaseCommit, type StateMachine, type Transaction } from "../../../../src/agree.ts";
import { Fifo } from "../../../../src/ground/base/fifo.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { bytes, type Group, type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { orderedBroadcast } from "../../../../src/messages.ts";
import { openStore } from "../../../../src/store.ts";
import type { Trees } from "../../../../trees/model/tree.ts";

export interface SmeltAgreementJob extends ProbeWords {
  readonly batches: number;
  /** Commands of each PE in a batch; and of the one that proposes alone. */
  readonly commands: number;
  readonly alone: number;
  /** The trees of sequential sending. */
  readonly sequential: Trees;
}

export interface SmeltAgreementAnswer {
  readonly bound: boolean;
  readonly samples: readonly Entry[];
}

type Dissemination = "tree" | "sequential";
/** The work of one kind: both are called by all PEs at once. */
interface Kind {
  /** All PEs propose. */
  all(commands: number): void;
  /** The last PE proposes, one after the other; ns of each there. */
  one(commands: number): number[];
  close(): void;
}

/** Bytes of a command: a key of 8 and a value of 16, as in the paper. */
const COMMAND_BYTES = 24;
const WINDOW = 64;
/** Batches that are dropped. */
const WARM = 2;
const REPLY = new Uint8Array(8);

/** The time of each call, ns. */
function timed(commands: number, act: () => unknown): number[] {
  const times: number[] = [];
  for (let i = 0; i < commands; i++) {
    const began = performance.now();
    act();
    times.push((performance.now() - began) * 1e6);
  }
  return times;
}

class Counter implements StateMachine {
  count = 0;
  apply(): Uint8Array {
    this.count++;
    return REPLY;
  }
  snapshot(): Uint8Array {
    return Float64Array.of(this.count) as unknown as Uint8Array;
  }
  restore(): void {}
}

/** 1Paxos. @param batchBytes 1 sends each command by itself, as in the paper */
function paxos(group: Group, dissemination: Dissemination, batchBytes: number): Kind {
  const machine = new Counter();
  const replica = openReplica(group, machine, { dissemination, batchBytes, window: WINDOW });
  const command = new Uint8Array(COMMAND_BYTES);
  let due = 0;
  return {
    all(commands) {
      due += commands * group.size;
      let proposed = 0;
      replica.serve(() => {
        for (; proposed < commands && replica.room > 0; proposed++) replica.propose(command);
        return proposed === commands && machine.count >= due;
      });
    },
    one(commands) {
      due += commands;
      const isAlone = group.rank === group.size - 1;
      const times = isAlone ? timed(commands, () => replica.proposeAndWait(command)) : [];
      replica.serve(() => machine.count >= due);
      return times;
    },
    close: () => replica.close(),
  };
}

function twoPhase(group: Group, dissemination: Dissemination): Kind {
  let decided = 0;
  const participant = {
    vote: () => true,
    decide() {
      decided++;
    },
  };
  const commit = openTwoPhaseCommit(group, participant, { dissemination, window: WINDOW });
  const command = new Uint8Array(COMMAND_BYTES);
  let due = 0;
  return {
    all(commands) {
      due += commands * group.size;
      const own = new Fifo<Transaction>();
      let proposed = 0;
      commit.serve(() => {
        while (own.first?.done) own.leave();
        for (; proposed < commands && own.length < WINDOW; proposed++) own.add(commit.propose(command));
        return proposed === commands && decided >= due;
      });
    },
    one(commands) {
      due += commands;
      const isAlone = group.rank === group.size - 1;
      const times = isAlone ? timed(commands, () => commit.wait(commit.propose(command))) : [];
      commit.serve(() => decided >= due);
      return times;
    },
    close: () => commit.close(),
  };
}

/** The atomic broadcast among the same threads (figure 12c), along the trees of the group. */
function broadcast(group: Group): Kind {
  const b = orderedBroadcast(group, { item: bytes(COMMAND_BYTES) });
  const command = new Uint8Array(COMMAND_BYTES);
  return {
    all(commands) {
      const due = commands * group.size;
      let delivered = 0;
      for (let i = 0; i < commands; i++) {
        b.submit(command);
        while (b.tryDeliver() !== undefined) delivered++;
      }
      for (; delivered < due; delivered++) b.deliver();
    },
    one(commands) {
      if (group.rank !== group.size - 1) {
        for (let i = 0; i < commands; i++) b.deliver();
        return [];
      }
      return timed(commands, () => {
        b.submit(command);
        b.deliver();
      });
    },
    close: () => b.free(),
  };
}

/** 80 of 100 calls are gets, from the copy; each PE is the client of its replica. Times are those of sets. */
function store(group: Group, dissemination: Dissemination): Kind {
  const kv = openStore(group, { agreement: { dissemination } });
  let round = 0;
  const key = (i: number) => `key ${(i * 7 + group.rank) % 1000}`;
  const value = (i: number) => `value ${i}`.padEnd(16, ".");
  const together = (act: () => void) => {
    const name = `round ${round++}`;
    act();
    // all others must have ended, too; this PE works for them until then
    kv.set(`${name} ${group.rank}`, "over");
    const names = Array.from({ length: group.size }, (_, rank) => `${name} ${rank}`);
    kv.serve(() => names.every((one) => kv.get(one) !== undefined));
  };
  return {
    all(commands) {
      together(() => {
        for (let i = 0; i < commands; i++) {
          for (let get = 0; get < 4; get++) kv.get(key(i + get));
          kv.set(key(i), value(i));
        }
      });
    },
    one(commands) {
      let times: number[] = [];
      let i = 0;
      together(() => {
        if (group.rank === group.size - 1) times = timed(commands, () => kv.set(key(i), value(i++)));
      });
      return times;
    },
    close: () => kv.close(),
  };
}

const program: Spmd = spmd(
  (pe: PE, { batches, commands, alone, sequential, words }: SmeltAgreementJob): SmeltAgreementAnswer => {
    const members = Array.from({ length: pe.size }, (_, rank) => rank);
    const group = pe.group(members);
    const star = pe.group(members, { trees: sequential });
    const probe = distanceProbe(pe, words);
    const samples: Entry[] = [];
    const kinds: readonly (readonly [string, (how: Dissemination) => Kind])[] = [
      ["1Paxos", (how) => paxos(group, how, 1)],
      ["1Paxos, batches", (how) => paxos(group, how, 65_536)],
      ["atomic broadcast", (how) => broadcast(how === "tree" ? group : star)],
      ["2PC", (how) => twoPhase(group, how)],
      ["store, sets", (how) => store(group, how)],
    ];
    for (const [what, make] of kinds) {
      const both = (["tree", "sequential"] as const).map((name) => ({
        name,
        kind: make(name),
        each: [] as number[],
        latency: [] as number[],
        probes: [] as number[][],
      }));
      // the first batches of each are dropped: V8 compiles meanwhile
      for (let batch = -WARM; batch < batches; batch++) {
        for (const { kind, each, latency, probes } of both) {
          const before = probe?.() ?? 0;
          pe.barrier();
          const began = performance.now();
          kind.all(commands);
          const took = pe.allreduce(performance.now() - began, "max") as number;
          const times = kind.one(alone);
          // of the PE that has proposed
          const reply = pe.broadcast(times.length > 0 ? median(Float64Array.from(times)) : 0, pe.size - 1);
          if (batch < 0) continue;
          each.push((took * 1e6) / (commands * pe.size));
          latency.push(reply);
          if (probe) probes.push([before, probe()]);
        }
      }
      for (const { name, kind, each, latency, probes } of both) {
        kind.close();
        const at = probe ? { probes } : {};
        samples.push({
          name,
          what: `${what}: time per command`,
          batch: commands * pe.size,
          samples: each,
          ...at,
        });
        samples.push({ name, what: `${what}: until the reply`, batch: alone, samples: latency, ...at });
        pe.barrier();
      }
    }
    return { bound: pe.cpu !== null, samples };
  },
);

export default program;
