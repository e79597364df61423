/** The same product in C with OpenMP, compiled when it is to be measured. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "../../../../microbench/launch/child.ts";
import { LIMIT_MS, type OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { EnvironmentError } from "../../../../src/ground/base/errors.ts";
import { sourceOf } from "../peers/build.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment, which } from "../peers/tools.ts";
import { type KernelVolume, titleOf } from "./job.ts";

/** A compiler with its options. Vectors have 128 bits in each: the source says so. */
export interface NativeWay {
  readonly name: string;
  readonly compiler: "clang" | "gcc";
  readonly options: readonly string[];
}

/** Of each the plain processor of its kind, as WebAssembly has no fused multiplication and addition. */
export const RIVALS: readonly NativeWay[] = [
  { name: "C, clang -O3, OpenMP", compiler: "clang", options: [] },
  { name: "C, gcc -O3, OpenMP", compiler: "gcc", options: [] },
];
/** With instructions that WebAssembly has not. */
export const FUSED: NativeWay = {
  name: "C, clang -O3 -march=native, OpenMP",
  compiler: "clang",
  options: ["-march=native", "-ffp-contract=fast"],
};

const COMPILE = ["-std=c11", "-O3", "-fopenmp", "-Wall", "-Wextra", "-Wno-unknown-pragmas"];
const PACKAGES = { clang: "clang libomp-dev", gcc: "gcc libc6-dev libgomp1" } as const;

/** A file of examples/kernels: in a checkout, or in the package tundish that is installed beside this one. */
export function kernelFile(name: string): URL {
  const places = ["../../../../", "../../../../../", "../../../", "../../tundish/"].map(
    (place) => new URL(`${place}examples/kernels/${name}`, import.meta.url),
  );
  const found = places.find((url) => existsSync(url));
  if (found !== undefined) return found;
  throw new EnvironmentError(
    `bench kernels: expected examples/kernels/${name} in a checkout or in the package tundish beside tundish-bench, found none. ` +
      "Install tundish in the same folder.",
  );
}

/** Compiled at its first turn. @param folder for the program */
export function native(part: OurPart, folder: string, way: NativeWay, { n, runs }: KernelVolume): Contender {
  let program: Promise<string> | null = null;
  return {
    name: way.name,
    run: async () => {
      program ??= compile(way, folder);
      const args = [`${runs}`, `${n}`, part.cpus.join(",")];
      const options = { env: cleanEnvironment(process.env), deadlineMs: LIMIT_MS, signal: part.signal };
      const { stdout } = await runChild(await program, args, options);
      return parseSamples(stdout, way.name).map((one) => ({ ...one, name: way.name, what: titleOf(n) }));
    },
  };
}

/** @throws EnvironmentError if the compiler is missing */
async function compile({ name, compiler, options }: NativeWay, folder: string): Promise<string> {
  const file = which(compiler, process.env);
  if (file === null) throw new EnvironmentError(`${compiler} is not in PATH; apt-get install ${PACKAGES[compiler]}`);
  const program = join(folder, name.replaceAll(/\W+/g, "-"));
  const sources = [sourceOf("matrix-omp.c"), fileURLToPath(kernelFile("matrix.c"))];
  await runChild(file, [...COMPILE, ...options, ...sources, "-o", program], {
    env: cleanEnvironment(process.env),
    deadlineMs: LIMIT_MS,
  });
  return program;
}
