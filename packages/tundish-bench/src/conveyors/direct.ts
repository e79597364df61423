/** The raw limit: a C program of our own (items.c), compiled if there is a compiler, as contenders. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { buildPlain } from "../peers/build.ts";
import type { PeerSamples } from "../peers/peer.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import { DIRECT } from "./targets.ts";
import type { Group } from "./variants.ts";

/** How it fills the other's buffers: see items.c. */
export type Form = "direct" | "staged" | "nontemporal";

/** Their names in the results. */
export const FORMS: Readonly<Record<Form, string>> = {
  direct: DIRECT,
  staged: "C, staged",
  nontemporal: "C, staged, non-temporal",
};

/** The amount of measurement: batches, and the target time of one, ms. */
export interface DirectVolume {
  readonly batches: number;
  readonly batchMs: number;
}

/** Its output: with the round trip of a cache line before and after each batch, if each PE has a CPU. */
type DirectSamples = PeerSamples & { readonly probes?: readonly (readonly number[])[] };

/** Bytes of a buffer: as of our conveyors when nothing is said. Each link has two. */
const BUFFER_BYTES = 16_384;
/** Limit for a program that hangs. */
const DEADLINE_MS = 120_000;

/** The compiled program; disposing of it removes it. */
export class Direct implements AsyncDisposable {
  /** The missing parts and the packages to install; null if nothing is. */
  readonly missing: string | null;
  readonly #file: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(missing: string | null, file: string, folder: string, env: NodeJS.ProcessEnv) {
    this.missing = missing;
    this.#file = file;
    this.#folder = folder;
    this.#env = env;
  }

  /** @param env its `PATH` is searched for the compiler */
  static async make(env: NodeJS.ProcessEnv = process.env): Promise<Direct> {
    const folder = await mkdtemp(join(tmpdir(), "tundish-items-"));
    const { missing, program } = await buildPlain("items.c", "-pthread", "gcc libc6-dev", folder, env);
    return new Direct(missing, program, folder, cleanEnvironment(env));
  }

  /** One form of it doing what a group does. */
  contender(
    form: Form,
    { what, work, pes }: Group,
    cpus: readonly number[],
    { batches, batchMs }: DirectVolume,
    signal?: AbortSignal,
  ): Contender {
    const name = FORMS[form];
    const args = [batches, batchMs, cpus.join(), pes, form, BUFFER_BYTES, work].map(String);
    return {
      name: `${name}, ${what}`,
      run: async () => {
        const { stdout } = await runChild(this.#file, args, {
          env: this.#env,
          deadlineMs: DEADLINE_MS,
          signal,
        });
        const [measured] = parseSamples<DirectSamples>(stdout, name);
        return [{ ...measured, name, what }];
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
