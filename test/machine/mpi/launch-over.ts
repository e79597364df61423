/** Command lines of mpirun over several hosts: those of ./hosts.ts. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hosts } from "./hosts.ts";
import { type Kind, mpiOf, ROOT } from "./launchers.ts";

/** What to start; the program and its arguments come after `args`. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Ranks on hosts: `slots[i]` of them on host i, in this order, by an MPI that is there. */
export function launchOver(hosts: Hosts, kind: Kind, ...slots: number[]): Launch {
  const list = hosts.addresses.flatMap((address, host) => (slots[host] ? `${address}:${slots[host]}` : []));
  const options = kind === "Open MPI" ? openMpi(hosts) : mpich(hosts);
  const flag = kind === "Open MPI" ? "--host" : "-hosts";
  const ranks = slots.reduce((sum, one) => sum + one, 0);
  return {
    file: mpiOf(kind).launcher,
    args: [flag, list.join(","), ...options.args, "-n", String(ranks)],
    // sessions of Open MPI that were killed lie there; each host has a folder of its own (agentOf), which this would overrule
    env: { ...process.env, ...options.env, TMPDIR: hosts.folder, OMPI_MCA_orte_tmpdir_base: undefined },
  };
}

/** Everything over TCP: ranks of one host would take shared memory, which hosts have not in common. */
function openMpi(hosts: Hosts): { args: string[]; env: NodeJS.ProcessEnv } {
  const parameters = {
    plm_rsh_agent: agentOf(hosts),
    oob_tcp_if_include: hosts.net,
    btl: "tcp,self",
    btl_tcp_if_include: hosts.net,
  };
  return {
    args: [...Object.entries(parameters).flatMap(([name, value]) => ["--mca", name, value]), "--bind-to", "none"],
    env: ROOT,
  };
}

/**
 * MPICH takes ranks for neighbours that have one host name (NOLOCAL), and so does UCX below it, which would go by shared
 * memory past every link (TLS).
 */
function mpich(hosts: Hosts): { args: string[]; env: NodeJS.ProcessEnv } {
  return {
    args: ["-launcher", "ssh", "-launcher-exec", agentOf(hosts), "-iface", hosts.bridge],
    env: {
      MPIR_CVAR_NOLOCAL: "1",
      UCX_TLS: "tcp,self",
      UCX_NET_DEVICES: "eth0",
    },
  };
}

/** Writes what launchers call in place of ssh: `agent [-options] ADDRESS command …`. The environment goes along, other than by ssh. */
function agentOf(hosts: Hosts): string {
  const file = join(hosts.folder, "agent");
  const prefix = (hosts.names[0] as string).replace(/\d+$/, "");
  for (const name of hosts.names) mkdirSync(join(hosts.folder, name), { recursive: true });
  const lines = [
    "#!/bin/sh",
    // no option of theirs has a value
    `while [ "$1" != "\${1#-}" ]; do shift; done`,
    `host=${prefix}\${1##*.}`,
    "shift",
    `export TMPDIR='${hosts.folder}'/$host`,
    'exec ip netns exec $host /bin/sh -c "$*"',
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o700 });
  return file;
}
