/** A world in a process of its own. */
import type { FreshProcesses } from "../../../../microbench/launch/processes.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";

/** The arguments of a process, as a file. */
export interface FreshOrder {
  /** The module of its PEs. */
  readonly program: string;
  readonly pes: number;
  readonly machine: MachineModel;
  /** The argument of their main. */
  readonly job: unknown;
}

/** Its output. */
export interface FreshAnswer<Answer = unknown> {
  /** When launch was called, and when the PEs had ended, ms since 1970. */
  readonly launched: number;
  readonly ended: number;
  /** The results of the PEs. */
  readonly answers: readonly Answer[];
}

/** Runs a program on the first CPUs of a part. @throws NativeError if it fails */
export function runFresh<Answer>(
  processes: FreshProcesses,
  part: OurPart,
  program: URL,
  pes: number,
  job: unknown,
): Promise<FreshAnswer<Answer>> {
  // more PEs than CPUs share them
  const cpus = Math.min(pes, part.cpus.length);
  const machine = selectPEs(part.machine, [...Array(cpus).keys()]);
  const order: FreshOrder = { program: program.href, pes, machine, job };
  return processes.node<FreshAnswer<Answer>>(part, sibling("./fresh-node.js", import.meta.url), order);
}
