/**
 * The format `tundish/machine@1` of machine models: its check.
 *
 * A valibot schema checks the fields, a loop the matrices. Unknown fields are kept, so that later versions may add
 * some.
 *
 * Example: a model of 2 PEs with `"send": [[0, "x"], [5, 0]]` is rejected with
 * `send.0.1: expected a number >= 0, got "x"`.
 */
import * as v from "valibot";
import { ModelError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { problemIn } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { checkCpus } from "./cpus.ts";
import { amount, date, index, record, text } from "./fields.ts";
import { checkInternode, type Internode, internodeFields } from "./internode.ts";
import type { MachineModel, OpenTimes } from "./machine-model.ts";
import { checkMatrix, checkRelay } from "./matrix.ts";
import { checkOpen, openFields } from "./open.ts";
import { checkVersion } from "./version.ts";

const optional = ["propagate", "meet", "exchange", "rtt", "stream", "bandwidth"] as const;

const indexOrNull = v.nullable(
  v.pipe(
    v.number("a whole number >= 0 or null"),
    v.safeInteger("a whole number >= 0 or null"),
    v.minValue(0, "a whole number >= 0 or null"),
  ),
);
const pe = record(
  {
    cpu: index,
    core: indexOrNull,
    l3: v.optional(indexOrNull),
    numa: indexOrNull,
    package: indexOrNull,
  },
  "a PE {cpu, core, numa, package}",
);

const itemTimes = { push: amount, pivot: amount, pull: amount };

const shape = record(
  {
    name: text,
    source: text,
    unit: v.picklist(["ns", "cycles"], '"ns" or "cycles"'),
    measured: text,
    notes: v.optional(text),
    pes: v.pipe(v.array(pe, "an array of PEs"), v.minLength(1, "one or more PEs")),
    fingerprint: v.optional(text),
    created: v.optional(date),
    host: v.optional(record({}, "an object")),
    // entry by entry: valibot's records leave out entries with names such as `constructor`
    batches: v.optional(v.custom<Record<string, unknown>>(isRecord, "an object")),
    ring: v.optional(amount),
    deviation: v.optional(record({}, "an object {send, receive, rtt}")),
    noise: v.optional(
      record(
        {
          spread: amount,
          passes: index,
          stable: v.boolean("true or false"),
          probe: v.array(amount, "an array of numbers >= 0"),
          mode: v.optional(amount),
        },
        "an object {spread, passes, stable, probe}",
      ),
    ),
    wake: v.optional(record({ futex: v.nullable(amount), atomics: amount }, "an object {futex, atomics}")),
    items: v.optional(
      record(
        {
          ...itemTimes,
          byte: record(itemTimes, "an object {push, pivot, pull}"),
          buffer: v.optional(
            record({ handle: amount, wait: amount, shared: amount }, "an object {handle, wait, shared}"),
          ),
          open: v.optional(openFields as v.GenericSchema),
        },
        "an object {push, pivot, pull, byte}",
      ),
    ),
    internode: v.optional(internodeFields as v.GenericSchema),
    crossovers: v.optional(
      record({ broadcast: amount, reduce: amount, allreduce: amount }, "an object {broadcast, reduce, allreduce}"),
    ),
  },
  "an object",
);

/** Checks a document as a machine model. @throws ModelError for the first fault; `path` as in `send.3.7` */
export function parseMachine(document: unknown): MachineModel {
  checkSchema(document);
  const problem = problemIn(shape, document);
  if (problem !== null) throw new ModelError(problem.path, `${problem.path}: ${problem.sentence}`);
  const { pes, batches = {}, deviation, ...rest } = document as v.InferOutput<typeof shape>;
  checkCpus(pes);
  const check = (fields: readonly string[], owner: Record<string, unknown>, path = "") => {
    for (const field of fields) checkMatrix(`${path}${field}`, owner[field], pes.length);
  };
  check(["send", "receive"], rest);
  check(
    optional.filter((field) => rest[field] !== undefined),
    rest,
  );
  if (rest.relay !== undefined) checkRelay(rest.relay, pes.length);
  for (const [size, batch] of Object.entries(batches)) {
    const path = `batches.${size}`;
    if (!isRecord(batch)) {
      throw new ModelError(path, `${path}: expected an object {send, receive}, got ${shortText(batch)}`);
    }
    check(["send", "receive"], batch, `${path}.`);
  }
  if (deviation) check(["send", "receive", "rtt"], deviation, "deviation.");
  if (rest.internode !== undefined) checkInternode(rest.internode as Internode);
  if (rest.items?.open !== undefined) checkOpen(rest.items.open as OpenTimes);
  return document as MachineModel;
}

function checkSchema(document: unknown): void {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new ModelError("", `expected a machine model (an object), got ${shortText(document)}`);
  }
  checkVersion((document as { schema?: unknown }).schema);
}
