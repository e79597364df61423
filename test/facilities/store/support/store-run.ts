/**
 * One random history of a store on a virtual network: replicas and clients with several calls at a time, members that are lost or stall.
 * All of it follows from the seed. What comes out is checked: linearizable, local reads that never go back, replicas that end equal.
 */
import type { CommandOutcome, KeyChange, WriteSession } from "../../../../src/facilities/store/command.ts";
import type { StoreEngine } from "../../../../src/facilities/store/engine.ts";
import { openEngine } from "../../../../src/facilities/store/open.ts";
import { WriteSessions } from "../../../../src/facilities/store/sessions.ts";
import { Recorder } from "../../agree/support/history.ts";
import { assertLinearizable } from "../../agree/support/linearizable.ts";
import { findStaleRead, type Seen } from "../../agree/support/local-reads.ts";
import { type StoreOp, type StoreResult, storeModel } from "../../agree/support/models.ts";
import { Network, Random } from "../../agree/support/network.ts";
import { type Caller, play, randomDelays } from "./schedule.ts";
import { type Effects, SpiedState } from "./spied-state.ts";

/** What came of it. */
export interface Outcome {
  readonly operations: number;
  readonly unknown: number;
  readonly localReads: number;
  readonly lostReplicas: number;
  readonly settled: boolean;
}

/** What is broken on purpose, to see that it is noticed. */
export type Broken = "latest reads are local" | "writes that are sent again are applied again";

const KEYS = ["a", "b"];

class NoSessions extends WriteSessions {
  override once(_session: WriteSession, _index: number, apply: () => CommandOutcome): CommandOutcome {
    return apply();
  }
}

export function storeRun(seed: number, broken?: Broken): Outcome {
  const random = new Random(seed);
  const replicaCount = random.pick([2, 3, 3, 4, 5]);
  const size = replicaCount + random.whole(0, 3);
  const network = new Network({ size, seed, ...randomDelays(random) });
  const suspectAfter = random.pick([20, 50]);
  const agreement = {
    suspectAfter,
    window: random.pick([1, 3, 1024]),
    snapshotEvery: random.pick([1, 5, 65_536]),
    backlogBytes: random.pick([500, 2 ** 20]),
  };
  const replicas = Array.from({ length: replicaCount }, (_, rank) => rank);
  const effects: Effects = new Map();
  const states: SpiedState[] = [];
  let sessions = 0;
  const engines = network.members.map((members): StoreEngine => {
    const isOnce = broken !== "writes that are sent again are applied again";
    const state = new SpiedState(effects, isOnce ? new WriteSessions() : new NoSessions());
    states.push(state);
    const options = { replicas, agreement, switchAfter: random.pick([30, 100, 2000]) };
    return openEngine(members, options, { state, newSession: () => ++sessions }).engine;
  });
  const history = new Recorder<StoreOp, StoreResult>();
  const seen: Seen<StoreOp, StoreResult>[][] = network.members.map(() => []);
  let values = 0;
  let localReads = 0;
  /** Writes of each value, and who waits for their answers. */
  const acknowledge = (rank: number, value: string) => {
    for (const [index, effect] of effects)
      if (effect.kind === "set" && effect.value === value) return void seen[rank]?.push({ acknowledged: index });
  };

  const begin = (caller: Caller): void => {
    const engine = engines[caller.member] as StoreEngine;
    const key = random.pick(KEYS);
    if (random.chance(0.25)) {
      const op: StoreOp = { kind: "get", key };
      const pending = engine.read(key, false);
      const own = seen[caller.member] as Seen<StoreOp, StoreResult>[];
      const since = own.length;
      caller.pending = pending;
      caller.take = () => {
        localReads++;
        own.push({ read: op, result: (pending.take() ?? null) as StoreResult, since });
      };
      return;
    }
    const value = `v${++values}`;
    // a value that was there lately, so that comparisons hold now and then
    const lately = random.pick([
      null,
      null,
      ...[...effects.values()].slice(-3).map((e) => (e.kind === "set" ? e.value : null)),
    ]);
    const ops: StoreOp[] = [
      { kind: "get", key },
      { kind: "set", key, value },
      { kind: "delete", key },
      { kind: "cas", key, expected: lately, value },
    ];
    const op = random.pick([ops[0], ops[0], ops[1], ops[1], ops[2], ops[3], ops[3]] as StoreOp[]);
    const note = history.invoke(caller.client, op);
    if (op.kind === "get") {
      const pending = engine.read(key, broken !== "latest reads are local");
      caller.pending = pending;
      caller.take = () => note((pending.take() ?? null) as StoreResult);
      return;
    }
    const change: KeyChange =
      op.kind === "cas"
        ? { kind: "compareAndSet", key, expected: op.expected ?? undefined, value }
        : op.kind === "set"
          ? { kind: "set", key, value }
          : { kind: "delete", key };
    const pending = engine.write(change);
    caller.pending = pending;
    caller.take = () => {
      const done = pending.take();
      note(op.kind === "set" ? null : done);
      if (done && op.kind !== "delete") acknowledge(caller.member, value);
    };
  };

  const lost = play({ network, random, parties: engines, replicas: replicaCount, suspectAfter, begin });
  const living = replicas.filter((rank) => !network.isLost(rank));
  const isSettled = () =>
    new Set(living.map((rank) => Buffer.from((states[rank] as SpiedState).snapshot()).toString("hex"))).size === 1;
  network.run(network.now + 500, isSettled);

  const what = `seed ${seed}`;
  assertLinearizable(storeModel, history.operations, what);
  const order: StoreOp[] = [];
  for (const index of [...effects.keys()].sort((a, b) => a - b)) {
    // an index without a command has no effect
    while (order.length < index - 1) order.push({ kind: "delete", key: "" });
    order.push(effects.get(index) as StoreOp);
  }
  for (const [rank, own] of seen.entries()) {
    const wrong = findStaleRead(storeModel, order, own);
    if (wrong === null) continue;
    throw new Error(`${what}: PE ${rank}, call ${wrong} of ${JSON.stringify(own)} in ${JSON.stringify(order)}`);
  }
  return {
    operations: history.operations.length,
    unknown: history.operations.filter(({ returned }) => returned === Number.POSITIVE_INFINITY).length,
    ...{ localReads, lostReplicas: lost, settled: isSettled() },
  };
}
