/** The parts of a report, and how long it may take. */
import type { Progress } from "../../../microbench/pairs/profiled.ts";
import type { MachineModel, Topology } from "../../machine/model/machine-model.ts";
import type { ReportDocument } from "./document.ts";

/** Options of {@link makeReport}. */
export interface ReportOptions {
  readonly machine: MachineModel;
  readonly origin: ReportDocument["origin"];
  /** @default the name of the model */
  readonly title?: string | undefined;
  /** The command that makes it. */
  readonly command: string;
  /** This machine, if the model is of it; else null. */
  readonly here: Topology | null;
  /** Why nothing is measured, a whole sentence; null: everything is. */
  readonly unmeasured: string | null;
  /** Time that the measurements may take, ms; each is done once at least. @default 40000 */
  readonly budgetMs?: number | undefined;
  /** Warnings for readers before they trust a number, a whole sentence each. @default nothing */
  readonly warnings?: readonly string[] | undefined;
  /** Few and short batches: to see that it works, not how fast. @default false */
  readonly quick?: boolean | undefined;
  /** Nodes of the plan and trees. @default those of the model, else one; four for costs without a number */
  readonly nodes?: number | undefined;
  /** The load that is planned for. @default 16 bytes, 100 000 items */
  readonly itemBytes?: number | undefined;
  readonly load?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The nodes of a report. */
export function nodesOf({ nodes, machine: { internode } }: ReportOptions): number {
  return nodes ?? (internode === undefined ? 1 : (internode.nodes ?? NODES));
}

/** Of a model that has costs between nodes, and does not say how many there are. */
const NODES = 4;
