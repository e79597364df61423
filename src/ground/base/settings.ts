/**
 * Every environment variable that Tundish reads: one table, read once, printed by `tundish doctor`. An option given to
 * a function takes precedence over the variable.
 */

import { channelKinds } from "./channel-kinds.ts";
import { UsageError } from "./errors.ts";
import { algorithms } from "./tree-algorithms.ts";

interface Expected {
  readonly what: string;
  readonly holds: (value: string) => boolean;
}

interface Setting {
  readonly variable: string;
  readonly meaning: string;
  readonly fallback: string;
  /** The valid values, where not every text is valid. */
  readonly expected?: Expected;
}

const oneOf = (values: readonly string[], what: string): Expected => ({
  what,
  holds: (value) => values.includes(value),
});

const SWITCH = oneOf(["on", "off"], "on or off");

/** The name of one setting. */
export type SettingName =
  | "libhwloc"
  | "libmpi"
  | "mpi"
  | "mapNodes"
  | "nodeTimeout"
  | "sys"
  | "native"
  | "orderedStores"
  | "waitPolicy"
  | "machine"
  | "trees"
  | "plan"
  | "channel"
  | "algorithms"
  | "contest"
  | "cache";

export const settingTable: Readonly<Record<SettingName, Setting>> = {
  libhwloc: {
    variable: "TUNDISH_LIBHWLOC",
    meaning: "path of libhwloc, or `off` to read /sys instead",
    fallback: "libhwloc.so.15",
  },
  libmpi: {
    variable: "TUNDISH_LIBMPI",
    meaning: "path of the MPI library (default: the launcher's, else the first one found)",
    fallback: "",
  },
  mpi: {
    variable: "TUNDISH_MPI",
    meaning: "`off` to run on this node alone, also under mpirun",
    fallback: "on",
    expected: SWITCH,
  },
  mapNodes: {
    variable: "TUNDISH_MAP_NODES",
    meaning: "`off` to send by MPI also between nodes of one machine, which otherwise map each other's heaps",
    fallback: "on",
    expected: SWITCH,
  },
  nodeTimeout: {
    variable: "TUNDISH_NODE_TIMEOUT",
    meaning: "ms without a message after which a node of an MPI job counts as lost; 0 for never",
    fallback: "30000",
    expected: { what: "milliseconds, or 0 for no limit", holds: (value) => Number(value) >= 0 },
  },
  sys: {
    variable: "TUNDISH_SYS",
    meaning: "root of the sysfs tree to read, or `off` to use systeminformation instead",
    fallback: "/sys",
  },
  native: {
    variable: "TUNDISH_NATIVE",
    meaning:
      "`off` to do without native code: no pinning, no sched_yield, waits park by Atomics.wait; `node`: by Node.js itself (node:ffi, 26.1 and later, experimental), not by koffi",
    fallback: "on",
    expected: oneOf(["on", "off", "node"], "on, off or node"),
  },
  orderedStores: {
    variable: "TUNDISH_ORDERED_STORES",
    meaning:
      "`off` to access polled words by atomic stores and loads, as on ARM, also on processors that keep their order (slower; for tests)",
    fallback: "on",
    expected: SWITCH,
  },
  waitPolicy: {
    variable: "TUNDISH_WAIT_POLICY",
    meaning:
      "`passive`: a waiting PE yields its CPU at once, as where there are more PEs than CPUs; for CPUs that other programs use as well",
    fallback: "active",
    expected: oneOf(["active", "passive"], "active or passive"),
  },
  machine: {
    variable: "TUNDISH_MACHINE",
    meaning: "machine model that launch() plans with when no `machine` option is given",
    fallback: "",
  },
  trees: {
    variable: "TUNDISH_TREES",
    meaning:
      "how the trees of every world and its groups are built, e.g. `smelt`, unless launch() has a `trees` option",
    fallback: "",
    expected: oneOf(algorithms, `one of ${algorithms.join(", ")}`),
  },
  plan: {
    variable: "TUNDISH_PLAN",
    meaning: "plan of every world, a document tundish/plan@1, unless launch() has a `plan` option",
    fallback: "",
  },
  channel: {
    variable: "TUNDISH_CHANNEL",
    meaning: "kind of message channels between the PEs of a node, `ump` or `fastforward`, unless launch() is told",
    fallback: "ump",
    expected: oneOf(channelKinds, channelKinds.join(" or ")),
  },
  algorithms: {
    variable: "TUNDISH_ALGORITHMS",
    meaning: "algorithms to force, e.g. `broadcast=single-copy,allreduce=tree`",
    fallback: "",
  },
  contest: {
    variable: "TUNDISH_CONTEST",
    meaning: "`off` to use the trees that the model predicts to be fastest, without a measurement",
    fallback: "on",
    expected: SWITCH,
  },
  cache: {
    variable: "TUNDISH_CACHE",
    meaning:
      "folder for what is kept between runs: trees, this machine's topology, V8's code; or `off` (default: in the user's cache folder)",
    fallback: "",
  },
};

/** The value of a setting: the environment's, else the default. @throws UsageError for an invalid value */
export function setting(name: SettingName): string {
  const { variable, fallback, expected } = settingTable[name];
  const value = process.env[variable];
  if (!value) return fallback;
  if (expected?.holds(value) === false) {
    const got = JSON.stringify(value);
    throw new UsageError(`${variable}: expected ${expected.what}, got ${got}. Correct it, or unset it.`);
  }
  return value;
}

/** The environment variable of a setting. */
export const variableOf = (name: SettingName): string => settingTable[name].variable;
