/** Jobs in processes of their own, so that V8 has compiled nothing when they begin. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMIT_MS, type OurPart } from "../turns/part.ts";
import { runChild } from "./child.ts";

/** Starts such processes. */
export interface FreshProcesses extends AsyncDisposable {
  /** Runs `node FILE ORDER`, JSON in a file; it prints its answer as JSON. @throws NativeError if it fails */
  node<Answer>(part: OurPart, file: URL, order: unknown): Promise<Answer>;
}

/** Makes a folder for their orders. */
export async function freshProcesses(): Promise<FreshProcesses> {
  const folder = await mkdtemp(join(tmpdir(), "tundish-fresh-"));
  return {
    node: async <Answer>(part: OurPart, file: URL, order: unknown): Promise<Answer> => {
      const orderFile = join(folder, "order.json");
      await writeFile(orderFile, JSON.stringify(order));
      const options = { env: process.env, deadlineMs: LIMIT_MS, signal: part.signal };
      const { stdout } = await runChild(process.execPath, [fileURLToPath(file), orderFile], options);
      return JSON.parse(stdout) as Answer;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
