/** Opens a store: each member gets what it needs, a replica with a copy, or a client of one. */

import type { DurableLog, StateMachine } from "../agree/types.ts";
import { UsageError } from "../base/errors.ts";
import { nodeCrypto } from "../base/node-crypto.ts";
import { shortText } from "../base/short-text.ts";
import type { Members } from "../point-to-point/members.ts";
import { ClientEngine } from "./client-engine.ts";
import { Leaving } from "./leaving.ts";
import { openLog } from "./log/open.ts";
import { checkStoreOptions, DEFAULT_SWITCH_AFTER_MS, type StoreOptions } from "./options.ts";
import type { Ordering } from "./ordering.ts";
import { ReplicaEngine } from "./replica-engine.ts";
import { ClientServer } from "./server.ts";
import { splitMembers } from "./split.ts";
import { StoreState } from "./state.ts";
import { Store } from "./store.ts";
import { DEFAULT_LIMITS } from "./value.ts";

/** Makes this member's replica. @param members the replicas alone, with ranks of their own */
export type MakeReplica = (members: Members, machine: StateMachine, log: DurableLog | undefined) => Ordering;

/**
 * Opens a store; all members do, with the same options.
 * @param newSession a number that no client has had: a random one unless told
 * @throws UsageError; what {@link openLog} throws
 */
export function openStoreOn(
  members: Members,
  makeReplica: MakeReplica,
  options: StoreOptions = {},
  newSession: () => number = randomNumber,
): Store {
  checkStoreOptions(options, members.size);
  const everyone = Array.from({ length: members.size }, (_, rank) => rank);
  const { replicas = everyone, switchAfter = DEFAULT_SWITCH_AFTER_MS } = options;
  const { keyBytes = DEFAULT_LIMITS.keyBytes, valueBytes = DEFAULT_LIMITS.valueBytes } = options;
  const { timeout = Number.POSITIVE_INFINITY } = options;
  const parts = splitMembers(members, replicas);
  const leaving = new Leaving(parts.all);
  const storeOf = (engine: ReplicaEngine | ClientEngine) =>
    new Store(engine, parts.all, { keyBytes, valueBytes }, timeout);
  if (parts.replicas === null) {
    const order = fromNearest(members.rank, replicas, options.nearestTo);
    return storeOf(new ClientEngine(parts.all, leaving, { replicas: order, switchAfter, newSession }));
  }
  const { log: folder, fsync, fsyncInterval } = options;
  const log = folder === undefined ? undefined : openLog(folder, { fsync, fsyncInterval });
  try {
    const state = new StoreState();
    const ordering = makeReplica(parts.replicas, state, log);
    return storeOf(new ReplicaEngine(ordering, state, new ClientServer(parts.all, ordering, state, leaving)));
  } catch (error) {
    log?.close();
    throw error;
  }
}

/** The replicas in the order in which a client asks them: the nearest one, and those behind it in turn. */
function fromNearest(
  client: number,
  replicas: readonly number[],
  nearestTo: StoreOptions["nearestTo"],
): readonly number[] {
  const before = Array.from({ length: client }, (_, rank) => rank);
  // clients in turn
  const place = before.filter((rank) => !replicas.includes(rank)).length % replicas.length;
  const first = nearestTo === undefined ? place : replicas.indexOf(nearestTo(client));
  if (first < 0) {
    throw new UsageError(
      `nearestTo: expected a replica (${replicas.join(", ")}) for client ${client}, got ${shortText(nearestTo?.(client))}`,
    );
  }
  return [...replicas.slice(first), ...replicas.slice(0, first)];
}

/** 53 random bits: two of a million are equal once in 20 000 cases. */
function randomNumber(): number {
  const [high, low] = nodeCrypto().getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return (high % 2 ** 21) * 2 ** 32 + low;
}
