/** The graphology library, loaded at the first call: programs and threads without one never load it. */
import { EnvironmentError } from "./errors.ts";
import { requireHere } from "./package-file.ts";

type Graphology = typeof import("graphology");

let loaded: Graphology | undefined;

/** @throws EnvironmentError if it is not installed, as beside a bundle */
export function graphology(): Graphology {
  try {
    loaded ??= requireHere(import.meta.url)("graphology") as Graphology;
    return loaded;
  } catch (cause) {
    throw new EnvironmentError(
      "Graphs need the package graphology, and it cannot be loaded here. A bundle does not contain it: install it beside the bundle " +
        "(npm install graphology).",
      { cause },
    );
  }
}
