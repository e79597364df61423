/**
 * The output files named by options: a file that cannot be written is wrong usage, reported before any work. If writing
 * fails later, for example on a full disk, it is a fault of the machine.
 */
import { accessSync, closeSync, constants, openSync, realpathSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EnvironmentError, UsageError } from "../../../ground/base/errors.ts";

/**
 * Checks before long work that its result can be saved.
 * @throws UsageError if `file` is a folder, `-` or empty, or its folder does not exist or cannot be written to
 */
export function checkFile(option: string, file: string): void {
  if (file === "-") {
    throw new UsageError(`${option} expected a file, got -. With --json the result goes to stdout.`);
  }
  try {
    if (file === "") throw new Error("it has no name");
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error("it is a folder");
    // pipes and devices are written to, files are replaced. The slash: a plain file in place of the folder does not
    // count
    const isReplaced = found === undefined || found.isFile();
    accessSync(isReplaced ? `${dirname(file)}/` : file, constants.W_OK);
    // root may write to every folder, but /proc and the like have no room for files
    if (found === undefined) tryToMake(file);
  } catch (cause) {
    throw new UsageError(
      `${option} expected a file in a folder that can be written to, got ${file}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** @throws the system's error */
function tryToMake(file: string): void {
  try {
    closeSync(openSync(file, "wx"));
  } catch (error) {
    // processes of one job check it at the same time
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  rmSync(file, { force: true });
}

/**
 * Checks that the files named by options are different files, under whatever names; `-` and devices are exempt. Files
 * to be written were checked before.
 * @param files first those that are read, by a description, then those that are written, by option
 * @throws UsageError that names the option and the other use of its file
 */
export function checkApart(files: Readonly<Record<string, string | undefined>>): void {
  const owners = new Map<string, string>();
  for (const [name, file] of Object.entries(files)) {
    const key = file === undefined || file === "-" ? undefined : identity(file);
    if (key === undefined) continue;
    const owner = owners.get(key);
    if (owner !== undefined) {
      throw new UsageError(
        `${name} expected a file of its own, got ${file}, which is that of ${owner}. Name another file.`,
      );
    }
    owners.set(key, name);
  }
}

/** The same for all names of a file; undefined if it is not a plain file. */
function identity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (found !== undefined) return found.isFile() ? `${found.dev} ${found.ino}` : undefined;
  const folder = dirname(file);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? join(realpathSync(folder), basename(file))
    : undefined;
}

/** Writes a text into a checked file. @throws EnvironmentError if that fails nevertheless */
export async function saveText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new EnvironmentError(`Cannot write ${file}: ${(cause as Error).message}`, { cause });
  }
}
