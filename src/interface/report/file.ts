/** Reports in files: JSON, read and checked, so that a page can be made of one again. */
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import { type DocumentKind, readDocument } from "../../ground/base/document-file.ts";
import { ModelError, PlanError, sentenceOf, TundishError, UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { problemIn } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { parseMachine } from "../../machine/model/schema.ts";
import { parsePlan } from "../../plan/document/schema.ts";
import {
  type Figures,
  isAbsent,
  type ReportDocument,
  type ReportPart,
  type TimeSpread,
  type TreesOverNodes,
} from "./document.ts";
import { reportFields } from "./fields.ts";

const SCHEMA = "tundish/report@1";
/** Of all nodes: as many as trees over nodes are made for. */
const MOST_RANKS = 65_536;

/** A document that is not a report. */
class ReportFault extends UsageError {
  /** The place of the first fault. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** Checks a document as a report. @throws UsageError for the first fault; its `path` is the place */
export function parseReport(document: unknown): ReportDocument {
  const schema = isRecord(document) ? document.schema : undefined;
  if (schema !== SCHEMA) {
    throw new ReportFault("schema", `schema: expected "${SCHEMA}", got ${shortText(schema)}`);
  }
  const problem = problemIn(reportFields, document);
  if (problem !== null) throw new ReportFault(problem.path, `${problem.path}: ${problem.sentence}`);
  const report = document as ReportDocument;
  inPart("machine", () => parseMachine(report.machine));
  const { trees, nodes, plan } = report;
  for (const part of ["predictions", "collectives", "starts", "conveyors"] as const) checkTimes(part, report[part]);
  if (!isAbsent(plan)) inPart("plan", () => parsePlan(plan));
  if (!isAbsent(trees)) inPart("trees", () => checkTrees(trees, report.machine.pes.length));
  if (!isAbsent(nodes)) checkOverNodes(nodes);
  return report;
}

/** Reads a report. @param path of the file; `-` is stdin @throws UsageError that names the file and the place */
export const readReport = (path: string): Promise<ReportDocument> =>
  readDocument(path, {
    what: "a report",
    madeBy: "tundish report -o report.json",
    parse: parseReport,
    fault: ReportFault,
  } satisfies DocumentKind<ReportDocument>);

/** Quartiles are around the median. */
function checkTimes(part: string, figures: ReportPart<Figures<TimeSpread>> | undefined): void {
  if (figures === undefined || isAbsent(figures)) return;
  for (const [i, { ns, low, high }] of figures.times.entries()) {
    const fail = (name: string, expected: string, found: number) => {
      const place = `${part}.times.${i}.${name}`;
      throw new ReportFault(place, `${place}: expected ${expected} ${ns}, the median, got ${found}`);
    };
    if (low > ns) fail("low", "at most", low);
    if (high < ns) fail("high", "at least", high);
  }
}

/** The trees span the ranks of all nodes. */
function checkOverNodes({ trees: { sizes, broadcast, reduce, barrier } }: TreesOverNodes): void {
  const ranks = sizes.reduce((sum, size) => sum + size, 0);
  if (ranks > MOST_RANKS) {
    const place = "nodes.trees.sizes";
    throw new ReportFault(place, `${place}: expected at most ${MOST_RANKS} PEs together, got ${ranks}`);
  }
  const cores = Array.from({ length: ranks }, (_, rank) => rank);
  inPart("nodes.trees", () => checkTrees({ cores, broadcast, reduce, barrier }, ranks));
}

/** Faults of a part name their place in the report. */
function inPart<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof TundishError)) throw cause;
    const isPlaced = cause instanceof ModelError || cause instanceof PlanError;
    const place = isPlaced && cause.path !== "" ? `${name}.${cause.path}` : name;
    const sentence = sentenceOf(cause);
    // that of trees begins with their place
    const said = isPlaced ? `${name}.${sentence}` : sentence.replace(/^trees\b/, name);
    throw new ReportFault(place, said, { cause });
  }
}
