/**
 * The CPU time that control groups leave to this process, in cores.
 *
 * A container with `--cpus 2` sees all CPUs and may use all of them, but only for twice the wall time in total; with
 * more spinning threads than that, threads are throttled while they run. Groups nest, and each level may set a quota:
 * the smallest applies.
 *
 * Limits: it reads the groups that this process can see; a container's outer groups are not visible. Source: Linux
 * Documentation/admin-guide/cgroup-v2.rst ("cpu.max") and scheduler/sched-bwc.rst (v1).
 *
 * Example: in group /a/b of a v2 tree with /a/cpu.max = "150000 100000" and /a/b/cpu.max =
 * "max 100000" the quota is 1.5 cores.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The quota in cores (0.5 = half of one), or null if there is none or no control group.
 * @param root where /proc and the mounts are found; may be a folder with a copy of them
 */
export function cpuQuota(root = "/"): number | null {
  const quotas = cpuGroups(root).flatMap(({ mount, group, version }) => {
    const found: number[] = [];
    for (let path = group; ; path = dirname(path)) {
      const quota = readQuota(join(root, mount, path), version);
      if (quota !== null) found.push(quota);
      if (path === "/") return found;
    }
  });
  return quotas.length === 0 ? null : Math.min(...quotas);
}

interface CpuGroup {
  /** The mount point of the hierarchy. */
  readonly mount: string;
  /** The group of this process, as a path below the mount. */
  readonly group: string;
  readonly version: 1 | 2;
}

function cpuGroups(root: string): CpuGroup[] {
  const groups: CpuGroup[] = [];
  // ID:controllers:path; version 2 has ID 0 and no controllers
  const memberships = lines(join(root, "proc/self/cgroup")).map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  // ID parent device root mount options [tags] - type source super-options
  for (const line of lines(join(root, "proc/self/mountinfo"))) {
    // nearly all are others
    if (!line.includes(" - cgroup")) continue;
    const [left = "", right = ""] = line.split(" - ");
    const [, , , mountRoot = "/", mount = "/"] = left.split(" ").map(unquote);
    const [type, , options = ""] = right.split(" ");
    const version = type === "cgroup2" ? 2 : 1;
    if (version === 1 && !(type === "cgroup" && options.split(",").includes("cpu"))) continue;
    const membership = memberships.find((match) =>
      version === 2 ? match?.[1] === "" : match?.[1]?.split(",").includes("cpu"),
    );
    if (membership) groups.push({ mount, group: below(mountRoot, membership[2] as string), version });
  }
  return groups;
}

// in a container the mount may show a group's own folder as its root, or only a part of the hierarchy
function below(mountRoot: string, group: string): string {
  const prefix = mountRoot === "/" ? "" : mountRoot;
  const inside = group === prefix || group.startsWith(`${prefix}/`);
  return inside && !group.includes("/..") ? group.slice(prefix.length) || "/" : "/";
}

function readQuota(folder: string, version: 1 | 2): number | null {
  const [quota, period] =
    version === 2
      ? (lines(join(folder, "cpu.max"))[0]?.split(" ") ?? [])
      : ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map((file) => lines(join(folder, file))[0]);
  const cores = Number(quota) / Number(period ?? 100_000);
  return cores > 0 && Number.isFinite(cores) ? cores : null; // "max" and -1 mean no quota
}

// mountinfo writes blanks and backslashes in octal
function unquote(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function lines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch {
    return []; // no such file: no control group, or no quota at this level
  }
}
