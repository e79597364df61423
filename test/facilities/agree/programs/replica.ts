/** Replicas of a counter on virtual PEs: each calls, while PEs crash and stall. */
import * as assert from "uvu/assert";
import { openReplica, type Replica, type ReplicaOptions, type StateMachine } from "../../../../src/agree.ts";
import type { PE } from "../../../../src/index.ts";
import { assertLinearizable } from "../support/linearizable.ts";
import { counterModel } from "../support/models.ts";
import { Random } from "../support/network.ts";
import { checkOwnOrder, checkPrefixes, drawsOf, opened, runIn, settingOf, TimedHistory, workUntil } from "./setting.ts";
import type { Outcome } from "./store.ts";

/** Adds the last byte of a command: place, number, amount. Keeps all commands. */
class Counter implements StateMachine {
  sum = 0;
  commands: number[] = [];

  apply(command: Uint8Array): Uint8Array {
    const [place = 0, number = 0, amount = 0] = command;
    this.sum += amount;
    this.commands.push(256 * place + number);
    return new Uint8Array(Uint32Array.of(this.sum).buffer);
  }

  snapshot(): Uint8Array {
    return new Uint8Array(Uint32Array.of(this.sum, ...this.commands).buffer);
  }

  restore(snapshot: Uint8Array): void {
    const [sum = 0, ...commands] = new Uint32Array(snapshot.slice().buffer);
    checkPrefixes([this.commands, commands]);
    assert.ok(commands.length >= this.commands.length, "a snapshot of an older state");
    this.sum = sum;
    this.commands = commands;
  }
}

export async function replicaRun(seed: number, readsAreLocal = false): Promise<Outcome> {
  const random = new Random(seed);
  const setting = settingOf(random, seed, 2);
  const { members, suspectAfter, calm, crashes } = setting;
  const leader = random.whole(0, members.length - 1);
  const options: ReplicaOptions = {
    suspectAfter,
    leader,
    acceptor: (leader + random.whole(1, members.length - 1)) % members.length,
    window: random.pick([1, 3, 1024]),
    snapshotEvery: random.pick([1, 5, 65_536]),
    batchBytes: random.pick([1, 100, 65_536]),
    backlogBytes: random.pick([500, 2 ** 20]),
    dissemination: random.pick(["tree", "sequential"]),
  };
  const timeout = random.pick([undefined, 5 * suspectAfter, 50 * suspectAfter]);
  const idle = random.pick([0, 0.1, 1]) * 1e6 * suspectAfter;
  const history = new TimedHistory<number, number>();
  const counters = members.map(() => new Counter());
  const open = new Set<number>();
  const done = new Set<number>();
  let settled = false;

  const call = async (pe: PE, replica: Replica, counter: Counter, draws: Random, number: number) => {
    // 0 reads: through the order, or the copy after a sync
    const amount = draws.pick([0, 0, 1, 2, 3]);
    const note = history.invoke(pe, amount);
    if (amount === 0 && draws.chance(0.5)) {
      if (!readsAreLocal) await replica.syncAsync({ timeout });
      note(counter.sum);
      return;
    }
    const reply = await replica.proposeAsync(Uint8Array.of(replica.rank, number, amount), { timeout });
    note(new Uint32Array(reply.slice().buffer)[0] as number);
  };

  const { events } = await runIn(setting, async (pe) => {
    if (!members.includes(pe.rank)) return;
    const counter = counters[members.indexOf(pe.rank)] as Counter;
    const replica = opened(() => openReplica(pe.group(members), counter, options));
    open.add(pe.rank);
    workUntil(pe, setting);
    const draws = drawsOf(seed, pe.rank);
    let number = 0;
    const caller = async () => {
      for (let left = draws.whole(2, 8); left > 0; left--) {
        if (draws.chance(0.3)) pe.work(2000 * draws.next());
        const until = pe.now + idle * draws.next();
        if (draws.chance(0.3)) await replica.serveAsync(() => pe.now >= until);
        try {
          await call(pe, replica, counter, draws, number++);
        } catch (error) {
          const { name } = error as Error;
          if (!["TimeoutError", "RankLostError"].includes(name)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: draws.whole(0, 3) }, caller));
    done.add(pe.rank);
    const limit = calm + 1e6 * suspectAfter * 200;
    await replica.serveAsync(() => {
      const living = [...open].filter((rank) => !pe.lost.includes(rank));
      const lengths = living.map((rank) => counters[members.indexOf(rank)]?.commands.length);
      settled ||= pe.now > calm && living.every((rank) => done.has(rank)) && lengths.every((one) => one === lengths[0]);
      return settled || pe.now > limit;
    });
    replica.close();
  });
  assertLinearizable(counterModel, history.operations, `seed ${seed}`);
  const all = checkPrefixes(counters.map(({ commands }) => commands));
  checkOwnOrder(all, (one) => one >> 8);
  if (!settled && open.size === members.length)
    throw new Error(`seed ${seed}: copies differ: ${JSON.stringify(counters)}`);
  const { length } = history.operations;
  return { operations: length, unknown: history.unknown, crashes: crashes.size, settled, events };
}
