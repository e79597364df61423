/** An MPI job over several hosts: what it says, its deadline, and what it leaves behind. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hosts } from "./hosts.ts";
import type { Launch } from "./launch-over.ts";
import { kill } from "./namespaces.ts";

export interface Ended {
  /** Null when the deadline has killed it. */
  readonly code: number | null;
  readonly text: string;
  /** Processes that were still there some seconds after the launcher had ended. */
  readonly left: readonly number[];
}

export interface Job {
  /** Lines of JSON, as they come. */
  readonly said: readonly Record<string, unknown>[];
  readonly ended: Promise<Ended>;
}

/** For a machine that is busy with other things: a job takes some seconds. */
const DEADLINE_MS = 240_000;
const LEAVE_MS = 5000;
const LOOK_MS = 20;

/** Starts a program in all ranks. One job at a time on the same hosts: the deadline kills all that runs on them. */
export function startJob(
  hosts: Hosts,
  launch: Launch,
  command: readonly string[],
  deadlineMs: number = DEADLINE_MS,
): Job {
  const { file, args, env } = launch;
  const child = spawn(file, [...args, ...command], { env, stdio: ["ignore", "pipe", "pipe"] });
  const said: Record<string, unknown>[] = [];
  let text = "";
  let rest = "";
  child.stderr.setEncoding("utf8").on("data", (data: string) => (text += data));
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    text += data;
    const lines = (rest + data).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) if (line.startsWith("{")) said.push(JSON.parse(line));
  });
  // before the hosts go, which happens at the exit as well
  const killLauncher = () => void child.kill("SIGKILL");
  process.prependOnceListener("exit", killLauncher);
  const killAll = () => {
    killLauncher();
    hosts.pids().forEach(kill);
  };
  const timer = setTimeout(killAll, deadlineMs);
  const ended = new Promise<Ended>((resolve, reject) => {
    let left: readonly number[] = [];
    let whenLeft: Promise<void> = Promise.resolve();
    child.once("error", reject);
    child.once("exit", () => {
      whenLeft = leaving(hosts).then((pids) => {
        left = pids;
        pids.forEach(kill); // they would hold the pipes open
      });
      whenLeft.catch(reject);
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      process.off("exit", killLauncher);
      whenLeft.then(() => resolve({ code, text, left }), reject);
    });
  });
  return { said, ended };
}

/** Waits until nothing runs on the hosts, for a while; gives what then runs. */
async function leaving(hosts: Hosts): Promise<number[]> {
  const until = Date.now() + LEAVE_MS;
  for (;;) {
    const pids = hosts.pids();
    if (pids.length === 0 || Date.now() > until) return pids;
    await sleep(LOOK_MS);
  }
}
