/** The graphology library, loaded at the first call: programs and threads without one never load it. */
import { createRequire } from "node:module";

type Graphology = typeof import("graphology");

let loaded: Graphology | undefined;

export function graphology(): Graphology {
  loaded ??= createRequire(import.meta.url)("graphology") as Graphology;
  return loaded;
}
