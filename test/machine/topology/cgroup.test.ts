import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { cpuQuota } from "../../../src/machine/topology/cgroup.ts";
import { testUnless } from "../../support/skip.ts";

const V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";
const V1 = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";

function quotaOf(files: Record<string, string>): number | null {
  const root = mkdtempSync(join(tmpdir(), "tundish-cgroup-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${content}\n`);
    }
    return cpuQuota(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const v2 = (group: string, files: Record<string, string>, mount = V2) =>
  quotaOf({
    "proc/self/cgroup": `0::${group}`,
    "proc/self/mountinfo": mount,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`sys/fs/cgroup/${path}`, text])),
  });

const v1 = (group: string, files: Record<string, string>, mount = V1) =>
  quotaOf({
    "proc/self/cgroup": `5:memory:/x\n4:cpu,cpuacct:${group}\n0::/y`,
    "proc/self/mountinfo": mount,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`sys/fs/cgroup/cpu,cpuacct/${path}`, text])),
  });

test("version 2: a quota, none, and fractions", () => {
  assert.is(v2("/", { "cpu.max": "200000 100000" }), 2);
  assert.is(v2("/", { "cpu.max": "50000 100000" }), 0.5);
  assert.is(v2("/", { "cpu.max": "max 100000" }), null);
  assert.is(v2("/", { "cpu.max": "150000" }), 1.5);
  assert.is(v2("/", {}), null);
});

test("version 2: of nested groups the smallest wins", () => {
  const nested = { "cpu.max": "max 100000", "a/cpu.max": "150000 100000", "a/b/c/cpu.max": "400000 100000" };
  assert.is(v2("/a/b/c", nested), 1.5);
  assert.is(v2("/a/b", nested), 1.5);
  assert.is(v2("/", nested), null);
  assert.is(v2("/a/b/c", { ...nested, "a/b/c/cpu.max": "30000 20000" }), 1.5);
  assert.is(v2("/a/b/c", { ...nested, "a/b/c/cpu.max": "10000 20000" }), 0.5);
});

test("version 1: quota over period, -1 for none, nested", () => {
  assert.is(v1("/", { "cpu.cfs_quota_us": "300000", "cpu.cfs_period_us": "100000" }), 3);
  assert.is(v1("/", { "cpu.cfs_quota_us": "-1", "cpu.cfs_period_us": "100000" }), null);
  assert.is(
    v1("/a/b", {
      "a/cpu.cfs_quota_us": "250000",
      "a/cpu.cfs_period_us": "100000",
      "a/b/cpu.cfs_quota_us": "-1",
      "a/b/cpu.cfs_period_us": "100000",
    }),
    2.5,
  );
});

test("both versions side by side: the smaller", () => {
  const files = {
    "proc/self/cgroup": "4:cpu:/a\n0::/b",
    "proc/self/mountinfo":
      "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n33 31 0:30 / /cg/unified rw - cgroup2 cgroup2 rw",
    "cg/cpu/a/cpu.cfs_quota_us": "700000",
    "cg/cpu/a/cpu.cfs_period_us": "100000",
    "cg/unified/b/cpu.max": "600000 100000",
  };
  assert.is(quotaOf(files), 6);
  assert.is(quotaOf({ ...files, "cg/unified/b/cpu.max": "800000 100000" }), 7);
});

test("a container whose mount shows its own group as the root", () => {
  const mount = V1.replace(" / /sys", " /docker/1234 /sys");
  const own = { "cpu.cfs_quota_us": "200000", "cpu.cfs_period_us": "100000" };
  assert.is(v1("/docker/1234", own, mount), 2);
  assert.is(v1("/docker/1234/inner", own, mount), 2);
  // a path outside of the mount can only be looked for at the mount itself
  assert.is(v1("/elsewhere", own, mount), 2);
  assert.is(v1("/docker/12345", own, mount), 2);
  assert.is(v2("/../other", { "cpu.max": "100000 100000" }), 1);
});

test("blanks in the mount point are octal in mountinfo", () => {
  const files = {
    "proc/self/cgroup": "0::/",
    "proc/self/mountinfo": "30 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw",
    "my groups/cpu.max": "100000 100000",
  };
  assert.is(quotaOf(files), 1);
});

test("no control groups, and this machine's", () => {
  assert.is(quotaOf({}), null);
  const here = cpuQuota();
  assert.ok(here === null || here > 0);
});

const GROUP = `tundish-test-${process.pid}`;
/** Where a group of this machine is made, and what gives it a quota of 1.5 cores. */
const REAL = [
  { mount: "/sys/fs/cgroup", files: { "cpu.max": "150000 100000" } },
  ...["cpu", "cpu,cpuacct"].map((name) => ({
    mount: `/sys/fs/cgroup/${name}`,
    files: { "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000" },
  })),
];

/** The folder of a new group of this machine with a quota of 1.5 cores; null where none may be made. */
function makeGroup(): string | null {
  for (const { mount, files } of REAL) {
    const folder = join(mount, GROUP);
    try {
      mkdirSync(folder);
    } catch {
      continue; // not mounted, not writable
    }
    try {
      for (const [file, text] of Object.entries(files)) {
        if (!existsSync(join(folder, file))) throw new Error(`${file}: the controller is not enabled`);
        writeFileSync(join(folder, file), text);
      }
      return folder;
    } catch {
      removeGroup(folder);
    }
  }
  return null;
}

/** Processes may be in it, or files made in it where no group was: then it stays, which harms nothing. */
function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

const group = makeGroup();
testUnless(test, group ? null : "no control group may be made here", "a group of this machine", () => {
  const modules = ["cgroup", "topology", "usable"].map((name) =>
    JSON.stringify(new URL(`../../../src/machine/topology/${name}.js`, import.meta.url)),
  );
  const code = `const [{ cpuQuota }, { readTopology }, { usableCpus }] = await Promise.all([${modules.map((url) => `import(${url})`)}]);
    console.log(JSON.stringify([cpuQuota(), usableCpus(await readTopology()).length]));`;
  const line = 'echo $$ > "$0" && exec "$@"';
  const procs = join(group as string, "cgroup.procs");
  try {
    const args = ["-c", line, procs, process.execPath, "--input-type=module", "-e", code];
    const out = execFileSync("sh", args, { encoding: "utf8" });
    assert.equal(JSON.parse(out), [Math.min(1.5, cpuQuota() ?? 1.5), 1]);
  } finally {
    removeGroup(group as string);
  }
});

test.run();
