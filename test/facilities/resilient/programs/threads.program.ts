/** Random calls of a resilient group on threads, in which some PEs throw or exit. */
import { setTimeout as delay } from "node:timers/promises";
import { serialize } from "node:v8";
import { type PE, RankLostError, type Spmd, spmd } from "../../../../src/index.ts";
import { type Entry, pick, play, type Run } from "./calls.ts";

export interface Args extends Run {
  readonly how: "throw" | "exit" | "return" | "kill";
  /** Whether the group has the ranks of the world backwards. */
  readonly backwards: boolean;
  /** Whether it returns text that JSON keeps. */
  readonly asText?: boolean;
}

async function main(pe: PE, args: unknown): Promise<Entry[] | string> {
  const { how, backwards, asText, ...run } = args as Args;
  const { seed } = run;
  const log: Entry[] = [];
  const luck = new RangeError("out of luck");
  const end = () => {
    if (how === "exit") process.exit(3);
    // its whole node
    if (how === "kill") process.kill(process.pid, "SIGKILL");
    throw luck;
  };
  const pause = (k: number) => (pick(8, seed, 30, k, pe.rank) === 0 ? delay(pick(3, seed, 31, k)) : undefined);
  try {
    const group = backwards ? pe.group(pe.ranks.toReversed()) : pe;
    // a group that is not made yet cannot lose a PE; who passes this knows that all have made it
    await pe.barrierAsync().catch((error: unknown) => {
      if (!(error instanceof RankLostError)) throw error;
    });
    await play(group, run, { end, blocks: pick(2, seed, 32) === 0, pause }, log);
  } catch (error) {
    if (how !== "return" || error !== luck) throw error;
  }
  return asText ? serialize(log).toString("base64") : log;
}

const program: Spmd = spmd(main);
export default program;
