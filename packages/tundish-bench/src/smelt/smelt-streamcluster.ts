/**
 * Streamcluster, section 5.5 of Smelt's paper: apps/streamcluster.ts with our barrier and with a stock one, and the
 * same program in C with pthread's. One run after the other, each in threads that have just started, so V8's compiling
 * is in it. All must have the same result.
 */

import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { NativeError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { PeerSamples } from "../peers/peer.ts";
import type { CProgram } from "./smelt-c.ts";
import { firstPEs, LIMIT_MS, type SmeltOptions } from "./smelt-options.ts";
import { type MeasuredRivals, measureRivals, type Ours, onPes } from "./smelt-rivals.ts";

/** The input, of the size of PARSEC's simmedium unless it is quick. */
export interface StreamclusterInput {
  readonly points: number;
  readonly chunk: number;
  readonly dim: number;
  readonly kMin: number;
  readonly kMax: number;
  readonly centerSize: number;
  readonly seed: number;
}

/** The common result of all programs. */
export interface StreamclusterFound {
  readonly cost: number;
  readonly checksum: number;
}

export interface SmeltStreamcluster extends MeasuredRivals {
  readonly input: StreamclusterInput;
  readonly found: StreamclusterFound;
  /** Barriers that each PE passes, and gains. */
  readonly barriers: number;
  readonly gains: number;
}

const FULL: StreamclusterInput = {
  points: 8192,
  chunk: 8192,
  dim: 64,
  kMin: 10,
  kMax: 20,
  centerSize: 1000,
  seed: 1,
};
const QUICK: StreamclusterInput = {
  ...FULL,
  points: 400,
  chunk: 200,
  dim: 4,
  kMin: 3,
  kMax: 6,
  centerSize: 100,
};
/** Runs of each program in a turn. */
const RUNS = 3;

/** The report of the app; apps are above this folder, and are run by their files. */
interface Report extends StreamclusterFound {
  readonly seconds: number;
  readonly barriers: number;
  readonly gains: number;
}

/** @throws as {@link measureRivals}; NativeError for results that differ */
export async function smeltStreamcluster(options: SmeltOptions): Promise<SmeltStreamcluster> {
  const { quick = false, signal } = options;
  const input = quick ? QUICK : FULL;
  const runs = quick ? 1 : RUNS;
  let found: StreamclusterFound | null = null;
  let counts = { barriers: 0, gains: 0 };
  const check = (who: string, { cost, checksum }: StreamclusterFound) => {
    found ??= { cost, checksum };
    if (found.cost === cost && found.checksum === checksum) return;
    throw new NativeError(
      `streamcluster, ${who}: expected cost ${found.cost} and checksum ${found.checksum}, got ${cost} and ${checksum}`,
    );
  };
  const ours: Ours = (place) =>
    place.pes.flatMap((size) =>
      (["tundish", "stock"] as const).map((barrier): Contender => {
        const args = ["--barrier", barrier, "--reference", "off", ...wordsOf(input)];
        const once = async (): Promise<number> => {
          const [report] = await launch<Report>(sibling("../../../../apps/streamcluster.js", import.meta.url), {
            args,
            pes: size,
            machine: firstPEs(place, size),
            timeout: LIMIT_MS,
            ...(signal && { signal }),
          });
          check(barrier, report);
          counts = { barriers: report.barriers, gains: report.gains };
          return report.seconds * 1e9;
        };
        const run = async (): Promise<Entry[]> => {
          const samples: number[] = [];
          for (let i = 0; i < runs; i++) samples.push(await once());
          return [{ name: barrier, what: onPes("streamcluster", size), batch: 1, samples }];
        };
        return { name: `${barrier}, ${size} PEs`, required: true, run };
      }),
    );
  const { points, chunk, dim, kMin, kMax, centerSize, seed } = input;
  const args = [points, chunk, dim, kMin, kMax, centerSize, seed].map(String);
  const inC: CProgram = { name: "C, pthread", source: "streamcluster.c", by: "-pthread -lm", args };
  const bench = await measureRivals(
    ours,
    [inC],
    (sample, { name }, size) => {
      check(name, sample as PeerSamples & StreamclusterFound);
      return { ...sample, name, what: onPes("streamcluster", size) };
    },
    options,
  );
  return { ...bench, input, found: found as unknown as StreamclusterFound, ...counts };
}

const wordsOf = ({ points, chunk, dim, kMin, kMax, centerSize, seed }: StreamclusterInput): string[] => [
  "--points",
  `${points}`,
  "--chunk",
  `${chunk}`,
  "--dim",
  `${dim}`,
  "--k-min",
  `${kMin}`,
  "--k-max",
  `${kMax}`,
  "--center-size",
  `${centerSize}`,
  "--seed",
  `${seed}`,
];
