/** A random schedule: callers at members of a virtual network call at random times, members stall and are lost, and then all calms down. */
import type { Pending } from "../../../../src/facilities/agree/waits.ts";
import type { Network, Party, Random } from "../../agree/support/network.ts";

/** One caller at a member, with one call at a time. */
export interface Caller {
  readonly member: number;
  /** The client in the history: another one after a call of unknown outcome. */
  client: number;
  pending: Pending<unknown> | null;
  /** Takes the result of the call. @throws if there is none */
  take: () => void;
  left: number;
}

export interface Play {
  readonly network: Network;
  readonly random: Random;
  /** What runs at each member. */
  readonly parties: readonly Party[];
  /** The first so many members are replicas: a minority of them is lost. */
  readonly replicas: number;
  readonly suspectAfter: number;
  /** Begins a call: sets `pending` and `take`. */
  begin(caller: Caller): void;
}

/** @returns how many replicas were lost */
export function play({ network, random, parties, replicas, suspectAfter, begin }: Play): number {
  const size = network.members.length;
  const callers: Caller[] = [];
  for (const { rank } of network.members) {
    for (let i = random.whole(rank < replicas ? 0 : 1, 2); i > 0; i--)
      callers.push({
        ...{ member: rank, client: callers.length, pending: null, take() {} },
        left: random.whole(2, 10),
      });
  }
  let clients = callers.length;
  const collect = (rank: number): void => {
    for (const caller of callers) {
      if (caller.member !== rank || !caller.pending?.isDone) continue;
      caller.pending = null;
      try {
        caller.take();
      } catch {
        caller.client = clients++;
      }
    }
  };
  for (const member of network.members) {
    const party = parties[member.rank] as Party;
    member.party = {
      advance() {
        const busy = party.advance();
        collect(member.rank);
        return busy;
      },
      get idleFor() {
        return party.idleFor;
      },
    };
  }
  const call = (caller: Caller): void => {
    caller.left--;
    begin(caller);
    collect(caller.member);
    const member = network.members[caller.member];
    if (member !== undefined && !member.stalls) member.next = Math.min(member.next, network.now);
  };
  const isLive = ({ member }: Caller) => !network.isLost(member);
  let lost = 0;
  const losses = random.whole(0, Math.floor((replicas - 1) / 2));
  const [stalls, idles] = [random.pick([0, 0.05, 0.2]), random.pick([0.1, 1, 5])];
  const isBusy = (caller: Caller) => isLive(caller) && (caller.left > 0 || caller.pending !== null);
  for (let step = 0; callers.some(isBusy) && step < 400; step++) {
    for (const caller of callers) {
      if (isLive(caller) && caller.pending === null && caller.left > 0 && random.chance(0.6)) call(caller);
    }
    if (random.chance(stalls))
      network.stall(random.whole(0, size - 1), suspectAfter * random.pick([0.5, 2, 6]) * random.next());
    if (lost < losses && random.chance(0.05)) {
      const rank = random.whole(0, replicas - 1);
      if (!network.isLost(rank)) {
        network.lose(rank);
        lost++;
      }
    }
    if (size > replicas && random.chance(0.005)) network.lose(random.whole(replicas, size - 1));
    network.run(network.now + idles * random.next());
  }
  // the faults end
  const isQuiet = () => callers.every((caller) => !isLive(caller) || caller.pending === null);
  network.run(network.now + 3000, isQuiet);
  return lost;
}

/** A network of random delays. */
export const randomDelays = (random: Random): { delay: number; late: number; noticed: number; room: number } => ({
  delay: random.pick([0.2, 1, 2]),
  late: random.pick([0, 0.01, 0.05]),
  noticed: random.pick([0, 5, 200]),
  room: random.pick([300, 2 ** 16]),
});
