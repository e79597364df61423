/** Jobs in processes of their own, so that V8 has compiled nothing when they begin. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sibling } from "../../src/ground/base/package-file.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import type { MachineModel } from "../../src/machine/model/types.ts";
import { runChild } from "../peers/child.ts";
import { LIMIT_MS, type OurPart } from "./part.ts";

/** What a process is told, as a file. */
export interface FreshOrder {
  /** The module of its PEs. */
  readonly program: string;
  readonly pes: number;
  readonly machine: MachineModel;
  /** The argument of their main. */
  readonly job: unknown;
}

/** What it prints. */
export interface FreshAnswer<Answer = unknown> {
  /** When launch was called, and when the PEs had ended, ms since 1970. */
  readonly launched: number;
  readonly ended: number;
  /** What the PEs returned. */
  readonly answers: readonly Answer[];
}

/** Starts such processes. */
export interface FreshProcesses extends AsyncDisposable {
  /** Runs a program on the first CPUs of a part, a job in each process. @throws NativeError if it fails */
  run<Answer>(part: OurPart, program: URL, pes: number, job: unknown): Promise<FreshAnswer<Answer>>;
  /** Runs `node FILE ORDER`, the order as JSON in a file; it prints its answer as JSON. @throws NativeError if it fails */
  node<Answer>(part: OurPart, file: URL, order: unknown): Promise<Answer>;
}

/** Makes a folder for their orders. */
export async function freshProcesses(): Promise<FreshProcesses> {
  const folder = await mkdtemp(join(tmpdir(), "tundish-fresh-"));
  const node = async <Answer>(part: OurPart, file: URL, order: unknown): Promise<Answer> => {
    const orderFile = join(folder, "order.json");
    await writeFile(orderFile, JSON.stringify(order));
    const options = { env: process.env, deadlineMs: LIMIT_MS, signal: part.signal };
    const { stdout } = await runChild(process.execPath, [fileURLToPath(file), orderFile], options);
    return JSON.parse(stdout) as Answer;
  };
  return {
    node,
    run: <Answer>(part: OurPart, program: URL, pes: number, job: unknown) => {
      // more PEs than CPUs share them
      const cpus = Math.min(pes, part.cpus.length);
      const machine = selectPEs(part.machine, [...Array(cpus).keys()]);
      const order: FreshOrder = { program: program.href, pes, machine, job };
      return node<FreshAnswer<Answer>>(part, sibling("./fresh-node.js", import.meta.url), order);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
