/** Agreement among the PEs of a group: replicas, two-phase commit, and the store. */
import type { ReplicaOptions } from "../facilities/agree/options.ts";
import { Replica } from "../facilities/agree/replica.ts";
import { TwoPhaseCommit } from "../facilities/agree/two-phase/two-phase-commit.ts";
import type { Participant, TwoPhaseOptions } from "../facilities/agree/two-phase/types.ts";
import type { StateMachine } from "../facilities/agree/types.ts";
import type { PairMembers } from "../facilities/messages/pair-members.ts";
import { openStore as openStoreAmong } from "../facilities/store/open.ts";
import type { StoreOptions } from "../facilities/store/options.ts";
import type { Store } from "../facilities/store/store.ts";
import type { Group } from "./group.ts";
import { among as amongSome } from "./member-trees.ts";

/** The pairs of members: small messages most of the time, and batches of up to 64 KiB. */
const PAIRS = { slots: 64, partBytes: 8192 };

/** The group's trees for who has given none. What are no options stays so, and is refused. */
const withTrees = <T extends object>(pe: Group, options: T): T =>
  typeof options === "object" && options !== null
    ? { treeFor: (root: number) => pe.treeFrom(root), ...options }
    : options;

/** Makes something among the members of a group. What fails gives them up. */
function among<T>(pe: Group, terms: string, make: (members: PairMembers) => T): T {
  const members = pe.members({ ...PAIRS, terms });
  try {
    return make(members);
  } catch (error) {
    members.free();
    throw error;
  }
}

/**
 * Makes a replica of a state machine that the PEs of a group agree on by 1Paxos. Collective: all PEs of the group make one, with the same
 * options but `log`. `treeFor` is from the group's trees unless it is given.
 *
 *     const replica = openReplica(pe, machine);
 *     const reply = replica.proposeAndWait(command);
 *
 * In a world with `onLoss: "continue"` the others go on when a PE is lost (docs/agreement.md says when).
 * @throws UsageError; HeapError; MismatchError, which ends the world
 */
export function openReplica(pe: Group, machine: StateMachine, options: ReplicaOptions = {}): Replica {
  return among(
    pe,
    "members of a replica",
    (members) => new Replica(members, machine, withTrees(pe, options)),
  );
}

/** Makes this PE a member of two-phase commits. Collective, as {@link openReplica}. @throws as there */
export function openTwoPhaseCommit(
  pe: Group,
  participant: Participant,
  options: TwoPhaseOptions = {},
): TwoPhaseCommit {
  return among(
    pe,
    "members of a two-phase commit",
    (members) => new TwoPhaseCommit(members, participant, withTrees(pe, options)),
  );
}

/**
 * Opens a replicated store. Collective: all PEs of the group do, with the same options but `log`. See docs/store.md.
 *
 *     const store = openStore(pe);
 *     store.set("ready", "yes");
 *     store.get("ready");
 *
 * @throws UsageError; HeapError; LogError, CorruptLogError, LogLockedError; MismatchError, which ends the world
 */
export function openStore(pe: Group, options: StoreOptions = {}): Store {
  return among(pe, "members of a store", (members) => {
    const replicas = options?.replicas;
    // its ranks are places among the replicas
    const treeFor = (root: number) =>
      replicas === undefined
        ? pe.treeFrom(root)
        : amongSome(replicas, pe.treeFrom(replicas[root] as number), root);
    return openStoreAmong(members, options && { ...options, agreement: { treeFor, ...options.agreement } });
  });
}
