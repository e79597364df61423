/** One random history of replicas of a counter: the plain Replica, without a store. All of it follows from the seed. */
import { Replica } from "../../../../src/facilities/agree/replica.ts";
import type { StateMachine } from "../../../../src/facilities/agree/state-machine.ts";
import { Recorder } from "../../agree/support/history.ts";
import { assertLinearizable } from "../../agree/support/linearizable.ts";
import { counterModel } from "../../agree/support/models.ts";
import { Network, Random } from "../../agree/support/network.ts";
import { play, randomDelays } from "./schedule.ts";

class Counter implements StateMachine {
  sum = 0;

  /** Adds the one byte of the command. @returns the sum */
  apply(command: Uint8Array): Uint8Array {
    this.sum += command[0] as number;
    return this.snapshot();
  }

  snapshot(): Uint8Array {
    return new Uint8Array(Uint32Array.of(this.sum).buffer);
  }

  restore(snapshot: Uint8Array): void {
    this.sum = new Uint32Array(snapshot.slice().buffer)[0] as number;
  }
}

/** @returns how many operations there were */
export function counterRun(seed: number): number {
  const random = new Random(seed);
  const size = random.pick([2, 3, 3, 4, 5]);
  const network = new Network({ size, seed, ...randomDelays(random) });
  const suspectAfter = random.pick([20, 50]);
  const options = {
    suspectAfter,
    window: random.pick([1, 3, 1024]),
    snapshotEvery: random.pick([1, 5, 65_536]),
  };
  const counters = network.members.map(() => new Counter());
  const replicas = network.members.map((members, i) => new Replica(members, counters[i] as Counter, options));
  const history = new Recorder<number, number>();
  play({
    ...{ network, random, parties: replicas, replicas: size, suspectAfter },
    begin(caller) {
      const replica = replicas[caller.member] as Replica;
      // 0 reads: through the order, or the copy after a sync
      const amount = random.pick([0, 0, 1, 2, 3]);
      const isSync = amount === 0 && random.chance(0.5);
      const note = history.invoke(caller.client, amount);
      const proposal = isSync ? replica.sync() : replica.propose(Uint8Array.of(amount));
      caller.pending = {
        get isDone() {
          return proposal.done;
        },
        take() {},
      };
      caller.take = () => {
        if (proposal.error !== null) throw proposal.error;
        const { sum } = counters[caller.member] as Counter;
        note(isSync ? sum : (new Uint32Array((proposal.reply as Uint8Array).slice().buffer)[0] as number));
      };
    },
  });
  assertLinearizable(counterModel, history.operations, `seed ${seed}`);
  return history.operations.length;
}
