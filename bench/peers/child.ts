/** Runs a program to its end, and to no later than its deadline. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { AbortedError, NativeError, TimeoutError } from "../../src/base/errors.ts";

/** How a program is run. */
export interface ChildOptions {
  /** Its whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** It is ended after this time, ms. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** From the wish to end to the kill, ms: a launcher needs it to end the processes it started. */
const GRACE_MS = 2000;

/**
 * What the program printed: stdout, and stderr behind it. It is over when this settles; only the
 * process started here is signalled, by its pid.
 * @throws {NativeError} it could not be started, or did not end with 0; the message ends in its first words
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
    // looked at before the code: MPICH's launcher ends with 0 when it is told to end
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
      // whoever it started may hold its pipes open
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, GRACE_MS),
  );
}

/** The compiler's or our own program's line, else any that says something: launchers draw frames around it. */
function firstWords(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return (
    lines.find((line) => /error:|^(flags|gomp|mpi|nodes|bench-mpi): /.test(line)) ??
    lines.find((line) => /\w/.test(line)) ??
    "it said nothing"
  );
}
