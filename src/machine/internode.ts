/**
 * What messages between nodes cost: the part `internode` of a machine model, and its check.
 *
 * Who writes a model by hand gives `alpha` and `beta`; the rest is there when `tundish profile` has measured a cluster.
 *
 * Source of the terms: LogP (Culler et al. 1993) and LogGP (Alexandrov et al. 1995); alpha is o + L + o of theirs, and `gap` their
 * g and G. Example: alpha 1500 and beta 0.1 make 1600 ns for a message of 1000 bytes.
 */
import * as v from "valibot";
import { ModelError } from "../base/errors.ts";
import type { Field } from "../base/options.ts";
import { amount, index, record, text } from "./fields.ts";

/** How far what was measured is from what a fit says, relative to what was measured: 0.1 = 10 %. */
export interface Residual {
  readonly median: number;
  readonly worst: number;
}

/** A message of m bytes takes alpha + beta * m ns. */
export interface InternodeLine {
  readonly alpha: number;
  readonly beta: number;
  readonly residual: Residual;
}

/** The line of some of the sizes, where one line for all is far off. */
export interface InternodePiece extends InternodeLine {
  /** The smallest and the largest of the sizes, bytes. */
  readonly from: number;
  readonly to: number;
}

/** What it costs when so many PEs of each node talk at the same time, each to its like on the next node. */
export interface InternodePEs extends InternodeLine {
  readonly pes: number;
  readonly pieces?: readonly InternodePiece[];
  /** Half a round trip by size, ns. */
  readonly latency: readonly number[];
  /** A message of a long stream by size, ns, at each of the PEs; and its fit: so much a message, and a byte. */
  readonly stream: readonly number[];
  readonly gap: { readonly message: number; readonly byte: number; readonly residual: Residual };
  /** What one send of the smallest size keeps its PE busy, ns. */
  readonly overhead: number;
}

/** One receiver, hit by so many senders at the same time with messages of the smallest size. */
export interface Incast {
  readonly senders: number;
  /** From message to message, ns. */
  readonly time: number;
  /** The part of it in which the receiver was not waiting. */
  readonly busy: number;
}

/** What messages between nodes cost, ns. */
export interface Internode {
  /** Of one PE a node: a message of m bytes takes alpha + beta * m. */
  readonly alpha: number;
  readonly beta: number;
  readonly unit?: "ns";
  /** Nodes that were measured, and the machines that they were on; between two on one machine, MPI takes memory. */
  readonly nodes?: number;
  readonly machines?: number;
  /** The MPI library, in its own words. */
  readonly library?: string;
  /** Sizes of messages, bytes. */
  readonly sizes?: readonly number[];
  readonly pes?: readonly InternodePEs[];
  readonly incast?: readonly Incast[];
  /** One message from each of k senders keeps a receiver busy for fixed + sender * k. */
  readonly receiver?: { readonly fixed: number; readonly sender: number; readonly residual: Residual };
  /** Between the middle half of the batches of a measurement, relative; the median of all measurements. */
  readonly spread?: number;
}

const residual = record({ median: amount, worst: amount }, "an object {median, worst}");
const line = { alpha: amount, beta: amount, residual };
const amounts = v.array(amount, "an array of numbers >= 0");

/** @internal The check of its fields; lists are checked by {@link checkInternode}. */
export const internodeFields: Field = record(
  {
    alpha: amount,
    beta: amount,
    unit: v.optional(v.picklist(["ns"], '"ns"')),
    nodes: v.optional(index),
    machines: v.optional(index),
    library: v.optional(text),
    sizes: v.optional(amounts),
    pes: v.optional(
      v.array(
        record(
          {
            pes: index,
            ...line,
            pieces: v.optional(
              v.array(
                record({ from: amount, to: amount, ...line }, "a piece {from, to, alpha, beta, residual}"),
              ),
            ),
            latency: amounts,
            stream: amounts,
            gap: record({ message: amount, byte: amount, residual }, "an object {message, byte, residual}"),
            overhead: amount,
          },
          "an object {pes, alpha, beta, residual, latency, stream, gap, overhead}",
        ),
        "an array of what so many PEs cost",
      ),
    ),
    incast: v.optional(
      v.array(
        record({ senders: index, time: amount, busy: amount }, "an object {senders, time, busy}"),
        "an array of objects {senders, time, busy}",
      ),
    ),
    receiver: v.optional(
      record({ fixed: amount, sender: amount, residual }, "an object {fixed, sender, residual}"),
    ),
    spread: v.optional(amount),
  },
  "an object {alpha, beta}",
);

/** Checks that what was measured by size has a number for each size. @throws ModelError that says where */
export function checkInternode({ sizes, pes = [] }: Internode): void {
  for (const [i, one] of pes.entries()) {
    for (const name of ["latency", "stream"] as const) {
      const expected = sizes?.length ?? 0;
      if (one[name].length === expected) continue;
      const path = `internode.pes.${i}.${name}`;
      throw new ModelError(
        path,
        `${path}: expected ${expected} numbers, one for each of internode.sizes, got ${one[name].length}`,
      );
    }
  }
}
