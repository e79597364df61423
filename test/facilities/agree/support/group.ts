/** A group of replicas on a virtual network, with programs that propose at random, and all that must hold checked as they go. */
import type { ReplicaOptions } from "../../../../src/facilities/agree/options.ts";
import type { Proposal } from "../../../../src/facilities/agree/proposal.ts";
import { Replica } from "../../../../src/facilities/agree/replica.ts";
import type { DurableLog } from "../../../../src/facilities/agree/state-machine.ts";
import { Counted, commandOf, Order, placeOf } from "./counted.ts";
import { Network, type NetworkOptions } from "./network.ts";

export interface GroupOptions {
  readonly network: NetworkOptions;
  readonly replica?: ReplicaOptions;
  readonly logs?: readonly DurableLog[];
  readonly ballast?: number;
  readonly order?: Order;
  readonly commandBytes?: number;
}

interface Call {
  readonly proposal: Proposal;
  readonly command: string | null;
  /** How many commands had been answered, as a place, when it was proposed. */
  readonly after: number;
}

export class Group {
  readonly network: Network;
  readonly order: Order;
  readonly replicas: readonly Replica[];
  readonly machines: readonly Counted[];
  readonly #calls: Call[][];
  readonly #proposed: number[];
  readonly #commandBytes: number;
  /** The highest place that was answered anywhere, plus one. */
  #answered = 0;
  answers = 0;

  constructor({ network, replica, logs, ballast = 0, order = new Order(), commandBytes = 8 }: GroupOptions) {
    this.network = new Network(network);
    this.order = order;
    this.#commandBytes = commandBytes;
    const { members } = this.network;
    this.machines = members.map(({ rank }) => new Counted(order, rank, ballast));
    this.replicas = members.map(
      (member, rank) =>
        new Replica(member, this.machines[rank] as Counted, {
          suspectAfter: 50,
          ...replica,
          ...(logs === undefined ? {} : { log: logs[rank] }),
        }),
    );
    this.#calls = members.map(() => []);
    // what was recovered is applied by now
    this.#proposed = members.map(({ rank }) => order.lastOf(rank));
    for (const member of members) {
      const replica = this.replicas[member.rank] as Replica;
      member.party = {
        advance: () => {
          const busy = replica.advance();
          this.#collect(member.rank);
          return busy;
        },
        get idleFor() {
          return replica.idleFor;
        },
      };
    }
  }

  get living(): number[] {
    return this.network.members.map(({ rank }) => rank).filter((rank) => !this.network.isLost(rank));
  }

  get open(): number {
    return this.living.reduce((sum, rank) => sum + (this.#calls[rank] as Call[]).length, 0);
  }

  propose(rank: number): Proposal {
    const n = (this.#proposed[rank] as number) + 1;
    this.#proposed[rank] = n;
    const command = `${rank}:${n}`;
    this.order.proposed.add(command);
    const proposal = (this.replicas[rank] as Replica).propose(commandOf(rank, n, this.#commandBytes));
    this.#calls[rank]?.push({ proposal, command, after: this.#answered });
    this.#wake(rank);
    return proposal;
  }

  sync(rank: number): void {
    const proposal = (this.replicas[rank] as Replica).sync();
    this.#calls[rank]?.push({ proposal, command: null, after: this.#answered });
    this.#wake(rank);
  }

  #wake(rank: number): void {
    const member = this.network.members[rank];
    if (member !== undefined && !member.stalls) member.next = Math.min(member.next, this.network.now);
  }

  /** Runs until all that living replicas have proposed is answered. @returns whether it is */
  finish(ms: number): boolean {
    const done = () => this.open === 0 && this.isSettled;
    this.network.run(this.network.now + ms, done);
    return done();
  }

  /** Whether all living replicas have applied the same. */
  get isSettled(): boolean {
    const [first = 0, ...others] = this.living;
    return others.every((rank) => this.machines[rank]?.count === this.machines[first]?.count);
  }

  /** Whether a majority lives, and somebody of the newest configuration that is known. */
  get mayGoOn(): boolean {
    const { living, replicas } = this;
    const known = living.map((rank) => replicas[rank] as Replica).sort((a, b) => b.epoch - a.epoch);
    const { leader, acceptor } = known[0] as Replica;
    return (living.includes(leader) || living.includes(acceptor)) && living.length > replicas.length / 2;
  }

  /** Whether all living replicas know one configuration, of two that live. */
  get isWhole(): boolean {
    const { living } = this;
    const epochs = new Set(living.map((rank) => this.replicas[rank]?.epoch));
    const { leader, acceptor } = this.replicas[living[0] as number] as Replica;
    return epochs.size === 1 && living.includes(leader) && living.includes(acceptor);
  }

  #collect(rank: number): void {
    const calls = this.#calls[rank] as Call[];
    let done = 0;
    for (; calls[done]?.proposal.done; done++) {
      const { proposal, command, after } = calls[done] as Call;
      if (proposal.error !== null) continue;
      this.answers++;
      if (command === null) {
        const { count } = this.machines[rank] as Counted;
        if (count < after) throw new Error(`sync: replica ${rank} has ${count} of ${after}`);
        continue;
      }
      const place = placeOf(proposal.reply as Uint8Array);
      if (this.order.commands[place] !== command)
        throw new Error(`${command} has the reply of ${this.order.commands[place]}`);
      if (place < after) throw new Error(`real time: ${command} is ${place}, and ${after} were answered before`);
      this.#answered = Math.max(this.#answered, place + 1);
    }
    if (done > 0) calls.splice(0, done);
    if (calls.some(({ proposal }) => proposal.done && proposal.error === null))
      throw new Error(`replica ${rank}: replies out of order`);
  }
}
