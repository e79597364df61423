/**
 * A Slurm on this machine, of daemons in a folder of their own: its nodes have names and ports of their own, and share the
 * machine. All of it goes away when it is stopped, or when the process that started it ends.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { kill } from "../../machine/mpi/namespaces.ts";

const PATH = [process.env.PATH, "/usr/sbin", "/sbin"].join(delimiter);
const PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "sinfo", "setpriv"];
/** How long a job may take. */
const JOB_MS = 90_000;
const READY_MS = 30_000;
const END_MS = 10_000;

const has = (program: string): boolean => PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Why there is none; null if there can be one. */
export function whyNoSlurm(): string | null {
  const missing = PROGRAMS.filter((program) => !has(program));
  return missing.length === 0 ? null : `slurm (${missing.join(", ")}) not installed`;
}

/** How a job has ended. */
export interface Ended {
  readonly code: number;
  /** What it has written; what sbatch has said if it has not begun. */
  readonly text: string;
}

export class Slurm implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "tundish-slurm-"));
  readonly #daemons: ChildProcess[] = [];
  readonly #stopAtOnce = () => this.#killAll();

  /** Starts one, and waits until its nodes take jobs. @throws Error with what the daemons say if they do not */
  static async start(nodes: readonly string[]): Promise<Slurm> {
    const slurm = new Slurm();
    process.once("exit", slurm.#stopAtOnce);
    try {
      await slurm.#start(nodes);
      return slurm;
    } catch (error) {
      await slurm[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Submits a script and waits for the end of its job. @param options of sbatch */
  async submit(options: readonly string[], command: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const output = join(this.#folder, "job.out");
    rmSync(output, { force: true });
    const given = ["--parsable", `--output=${output}`, ...options, ...command];
    const submitted = await this.#run("sbatch", given, env);
    if (submitted.code !== 0) return submitted;
    const id = Number.parseInt(submitted.text, 10);
    // sbatch --wait looks every two seconds only
    for (const until = Date.now() + JOB_MS; ; await sleep(100)) {
      const { text: state } = await this.#run("scontrol", ["show", "job", "--oneliner", `${id}`]);
      const [, code] = state.match(/JobState=(?!PENDING|RUNNING|COMPLETING)\w+ .* ExitCode=(\d+):/) ?? [];
      const text = existsSync(output) ? readFileSync(output, "utf8") : "";
      if (code !== undefined) return { code: Number(code), text };
      if (Date.now() > until) {
        await this.#run("scancel", [`${id}`]);
        return { code: -1, text: `${text}\nended by the test after ${JOB_MS / 1000} s: ${state}` };
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off("exit", this.#stopAtOnce);
    // the last that was started is the first to end
    for (const daemon of this.#daemons.reverse()) {
      daemon.kill("SIGTERM");
      const ended = () => daemon.exitCode !== null || daemon.signalCode !== null;
      for (const until = Date.now() + END_MS; !ended() && Date.now() < until; ) await sleep(20);
    }
    this.#killAll();
  }

  async #start(nodes: readonly string[]): Promise<void> {
    const [control = 0, ...ports] = await freePorts(1 + nodes.length);
    const at = (name: string) => join(this.#folder, name);
    const socket = at("munge.socket");
    writeFileSync(at("munge.key"), randomBytes(128), { mode: 0o400 });
    const files = ["key", "pid", "log", "seed"].map((what) => `--${what}-file=${at(`munge.${what}`)}`);
    this.#daemon("munged", ["--foreground", "--force", `--socket=${socket}`, ...files]);
    await this.#until(async () => existsSync(socket));

    const text = configuration(this.#folder, socket, control, new Map(nodes.map((node, i) => [node, ports[i] ?? 0])));
    writeFileSync(at("slurm.conf"), text);
    mkdirSync(at("state"));
    this.#daemon("slurmctld", ["-D", "-f", at("slurm.conf")]);
    for (const node of nodes) {
      // each node has a folder for PMIx, as nodes have on machines of their own
      mkdirSync(at(node));
      mkdirSync(at(`spool-${node}`));
      writeFileSync(join(at(node), "slurm.conf"), text);
      writeFileSync(join(at(node), "mpi.conf"), `PMIxCliTmpDirBase=${at(node)}\n`);
      this.#daemon("slurmd", ["-D", "-N", node, "-f", join(at(node), "slurm.conf")]);
    }
    await this.#until(async () => {
      const { text: states } = await this.#run("sinfo", ["--noheader", "--Node", "--format=%T"]);
      return states.split("\n").filter((state) => state === "idle").length === nodes.length;
    });
  }

  #daemon(program: string, args: readonly string[]): void {
    // it ends with this process, by whatever that is killed
    const line = ["--pdeathsig", "KILL", program, ...args];
    const env = { ...process.env, PATH, SLURM_CONF: join(this.#folder, "slurm.conf") };
    this.#daemons.push(spawn("setpriv", line, { env, stdio: "ignore" }));
  }

  #run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const env = { ...process.env, PATH, ...more, SLURM_CONF: join(this.#folder, "slurm.conf") };
    return new Promise((resolve) => {
      const child = execFile(program, args, { env, timeout: 90_000 }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
      );
    });
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    for (const until = Date.now() + READY_MS; !(await isSo()); await sleep(50)) {
      if (Date.now() < until) continue;
      const logs = readdirSync(this.#folder).filter((name) => name.endsWith(".log"));
      const last = logs.map((name) => readFileSync(join(this.#folder, name), "utf8").slice(-1500));
      throw new Error(`Slurm did not start within ${READY_MS / 1000} s:\n${last.join("\n")}`);
    }
  }

  /** The daemons, and what is left of jobs: all processes whose environment names the folder. */
  #killAll(): void {
    for (const daemon of this.#daemons) if (daemon.pid !== undefined) kill(daemon.pid);
    for (const pid of readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)) {
      try {
        if (pid !== process.pid && readFileSync(`/proc/${pid}/environ`).includes(this.#folder)) kill(pid);
      } catch {
        // it has ended, or is another user's
      }
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Of a cluster whose nodes are all this machine, and nobody accounts for. @param ports of the nodes, by name */
function configuration(folder: string, socket: string, control: number, ports: ReadonlyMap<string, number>): string {
  const { username } = userInfo();
  const nodes = [...ports].map(
    ([name, port]) => `NodeName=${name} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${port} CPUs=2`,
  );
  return `${[
    "ClusterName=tundish",
    `SlurmctldHost=${hostname()}(127.0.0.1)`,
    `SlurmctldPort=${control}`,
    `SlurmUser=${username}`,
    `SlurmdUser=${username}`,
    `AuthInfo=socket=${socket}`,
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool-%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd-%n.pid`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/slurmd-%n.log`,
    "ProctrackType=proctrack/linuxproc",
    "TaskPlugin=task/none",
    "SelectType=select/linear",
    // the machine may have another number of CPUs
    "SlurmdParameters=config_overrides",
    "ReturnToService=2",
    "SchedulerParameters=sched_min_interval=0,batch_sched_delay=0",
    ...nodes,
    "PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP",
  ].join("\n")}\n`;
}

/** Ports that nobody listens on now. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once("listening", resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
