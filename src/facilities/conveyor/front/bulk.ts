/**
 * Runs of a conveyor whose items are columns, or come as batches: no function of the program is called for an item.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { checkNames, isRecord } from "../../../ground/base/names.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Columns } from "../../../ground/item/columns.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Batch } from "../belts/batch.ts";
import type { RigidBelt } from "../belts/rigid.ts";
import { INSTEAD, PUT_BACK, refusePromise } from "../codegen/returned.ts";
import { renamed } from "../engine/refusal.ts";
import { checkAtOnce, type Source } from "./run.ts";

/** A source of items: columns, as pushAll takes them. */
export interface PushedColumns<I extends ItemType = ItemType> {
  /** The destination of each item. */
  readonly dests: Uint32Array;
  readonly columns: Columns<I>;
  /** Index of the first item. @default 0 */
  readonly first?: number | undefined;
  /** Index after the last item. @default all of `dests` */
  readonly end?: number | undefined;
}

/** A sink of items: a function for all those of a received buffer. */
export interface BatchSink<I extends ItemType = ItemType> {
  /** The batch and what is read from it are valid until it returns. It must not wait. */
  readonly takeAll: (batch: Batch<I>) => AtOnce;
}

/** Whether a source or a sink is no function: columns, a table, or something with takeAll. */
export const isBulk = (given: unknown): given is object => isRecord(given) && !ArrayBuffer.isView(given);

/** @throws UsageError unless a sink that is no function is either this or a table */
export function isBatchSink(sink: object): sink is BatchSink {
  const [isBatches, isTable] = ["takeAll" in sink, "table" in sink];
  if (isBatches !== isTable) return isBatches;
  throw new UsageError(
    "run: sink: expected a function (item, from) => { … }, { takeAll: (batch) => { … } } or { table, op, … }, got " +
      `${isBatches ? "both takeAll and table in " : ""}${shortText(sink)}`,
  );
}

/** The source that pushes columns. @throws UsageError, OverflowError for columns that do not fit the items */
export function pushingColumns<I extends ItemType>(belt: RigidBelt<I>, source: PushedColumns<I>): Source<unknown> {
  checkNames("run: source", source, ["dests", "columns", "first", "end"]);
  const { dests, columns, first = 0, end = dests?.length } = source;
  naming(() => belt.checkColumns(dests, columns, first, end));
  return (_push, turn) =>
    naming(() => {
      for (let i = first; ; turn()) {
        i = belt.pushMost(dests, columns, i, end, Number.POSITIVE_INFINITY);
        if (i === end) return;
      }
    });
}

/** Calls what says "pushAll" in its errors. */
function naming(call: () => void): void {
  try {
    call();
  } catch (error) {
    throw renamed(error, "run");
  }
}

/** A function that passes the items of one buffer to a sink. @throws UsageError unless the sink is a function */
export function takingBatches<I extends ItemType>(belt: RigidBelt<I>, sink: BatchSink<I>): () => void {
  const { takeAll } = sink;
  if (typeof takeAll !== "function") {
    throw new UsageError(`run: takeAll: expected a function (batch) => { … }, got ${shortText(takeAll)}`);
  }
  checkAtOnce({ takeAll }, INSTEAD.conveyor);
  return () => {
    const batch = belt.pullAll();
    if (batch === null) return;
    const returned: unknown = sink.takeAll(batch);
    if (returned === PUT_BACK) {
      throw new UsageError("run: takeAll returned PUT_BACK: to put items of a batch back, call unpull() for each.");
    }
    if (returned !== undefined) refusePromise(returned, "run: takeAll", INSTEAD.conveyor);
    // the next advance gives it back, and gets the next one
    belt.cursor.wanted = true;
  };
}
