/**
 * The network namespaces, links and folders that stand for hosts: their names, and how all of them go away.
 *
 * Names tell the process that made them and which of its sets they are. What a process has made is removed when it ends, by
 * a signal as well; what a process left that was killed, the next that makes any removes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** Its first group is a set, its second the process. */
const NAME = /^(tnd(\d+)x\d+)(?:b|[hv]\d+|-\w+)$/;
const NAMESPACES = "/run/netns";
const LINKS = "/sys/class/net";
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** For processes that were killed; they hold the namespace until they are gone. */
const GONE_MS = 5000;

/** Sets of this process that are not removed yet. */
const made = new Set<string>();
let sets = 0;

/** Runs `ip`, or another program of iproute2, and gives what it prints. */
export function ip(args: readonly string[], program = "ip"): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr.trim() || `exit code ${status}`}`);
  return stdout;
}

/** A set's own name, from now on removed when the process ends. */
export function newSet(): string {
  if (made.size === 0) {
    process.on("exit", removeMade);
    for (const signal of SIGNALS) process.on(signal, exitBy);
  }
  const set = `tnd${process.pid}x${sets++}`;
  made.add(set);
  return set;
}

/** Kills what runs in a set and removes all of it. @throws Error when something stays */
export function removeSet(set: string): void {
  const ofSet = (folder: string) => namesIn(folder).filter((name) => NAME.exec(name)?.[1] === set);
  killAndWait(ofSet(NAMESPACES));
  // the links first: a namespace takes its end away some time after its name has gone
  for (const link of ofSet(LINKS)) spawnSync("ip", ["link", "del", link]);
  for (const namespace of ofSet(NAMESPACES)) spawnSync("ip", ["netns", "del", namespace]);
  for (const folder of ofSet(tmpdir())) rmSync(join(tmpdir(), folder), { recursive: true, force: true });
  const left = [NAMESPACES, LINKS, tmpdir()].flatMap(ofSet);
  if (left.length > 0) throw new Error(`could not remove ${left.join(", ")}`);
  made.delete(set);
  if (made.size > 0) return;
  process.off("exit", removeMade);
  for (const signal of SIGNALS) process.off(signal, exitBy);
}

/** Removes the sets of processes that are no more. */
export function removeLeft(): void {
  const isLeft = (name: string) => NAME.test(name) && !isAlive(Number(NAME.exec(name)?.[2]));
  for (const name of leftOf(isLeft)) removeSet(NAME.exec(name)?.[1] as string);
}

/** Namespaces, links and folders of a process. */
export const namesOf = (pid: number): string[] => leftOf((name) => Number(NAME.exec(name)?.[2]) === pid);

/** The processes in namespaces; one that another process has just removed has none. */
export function pidsIn(namespaces: readonly string[]): number[] {
  return namespaces.flatMap((name) => {
    const { stdout } = spawnSync("ip", ["netns", "pids", name], { encoding: "utf8" });
    return stdout.split("\n").filter(Boolean).map(Number);
  });
}

const leftOf = (isWanted: (name: string) => boolean): string[] =>
  [NAMESPACES, LINKS, tmpdir()].flatMap(namesIn).filter(isWanted);

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function killAndWait(namespaces: readonly string[]): void {
  const until = Date.now() + GONE_MS;
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const pids = pidsIn(namespaces);
    if (pids.length === 0 || Date.now() > until) return;
    pids.forEach(kill);
    Atomics.wait(sleep, 0, 0, 10);
  }
}

/** Ends a process at once; one that has ended meanwhile is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** All that is left, each though another has failed: the process ends, and nobody asks again. */
function removeMade(): void {
  for (const set of made) {
    try {
      removeSet(set);
    } catch (error) {
      console.error((error as Error).message);
    }
  }
}

/** As the signal would end the process, with what runs at its exit. */
function exitBy(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
