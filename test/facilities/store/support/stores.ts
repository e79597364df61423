/** Stores on a virtual network, for calls as programs make them: who waits lets the others run. */

import type { Members } from "../../../../src/facilities/messages/members.ts";
import { openStore } from "../../../../src/facilities/store/open.ts";
import type { StoreOptions } from "../../../../src/facilities/store/options.ts";
import type { Store } from "../../../../src/facilities/store/store.ts";
import { Network } from "../../agree/support/network.ts";

export interface Stores {
  readonly network: Network;
  /** The members that were freed. */
  readonly freed: readonly number[];
  readonly stores: readonly Store[];
}

/** @param optionsOf what a member has other than `options` */
export function openStores(
  size: number,
  options: StoreOptions = {},
  optionsOf: (rank: number) => StoreOptions = () => ({}),
): Stores {
  const network = new Network({ size, seed: 5 });
  const freed: number[] = [];
  const stores = network.members.map((member) => {
    const members = Object.assign(waiting(network, member), { free: () => void freed.push(member.rank) });
    const agreement = { suspectAfter: 50, ...options.agreement };
    const all = { ...options, agreement, ...optionsOf(member.rank) };
    return openStore(members, all);
  });
  for (const member of network.members) {
    const store = stores[member.rank] as Store;
    member.party = { advance: () => !store.isClosed && store.advance(), idleFor: 1 };
  }
  return { network, stores, freed };
}

/** Members that can wait: the others run meanwhile. */
function waiting(network: Network, members: Members): Members {
  return {
    rank: members.rank,
    size: members.size,
    get now() {
      return network.now;
    },
    post: (to, bytes) => members.post(to, bytes),
    tryReceive: () => members.tryReceive(),
    isLost: (member) => members.isLost(member),
    backlog: (member) => members.backlog(member),
    wait: (ms) => network.run(network.now + Math.min(ms, 1)),
    waitAsync: async (ms) => {
      await undefined;
      network.run(network.now + Math.min(ms, 1));
    },
  };
}
