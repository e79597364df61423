/** Runs a program to its end, or until its deadline. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { AbortedError, NativeError, TimeoutError } from "../../src/ground/base/errors.ts";
import { clearTimeout, setTimeout } from "../../src/ground/base/event-loop/timers.ts";

/** How a program is run. */
export interface ChildOptions {
  /** Its whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Deadline, ms. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Time between the request to end and the kill, ms: a launcher needs it to end the processes it started. */
const GRACE_MS = 2000;

/**
 * Returns the program's output: stdout, followed by stderr. The program has ended when this settles; only the process
 * started here is signalled, by its pid.
 * @throws {NativeError} it could not be started, or its exit code was not 0; the message ends with its first words
 * @throws {TimeoutError} it did not end in time
 * @throws {AbortedError} by the signal
 */
export async function runChild(
  file: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<{ stdout: string; stderr: string }> {
  const { env, deadlineMs, signal } = options;
  const name = basename(file);
  const aborted = (): AbortedError => new AbortedError(`${name} was aborted`, { cause: signal?.reason });
  if (signal?.aborted) throw aborted();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  let late = false;
  const ends: NodeJS.Timeout[] = [];
  const abort = (): void => end(child, ends);
  signal?.addEventListener("abort", abort, { once: true });
  const deadline = setTimeout(() => {
    late = true;
    end(child, ends);
  }, deadlineMs);
  try {
    const [code, by] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (signal?.aborted) throw aborted();
    // checked before the exit code: MPICH's launcher exits with 0 when it is asked to end
    if (late) throw new TimeoutError(`${name} did not end within ${deadlineMs} ms; is the machine busy?`);
    if (code !== 0) throw new NativeError(`${name} ended with ${code ?? by}: ${firstWords(stderr)}`);
    return { stdout, stderr };
  } catch (error) {
    if (error instanceof Error && "syscall" in error)
      throw new NativeError(`${name} cannot be started: ${error.message}`, { cause: error });
    throw error;
  } finally {
    clearTimeout(deadline);
    for (const timer of ends) clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function end(child: ChildProcess, timers: NodeJS.Timeout[]): void {
  child.kill("SIGTERM");
  timers.push(
    setTimeout(() => {
      child.kill("SIGKILL");
      // processes that it started may hold its pipes open
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, GRACE_MS),
  );
}

/** The line of the compiler or of our program, else another informative one: launchers frame messages. */
function firstWords(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return (
    lines.find((line) =>
      /error:|^(flags|gomp|items|append|mpi|barriers|epcc|streamcluster|loops|rounds-\w+|nodes-\w+|bench-mpi): /.test(
        line,
      ),
    ) ??
    lines.find((line) => /\w/.test(line)) ??
    "it printed nothing"
  );
}
