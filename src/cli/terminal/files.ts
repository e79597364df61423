/**
 * The files that options name for output: what cannot be written is wrong usage, said in one way, before any
 * work. Where it fails later, as on a full disk, it is the machine that lacks something.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EnvironmentError, UsageError } from "../../base/errors.ts";

/**
 * Finds out before long work that its result could not be saved after it.
 * @throws UsageError when `file` is a folder, `-` or empty, or its folder is not there or cannot be written to
 */
export function checkFile(option: string, file: string): void {
  if (file === "-") {
    throw new UsageError(`${option} expected a file, got -. With --json the result goes to stdout.`);
  }
  try {
    if (file === "") throw new Error("it has no name");
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error("it is a folder");
    // pipes and devices are written to, files may be replaced. The slash: a file in the place of the folder is none
    const isReplaced = found === undefined || found.isFile();
    accessSync(isReplaced ? `${dirname(file)}/` : file, constants.W_OK);
  } catch (cause) {
    throw new UsageError(
      `${option} expected a file in a folder that can be written to, got ${file}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Finds out that files which options name are different ones, under whatever names; `-` and devices are none.
 * Those to be written have been checked.
 * @param files first what is read, by the words for it, then what is written, by the options
 * @throws UsageError that names the option and what has its file already
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

/** The same for all names of a file; undefined for what is no file. */
function identity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (found !== undefined) return found.isFile() ? `${found.dev} ${found.ino}` : undefined;
  const folder = dirname(file);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? join(realpathSync(folder), basename(file))
    : undefined;
}

/** Writes a text into a file that has been checked. @throws EnvironmentError when that fails all the same */
export async function saveText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new EnvironmentError(`Cannot write ${file}: ${(cause as Error).message}`, { cause });
  }
}
