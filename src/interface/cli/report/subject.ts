/** The machine that `tundish report` is about, and whether it is measured. */
import { UsageError } from "../../../ground/base/errors.ts";
import { place } from "../../../links/world/placement.ts";
import { fingerprint, fitWarning } from "../../../machine/model/fingerprint.ts";
import type { MachineModel, Topology } from "../../../machine/model/machine-model.ts";
import { readMachine } from "../../../machine/model/model.ts";
import { guessModel } from "../../../machine/topology/guess.ts";
import { usableCpus } from "../../../machine/topology/usable.ts";
import type { ReportOptions } from "../../report/options.ts";
import { measure } from "../commands/measure.ts";
import { defaultModelFile, MACHINE_FILE } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";

type Subject = Pick<ReportOptions, "machine" | "origin" | "here" | "unmeasured">;
type Found = Pick<Subject, "machine" | "origin">;

/** Options of the command. */
interface Wishes {
  readonly measure?: boolean;
  readonly quick?: boolean;
}

interface Surroundings {
  readonly topology: Topology;
  readonly signal: AbortSignal;
  readonly output: CommandOutput;
}

/** A profile of a quick report. */
const QUICK = { rounds: 50, budget: 100 };

/** Finds the model, or makes it. @throws ModelError for another file; UsageError for a bad `--measure` */
export async function subjectOf(file: string | undefined, options: Wishes, around: Surroundings): Promise<Subject> {
  const found: Found =
    file === undefined ? await ownModel(options, around) : { machine: await readMachine(file), origin: "file" };
  const { topology } = around;
  const isHere = found.machine.fingerprint === fingerprint(topology);
  const reason = whyNot(found.machine, topology);
  if (options.measure && reason !== null) throw new UsageError(`--measure: cannot measure: ${reason}`);
  const why = options.measure === false ? "--no-measure." : reason;
  const unmeasured = why === null ? null : `Nothing was measured: ${why}`;
  for (const name of ["alpha", "beta"])
    if (name in found.machine)
      around.output.note(
        `${file ?? "machine model"}: ${name} has no effect here; the costs between nodes are "internode": {"alpha": …, "beta": …}`,
      );
  return { ...found, here: isHere ? topology : null, unmeasured };
}

/** The model that users have of this machine; else a profile, or with `--no-measure` a guess. */
async function ownModel(options: Wishes, around: Surroundings): Promise<Found> {
  const { topology, signal, output } = around;
  const path = defaultModelFile();
  const known = path === undefined ? undefined : await readMachine(path);
  const misfit = known === undefined ? null : fitWarning(known, topology);
  if (known !== undefined && misfit === null) {
    output.note(`machine model: ${path}`);
    return { machine: known, origin: "file" };
  }
  const why = misfit === null ? `no ${MACHINE_FILE} here` : `${path}: ${misfit}`;
  if (options.measure === false) {
    output.note(`${why}. The model of this machine is guessed from its topology`);
    return { machine: guessModel(topology), origin: "guessed" };
  }
  output.note(`${why}. Profiling this machine first; \`tundish profile\` keeps that in ${MACHINE_FILE}`);
  return {
    machine: await measure(topology, options.quick ? QUICK : {}, output, signal),
    origin: "measured",
  };
}

/** Why a machine cannot be measured, with a full stop; null if it can. */
function whyNot(machine: MachineModel, topology: Topology): string | null {
  if (machine.fingerprint === undefined) {
    return "the model does not say which machine it is of (fingerprint).";
  }
  const misfit = fitWarning(machine, topology);
  if (misfit !== null) return misfit.replace(/^The/, "the");
  const pes = machine.pes.length;
  if (pes < 2) return "one PE has nobody to send to.";
  const { cores } = place(topology, usableCpus(topology), pes, machine);
  return cores < pes ? `the ${pes} PEs of the model would share the ${cores} cores that this process may use.` : null;
}
