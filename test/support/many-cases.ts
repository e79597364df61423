/**
 * Many random cases in a process of their own, which may crash, fill its memory or never end: whoever does is told with
 * its seed.
 *
 * A program calls playCases(); a test runs it by runCases(). The program gets `[seed, count, ...more]` and says on
 * stdout which seed it plays, before it plays it.
 */
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { SEED } from "./sample.ts";

/** Of the heap of the process; a case needs some MB. */
const MOST_MIB = 512;
/** Without a word: a case takes some milliseconds, on a busy machine a hundred times that. */
const MOST_SECONDS = 90;

/** How often each outcome was seen. */
export type Outcomes = Readonly<Record<string, number>>;

/**
 * Runs a program of cases.
 * @throws Error that names the seed of the case at which it crashed, failed or stood still
 */
export async function runCases(program: URL, count: number, ...more: string[]): Promise<Outcomes> {
  const args = [`--max-old-space-size=${MOST_MIB}`, program.pathname, String(SEED), String(count), ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let seed = "none";
  let outcomes: Outcomes = {};
  let rest = "";
  let complaint = "";
  let isStill = false;
  const stop = () => {
    isStill = true;
    child.kill("SIGKILL");
  };
  let timer = setTimeout(stop, 1000 * MOST_SECONDS);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 4000);
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    clearTimeout(timer);
    timer = setTimeout(stop, 1000 * MOST_SECONDS);
    const lines = (rest + text).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line.startsWith("{")) outcomes = JSON.parse(line) as Outcomes;
      else seed = line;
    }
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...end) => resolve(end));
  });
  clearTimeout(timer);
  if (code === 0) return outcomes;
  const end = isStill ? `stood still for ${MOST_SECONDS} s` : `ended by ${signal ?? code}`;
  throw new Error(`case ${[seed, 1, ...more].join(" ")} of ${program.pathname} ${end}\n${complaint}`);
}

/**
 * Plays the cases that runCases() asks for.
 * @param play one case; gives the outcome in a word
 */
export async function playCases(play: (seed: number, ...more: string[]) => string | Promise<string>): Promise<void> {
  const [first, count, ...more] = process.argv.slice(2);
  const outcomes: Record<string, number> = {};
  for (let i = 0; i < Number(count); i++) {
    const seed = (Number(first) + i) | 0;
    writeSync(1, `${seed}\n`);
    const outcome = await play(seed, ...more);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  writeSync(1, `${JSON.stringify(outcomes)}\n`);
}
