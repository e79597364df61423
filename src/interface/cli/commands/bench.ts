/** `tundish bench`: the benchmarks are a package of their own, tundish-bench, which has the same version. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { EnvironmentError } from "../../../ground/base/errors.ts";
import { requireFrom } from "../../../ground/base/package-file.ts";

/** The package's exports. */
interface Benchmarks {
  /** Runs a command line, without the word `bench`; afterwards `process.exitCode` is its exit code. */
  bench(words: readonly string[]): Promise<void>;
}

const NAME = "tundish-bench";

/** Hands a command line over to the package. @throws EnvironmentError if it is not installed, or of another version */
export async function benchCommand(words: readonly string[]): Promise<void> {
  const { version } = createRequire(import.meta.url)("tundish/package.json") as { version: string };
  const install = `npm install --save-dev ${NAME}@${version}`;
  const found = findPackage();
  if (found === undefined) {
    throw new EnvironmentError(
      `tundish bench needs the package ${NAME}, and it is not installed, neither here nor beside tundish. Run: ${install}`,
    );
  }
  const own = found.load(`${NAME}/package.json`) as { version: string };
  if (own.version !== version) {
    throw new EnvironmentError(
      `tundish bench needs ${NAME} ${version}, the version of tundish, and ${own.version} is installed: ${found.file}. Run: ${install}`,
    );
  }
  const { bench } = (await import(pathToFileURL(found.file).href)) as Benchmarks;
  await bench(words);
}

/** In the project of the working folder, else beside tundish. */
function findPackage(): { readonly load: NodeJS.Require; readonly file: string } | undefined {
  for (const from of [`${process.cwd()}/`, import.meta.url]) {
    const load = requireFrom(from);
    try {
      return { load, file: load.resolve(NAME) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}
