/** Options of replicas, and what they are unless told. */
import {
  callback,
  checkOptions,
  is,
  type OptionField,
  oneOf,
  optionsOf,
  positive,
  whole,
} from "../../ground/base/options.ts";
import type { Dissemination, DurableLog } from "./state-machine.ts";

export interface ReplicaOptions {
  /** How learned commands go to all replicas: along `treeFor`, or in turn. @default "tree" with `treeFor` */
  readonly dissemination?: Dissemination | undefined;
  /** The children of each member, by rank, in a tree of all members with this root. The same at all replicas. */
  readonly treeFor?: ((root: number) => readonly (readonly number[])[]) | undefined;
  /** The first leader and the first acceptor; 0 and 1 unless told. The same at all replicas. */
  readonly leader?: number | undefined;
  readonly acceptor?: number | undefined;
  /** Silence, ms, that makes a member suspected; default 1000. A replica not polled for so long may lose its role. */
  readonly suspectAfter?: number | undefined;
  /** How many of this replica's commands may be under way; default 1024. Others wait. The same at all replicas. */
  readonly window?: number | undefined;
  /** Bytes of commands in one message, more only for one large command; 65536 unless told. */
  readonly batchBytes?: number | undefined;
  /** Bytes that may wait for a slow member: more is not sent to it, it catches up later; 2^20 unless told. */
  readonly backlogBytes?: number | undefined;
  /**
   * Commands that a replica keeps for others that are behind, besides those that some live replica still needs up to
   * this number; with a log also: after how many it is replaced by a snapshot. 65536 unless told.
   */
  readonly snapshotEvery?: number | undefined;
  /** Keeps the commands over restarts of the processes. All replicas have one, or none. */
  readonly log?: DurableLog | undefined;
}

/** An object that has these functions, and may have more. */
export const withFunctions = (...names: readonly string[]): OptionField =>
  is(`an object with the functions ${names.join(", ")}`, (x) => {
    return typeof x === "object" && x !== null && names.every((name) => typeof Reflect.get(x, name) === "function");
  });

/** Checked fields of a state machine, and of a log. */
export const MACHINE: OptionField = withFunctions("apply", "snapshot", "restore");
const LOG: OptionField = withFunctions("append", "truncate", "close");

/** Options with what they are unless told. */
export interface Settings {
  readonly treeFor: ((root: number) => readonly (readonly number[])[]) | undefined;
  readonly leader: number;
  readonly acceptor: number;
  readonly suspectAfter: number;
  readonly window: number;
  readonly batchBytes: number;
  readonly backlogBytes: number;
  readonly snapshotEvery: number;
  readonly log: DurableLog | undefined;
}

/** @param size how many replicas there are */
export function settingsOf(options: ReplicaOptions, size: number): Settings {
  const rank = whole(0, size - 1);
  const fields = optionsOf<ReplicaOptions>({
    dissemination: oneOf(["tree", "sequential"]),
    treeFor: callback,
    leader: rank,
    acceptor: rank,
    suspectAfter: positive("milliseconds"),
    window: whole(1, 65_536),
    batchBytes: whole(1, 2 ** 26),
    backlogBytes: whole(1),
    snapshotEvery: whole(1),
    log: LOG,
  });
  checkOptions("replica", fields, options);
  const { dissemination, treeFor, leader = 0, log } = options;
  const { acceptor = size === 1 ? 0 : leader === 1 ? 0 : 1 } = options;
  if (dissemination === "tree")
    checkOptions(
      "treeFor",
      is("a function, as dissemination is 'tree'", (x) => x !== undefined),
      treeFor,
    );
  const apart = is("another member than the leader", (x) => x !== leader || size === 1);
  checkOptions("acceptor", apart, acceptor);
  return {
    treeFor: dissemination === "sequential" ? undefined : treeFor,
    leader,
    acceptor,
    suspectAfter: options.suspectAfter ?? 1000,
    window: options.window ?? 1024,
    batchBytes: options.batchBytes ?? 65_536,
    backlogBytes: options.backlogBytes ?? 2 ** 20,
    snapshotEvery: options.snapshotEvery ?? 65_536,
    log,
  };
}
