/** Runs the built command line as a user does: as a process of its own, in an empty folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../../../src/interface/cli/command-line.ts";
import { LONG } from "../../../support/long.ts";
import { fixture, root } from "../../../support/paths.ts";

const bin = join(root, "dist/lib/main.js");

/** How a run of the CLI ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What it reads from stdin. */
  readonly input?: string;
  /** Options of Node.js itself. */
  readonly node?: readonly string[];
  /** What starts it, with options: mpirun. */
  readonly launcher?: readonly string[];
}

/** V8 as other processes of tests have it in a plain run. */
const V8: NodeJS.ProcessEnv = LONG
  ? {}
  : { NODE_OPTIONS: `--require ${JSON.stringify(join(root, "test/optimize-late.cjs"))}` };

/** A folder for one test file's working directories; removed when its process ends. */
export const scratch: string = mkdtempSync(join(tmpdir(), "tundish-cli-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

// V8's code of the library is kept in one folder for all test files; it is not what they test
const kept = join(root, "dist/v8-code/of-users");
mkdirSync(kept, { recursive: true });
symlinkSync(kept, join(scratch, "v8-code"));

/** A new empty folder. */
export function emptyFolder(): string {
  return mkdtempSync(join(scratch, "cwd-"));
}

/** Starts the CLI; the surroundings' settings do not reach it. */
export function startCli(args: readonly string[], options: CliOptions = {}): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TUNDISH_.*|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|NODE_DISABLE_COLORS)$/.test(name),
  );
  const own = [process.execPath, ...(options.node ?? []), bin, ...args];
  const [command, ...rest] = [...(options.launcher ?? []), ...own] as [string, ...string[]];
  return spawn(command, rest, {
    cwd: options.cwd ?? emptyFolder(),
    env: { ...Object.fromEntries(inherited), TUNDISH_CACHE: scratch, ...V8, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/**
 * Runs a command line in this process: for commands that start nothing, in a tenth of the time. Colours, pipes, signals and
 * how a process ends need one of their own.
 */
export async function cliHere(
  args: readonly string[],
  { cwd = emptyFolder() }: Pick<CliOptions, "cwd"> = {},
): Promise<Ended> {
  const streams = ["stdout", "stderr"] as const;
  const text = { stdout: "", stderr: "" };
  const writers = streams.map((name) => process[name].write);
  const folder = process.cwd();
  const listeners = process.listeners("SIGINT");
  process.chdir(cwd);
  for (const name of streams) {
    process[name].write = (chunk: string | Uint8Array): boolean => {
      text[name] += chunk;
      return true;
    };
  }
  try {
    await runCommandLine(args);
    return { code: Number(process.exitCode ?? 0), ...text };
  } finally {
    for (const [i, name] of streams.entries()) process[name].write = writers[i] as (typeof process)["stdout"]["write"];
    process.chdir(folder);
    for (const one of process.listeners("SIGINT")) if (!listeners.includes(one)) process.off("SIGINT", one);
    process.exitCode = undefined;
  }
}

/** Runs the CLI to its end. */
export function cli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const child = startCli(args, options);
  child.stdin?.end(options.input ?? "");
  return ended(child);
}

/** Collects what a started CLI writes, until it has ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  const text = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data) => {
    text.stdout += data;
  });
  child.stderr?.on("data", (data) => {
    text.stderr += data;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...text })));
}

/** The text without the breaks of long lines: what continues a line is indented by four columns or more. */
export const unwrapped = (text: string): string => text.replace(/\n {4,}/g, " ");

/** The code of the error on stdout, which is to be the one document there, as `--json` writes it. */
export function codeOf(stdout: string): string | null {
  const { schema, error } = JSON.parse(stdout) as { schema: string; error: { code: string | null } };
  if (schema !== "tundish/error@1") throw new Error(`expected an error, got ${schema}`);
  return error.code;
}

/** A machine model among the fixtures. */
export const model = (name: string): string => fixture("machines", `${name}.json`);
/** An SPMD program among the fixtures. */
export const program = (name: string): string => fixture("programs", `cli-${name}.mjs`);
