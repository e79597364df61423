/**
 * The files by which Linux would tell the shape of a two-socket machine, for the readers of /sys.
 *
 * 2 packages, each one NUMA node, of 4 cores of 2 threads; 2 cores share an L3, a core has its
 * L1 and L2. Numbered as Linux does: CPU = 8 x thread + 4 x package + core, so 0 and 8 are siblings;
 * core_id starts anew in each package. CPU 15 is offline.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { formatCpuList } from "node-hwloc";

const ONLINE = Array.from({ length: 15 }, (_, cpu) => cpu);

const packageOf = (cpu: number): number => (cpu >> 2) & 1;
const coreOf = (cpu: number): number => cpu & 7;
const l3Of = (cpu: number): number => coreOf(cpu) >> 1;

/** What the readers must find: one row [cpu, core, l3, numa, package] per CPU. */
export const expected: number[][] = ONLINE.map((cpu) => [cpu, coreOf(cpu), l3Of(cpu), packageOf(cpu), packageOf(cpu)]);

/** Writes the tree into a new temporary folder and gives its path; /sys is its folder `sys`. */
export function writeTwoSockets(): string {
  const root = mkdtempSync(join(tmpdir(), "tundish-two-sockets-"));
  const put = (path: string, content: string | number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${content}\n`);
  };
  const cpus = "sys/devices/system/cpu";
  put(`${cpus}/online`, "0-14");
  put(`${cpus}/possible`, "0-15");
  put(`${cpus}/present`, "0-15");
  mkdirSync(join(root, cpus, "cpu15"), { recursive: true });
  for (const cpu of ONLINE) {
    const cores = withSame(coreOf, cpu);
    const sockets = withSame(packageOf, cpu);
    const topology = `${cpus}/cpu${cpu}/topology`;
    put(`${topology}/physical_package_id`, packageOf(cpu));
    put(`${topology}/core_id`, coreOf(cpu) & 3);
    put(`${topology}/core_cpus_list`, formatCpuList(cores));
    put(`${topology}/core_cpus`, mask(cores));
    put(`${topology}/thread_siblings`, mask(cores));
    put(`${topology}/package_cpus`, mask(sockets));
    put(`${topology}/core_siblings`, mask(sockets));
    const caches = [
      [1, "Data", "32K", cores],
      [1, "Instruction", "32K", cores],
      [2, "Unified", "512K", cores],
      [3, "Unified", "16384K", withSame(l3Of, cpu)],
    ] as const;
    caches.forEach(([level, type, size, shared], i) => {
      const cache = `${cpus}/cpu${cpu}/cache/index${i}`;
      put(`${cache}/level`, level);
      put(`${cache}/type`, type);
      put(`${cache}/size`, size);
      put(`${cache}/coherency_line_size`, 64);
      put(`${cache}/shared_cpu_list`, formatCpuList(shared));
      put(`${cache}/shared_cpu_map`, mask(shared));
    });
  }
  for (const node of [0, 1]) {
    const folder = `sys/devices/system/node/node${node}`;
    const members = ONLINE.filter((cpu) => packageOf(cpu) === node);
    put(`${folder}/cpulist`, formatCpuList(members));
    put(`${folder}/cpumap`, mask(members));
    put(`${folder}/meminfo`, `Node ${node} MemTotal:       16777216 kB`);
    put(`${folder}/distance`, node === 0 ? "10 21" : "21 10");
  }
  put("sys/devices/system/node/online", "0-1");
  // libhwloc looks for these when it reads a machine from a folder
  put("proc/cpuinfo", ONLINE.map((cpu) => `processor\t: ${cpu}\nmodel name\t: Two Sockets\n`).join("\n"));
  put("proc/meminfo", "MemTotal:       33554432 kB");
  put("proc/self/status", "Cpus_allowed_list:\t0-14");
  return root;
}

function withSame(of: (cpu: number) => number, cpu: number): number[] {
  return ONLINE.filter((other) => of(other) === of(cpu));
}

function mask(cpus: readonly number[]): string {
  return cpus
    .reduce((bits, cpu) => bits | (1 << cpu), 0)
    .toString(16)
    .padStart(4, "0");
}
