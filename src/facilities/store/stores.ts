/** Replicated stores among the PEs of a group. */
import type { Group } from "../../pe/group.ts";
import { among as amongSome, treeFrom } from "../../pe/member-trees.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { among } from "../messages/among.ts";
import { openStore as openStoreAmong } from "./open.ts";
import type { StoreOptions } from "./options.ts";
import type { Store } from "./store.ts";

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
  const seat = seatOf(pe, "openStore");
  return among(seat, "members of a store", (members) => {
    const replicas = options?.replicas;
    // its ranks are places among the replicas
    const treeFor = (root: number) =>
      replicas === undefined
        ? treeFrom(seat, root)
        : amongSome(replicas, treeFrom(seat, replicas[root] as number), root);
    return openStoreAmong(members, options && { ...options, agreement: { treeFor, ...options.agreement } });
  });
}
