/** The programs in C of the parts of `bench loops`, compiled into a folder. */
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import { buildPlain } from "../peers/build.ts";
import { type LoopPart, RUNTIMES, UNEVEN_C } from "./names.ts";

/** A program, and who it is. */
export interface LoopPeer {
  readonly name: string;
  readonly program: string;
}

interface Peers {
  readonly peers: (part: LoopPart) => readonly LoopPeer[];
  /** Of the compilers. */
  readonly versions: Readonly<Record<string, string>>;
  readonly missing: readonly Missing[];
}

/** Debian's packages of each compiler, with its OpenMP. */
const PACKAGES = { gcc: "gcc libc6-dev libgomp1", clang: "clang libomp-dev" } as const;

/** A source, and by which compiler it is made for whom. */
interface InC {
  readonly source: string;
  readonly by: Readonly<Record<string, keyof typeof PACKAGES>>;
}

const IN_C: Readonly<Partial<Record<LoopPart, InC>>> = {
  schedules: { source: "openmp/loops.c", by: RUNTIMES },
  synchronisation: { source: "openmp/sync.c", by: RUNTIMES },
  tasks: { source: "openmp/quadrature.c", by: RUNTIMES },
  uneven: { source: "openmp/uneven.c", by: { [UNEVEN_C]: "gcc" } },
};

/** Compiles those of some parts. */
export async function peersOf(parts: readonly LoopPart[], folder: string): Promise<Peers> {
  const all = await Promise.all(
    parts.flatMap((part) => {
      const { source, by } = IN_C[part] ?? { source: "", by: {} };
      return Object.entries(by).map(async ([name, compiler]) => {
        const env = process.env;
        const built = await buildPlain(source, "-fopenmp -lm", PACKAGES[compiler], folder, env, compiler);
        return { part, name, compiler, ...built };
      });
    }),
  );
  const missing = all.flatMap(({ name, missing: reason }) => (reason === null ? [] : [{ name, reason }]));
  return {
    peers: (part) => all.filter((one) => one.part === part && one.missing === null),
    versions: Object.fromEntries(
      all.filter(({ version }) => version !== "").map(({ compiler, version }) => [compiler, version]),
    ),
    missing: [...new Map(missing.map((one) => [one.name, one])).values()],
  };
}
