/** Opens a store: each member gets what it needs, a replica with a copy, or a client of one. */

import { UsageError } from "../../ground/base/errors.ts";
import { nodeCrypto } from "../../ground/base/node-crypto.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ReplicaOptions } from "../agree/options.ts";
import { Replica } from "../agree/replica.ts";
import type { StateMachine } from "../agree/state-machine.ts";
import type { Members } from "../messages/members.ts";
import { ClientEngine } from "./client-engine.ts";
import type { StoreEngine } from "./engine.ts";
import { Leaving } from "./leaving.ts";
import { openLog } from "./log/open.ts";
import { checkStoreOptions, DEFAULT_SWITCH_AFTER_MS, type StoreOptions } from "./options.ts";
import type { Ordering } from "./ordering.ts";
import { ReplicaEngine } from "./replica-engine.ts";
import { ClientServer } from "./server.ts";
import { splitMembers } from "./split.ts";
import { StoreState } from "./state.ts";
import { makeStore, type Store } from "./store.ts";
import { DEFAULT_LIMITS } from "./value.ts";

/** Makes this member's replica. @param members the replicas alone, with ranks of their own */
export type MakeReplica = (members: Members, machine: StateMachine, options: ReplicaOptions) => Ordering;

/** Parts that tests exchange. */
export interface StoreParts {
  readonly makeReplica?: MakeReplica;
  /** A number that no client has had. */
  readonly newSession?: () => number;
  readonly state?: StoreState;
}

/** Opens a store; all members do, with equal options but `log`. @throws UsageError; LogError and its subclasses */
export function openStore(members: Members, options: StoreOptions = {}): Store {
  const { engine, all } = openEngine(members, options);
  const { keyBytes = DEFAULT_LIMITS.keyBytes, valueBytes = DEFAULT_LIMITS.valueBytes } = options;
  const { timeout = Number.POSITIVE_INFINITY } = options;
  return makeStore(engine, all, { keyBytes, valueBytes }, timeout);
}

/** The engine of this member's calls, and the members as its store sees them. */
export function openEngine(
  members: Members,
  options: StoreOptions,
  parts: StoreParts = {},
): { engine: StoreEngine; all: Members } {
  checkStoreOptions(options, members.size);
  const everyone = Array.from({ length: members.size }, (_, rank) => rank);
  const { replicas = everyone, switchAfter = DEFAULT_SWITCH_AFTER_MS } = options;
  const { newSession = randomNumber, makeReplica = makeReal, state = new StoreState() } = parts;
  const split = splitMembers(members, replicas);
  const { all } = split;
  const leaving = new Leaving(all);
  if (split.replicas === null) {
    const order = fromNearest(members.rank, replicas, options.nearestTo);
    return { engine: new ClientEngine(all, leaving, { replicas: order, switchAfter, newSession }), all };
  }
  const { log: folder, fsync, fsyncInterval } = options;
  const log = folder === undefined ? undefined : openLog(folder, { fsync, fsyncInterval });
  try {
    const ordering = makeReplica(split.replicas, state, { ...options.agreement, log });
    return {
      engine: new ReplicaEngine(ordering, state, new ClientServer(all, ordering, state, leaving), replicas),
      all,
    };
  } catch (error) {
    log?.close();
    throw error;
  }
}

const makeReal: MakeReplica = (members, machine, options) => new Replica(members, machine, options);

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
