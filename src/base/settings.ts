/**
 * Every environment variable that Tundish reads: one table, read once, printable by
 * `tundish doctor`. Options given to a function win over the variable.
 */

import { UsageError } from "./errors.ts";

interface Setting {
  readonly variable: string;
  readonly meaning: string;
  readonly fallback: string;
  /** The values that there are, where not all texts are some. */
  readonly values?: readonly string[];
}

const SWITCH = ["on", "off"] as const;

/** The name of one setting. */
export type SettingName =
  | "libhwloc"
  | "libmpi"
  | "mpi"
  | "nodeTimeout"
  | "sys"
  | "native"
  | "machine"
  | "tree"
  | "algorithms"
  | "contest"
  | "cache";

const table: Readonly<Record<SettingName, Setting>> = {
  libhwloc: {
    variable: "TUNDISH_LIBHWLOC",
    meaning: "path of libhwloc, or `off` to read /sys instead",
    fallback: "libhwloc.so.15",
  },
  libmpi: {
    variable: "TUNDISH_LIBMPI",
    meaning: "path of the MPI library (default: that of the launcher, else the first that there is)",
    fallback: "",
  },
  mpi: {
    variable: "TUNDISH_MPI",
    meaning: "`off` to run on this node alone, also under mpirun",
    fallback: "on",
    values: SWITCH,
  },
  nodeTimeout: {
    variable: "TUNDISH_NODE_TIMEOUT",
    meaning: "silence after which a node of an MPI job is given up, ms; 0 for never",
    fallback: "30000",
  },
  sys: {
    variable: "TUNDISH_SYS",
    meaning: "root of the sysfs tree to read, or `off` to use systeminformation instead",
    fallback: "/sys",
  },
  native: {
    variable: "TUNDISH_NATIVE",
    meaning: "`off` to do without koffi: no pinning, no sched_yield, waits park by Atomics.wait",
    fallback: "on",
    values: SWITCH,
  },
  machine: {
    variable: "TUNDISH_MACHINE",
    meaning: "machine model that launch() plans with when no `machine` option is given",
    fallback: "",
  },
  tree: {
    variable: "TUNDISH_TREE",
    meaning: "how the trees of every world and its groups are built, e.g. `smelt`, unless launch() is told",
    fallback: "",
  },
  algorithms: {
    variable: "TUNDISH_ALGORITHMS",
    meaning: "algorithms to force, e.g. `broadcast=single-copy,allreduce=tree`",
    fallback: "",
  },
  contest: {
    variable: "TUNDISH_CONTEST",
    meaning: "`off` to take the trees that the model prefers, unmeasured",
    fallback: "on",
    values: SWITCH,
  },
  cache: {
    variable: "TUNDISH_CACHE",
    meaning:
      "folder for the choices of contests, or `off` to keep none (default: in the user's cache folder)",
    fallback: "",
  },
};

/** The value of a setting: the environment's, else the fallback. @throws UsageError for one that it cannot have */
export function setting(name: SettingName): string {
  const { variable, fallback, values } = table[name];
  const value = process.env[variable] || fallback;
  if (values?.includes(value) === false) {
    throw new UsageError(`${variable}: expected ${values.join(" or ")}, got ${value}`);
  }
  return value;
}

/** The whole table with the values in force, for `doctor`. */
export function settings(): { variable: string; meaning: string; value: string; set: boolean }[] {
  return (Object.keys(table) as SettingName[]).map((name) => ({
    variable: table[name].variable,
    meaning: table[name].meaning,
    value: setting(name),
    set: Boolean(process.env[table[name].variable]),
  }));
}
