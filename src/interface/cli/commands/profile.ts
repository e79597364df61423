/**
 * `tundish profile`: measures the machine model of this machine, or guesses that of any machine. As an MPI job with one
 * process per node it makes the model of all nodes: the first process measures its machine while the others sleep, then
 * all measure between nodes.
 */

import { countText } from "../../../ground/base/units.ts";
import { cpusText } from "../../../machine/model/cpus.ts";
import type { MachineModel, Topology } from "../../../machine/model/machine-model.ts";
import { formatMachine, writeMachine } from "../../../machine/model/model.ts";
import type { Mpi } from "../../../machine/mpi/mpi.ts";
import { guessModel } from "../../../machine/topology/guess.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import { type ExitCode, NOISY, OK } from "../terminal/exit.ts";
import { checkApart, checkFile } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { isJob, runJob } from "../terminal/job.ts";
import { MACHINE_FILE } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap.ts";
import { itemsText, noiseText, printCosts, relayText } from "../text/cost-text.ts";
import { internodeText } from "../text/internode-text.ts";
import { topologyText } from "../text/topology-text.ts";
import { type MeasureOptions, measure, measureBetween } from "./measure.ts";

/** The options as parsed by commander. */
export interface ProfileCommandOptions extends MeasureOptions {
  readonly guess?: boolean;
  readonly machine?: string;
  readonly xml?: string;
  /** Whether costs between nodes that vary too much are kept in the model. */
  readonly keepNoisy?: boolean;
}

/**
 * Measures or guesses, prints and writes a machine model; returns {@link NOISY} if it is not stable. Costs between
 * nodes that vary too much are left out, unless they are to be kept.
 * @throws what the measurement and reading a topology throw; UsageError for a file that cannot be written
 */
export async function profileCommand(options: ProfileCommandOptions, output: CommandOutput): Promise<ExitCode> {
  const { guess = false, xml } = options;
  const file = options.output ?? (output.json || guess ? undefined : MACHINE_FILE);
  if (!isJob()) return profileHere(options, file, output, null);
  return runJob(output, async (mpi) => {
    if (mpi.rank === 0) return profileHere(options, file, output, mpi);
    if (guess) return OK;
    const topology = await readTopology({ xml });
    await measureBetween(mpi, topology, options, output, interruptSignal(output));
    return OK;
  });
}

/** @param mpi of the job whose first process this is; null if there is no job */
async function profileHere(
  options: ProfileCommandOptions,
  file: string | undefined,
  output: CommandOutput,
  mpi: Mpi | null,
): Promise<ExitCode> {
  const { guess = false, machine: synthetic, xml } = options;
  if (file !== undefined) checkFile("--output", file);
  checkApart({ "--xml": xml, "--output": file });
  const topology = await readTopology({ synthetic, xml });
  if (!output.json) output.section("Topology", topologyText(topology));
  for (const note of topology.notes) output.note(`note: ${note}`);
  if (mpi !== null) noteBinding(topology, output);
  const measured = guess ? guessModel(topology) : await measureAll(topology, options, output, mpi);
  const noisy = measured.internode?.noisy ?? [];
  const model = noisy.length > 0 && options.keepNoisy !== true ? withoutInternode(measured) : measured;
  if (file !== undefined) await writeMachine(file, model);
  if (output.json) {
    output.print(formatMachine(model).trimEnd());
  } else {
    printCosts(model, output);
    if (!guess && model.pes.length > 1) output.print(wrapText(relayText(model), 0));
    if (measured.internode !== undefined) output.section("Between nodes", internodeText(measured.internode));
    if (model.items !== undefined) output.print(wrapText(itemsText(model), 0));
    output.print(guess ? "Guessed from the topology, not measured." : wrapText(noiseText(model), 0));
  }
  if (file !== undefined) output.note(`wrote ${file}`);
  const isRefused = measured.internode !== model.internode;
  if (isRefused) {
    output.note(
      `the costs between nodes are left out of the model, as ${countText(noisy.length, "figure")} varied too much: ${noisy[0]}. ` +
        "Measure again while nothing else runs, or keep them with --keep-noisy: plans do not go by them",
    );
  }
  if (guess || model.noise?.stable !== false) return isRefused ? NOISY : OK;
  output.note(`the measurement is not stable${file === undefined ? "" : `; ${file} was written nevertheless`}`);
  return NOISY;
}

const withoutInternode = ({ internode, ...model }: MachineModel): MachineModel => model;

/** Most launchers bind a process to one core, which allows only one PE. */
function noteBinding({ cpus, isThisMachine }: Topology, output: CommandOutput): void {
  const allowed = cpus.filter((cpu) => cpu.allowed).map(({ cpu }) => cpu);
  if (!isThisMachine || allowed.length === cpus.length) return;
  const all = countText(cpus.length, "CPU");
  output.note(
    `note: of ${all} this process may use only ${cpusText(allowed)}. If the launcher bound it, use: mpirun --bind-to none`,
  );
}

async function measureAll(
  topology: Topology,
  options: MeasureOptions,
  output: CommandOutput,
  mpi: Mpi | null,
): Promise<MachineModel> {
  const signal = interruptSignal(output);
  const model = await measure(topology, options, output, signal);
  if (mpi === null) return model;
  return { ...model, internode: await measureBetween(mpi, topology, options, output, signal) };
}
