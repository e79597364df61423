/**
 * The costs of messages between nodes: the field `internode` of a machine model, and its check.
 *
 * A model written by hand has `alpha` and `beta`; `tundish profile` on several nodes adds the rest.
 *
 * Source of the terms: LogP (Culler et al. 1993) and LogGP (Alexandrov et al. 1995). alpha is their o + L + o, and
 * `gap` their g and G. Example: alpha 1500 and beta 0.1 give 1600 ns for a message of 1000 bytes.
 */
import * as v from "valibot";
import { ModelError } from "../../ground/base/errors.ts";
import type { OptionField } from "../../ground/base/options.ts";
import { amount, index, record, text } from "./fields.ts";

/** Relative difference between measurements and a fit: 0.1 = 10 %. */
export interface Residual {
  readonly median: number;
  readonly worst: number;
}

/** A line: a message of m bytes takes alpha + beta * m ns. */
export interface InternodeLine {
  readonly alpha: number;
  readonly beta: number;
  readonly residual: Residual;
}

/** A line for some of the sizes, used where one line for all fits badly. */
export interface InternodePiece extends InternodeLine {
  /** The smallest and the largest of the sizes, bytes. */
  readonly from: number;
  readonly to: number;
}

/** The costs when `pes` PEs of each node communicate at the same time, each with its counterpart on the next node. */
export interface InternodePEs extends InternodeLine {
  readonly pes: number;
  readonly pieces?: readonly InternodePiece[];
  /** Half of a round trip by size, ns. */
  readonly latency: readonly number[];
  /** Time per message of a long stream by size, ns, at each PE; and its fit: costs per message and per byte. */
  readonly stream: readonly number[];
  readonly gap: { readonly message: number; readonly byte: number; readonly residual: Residual };
  /** Time that a send of the smallest size keeps its PE busy, ns. */
  readonly overhead: number;
}

/** One receiver with `senders` concurrent senders of messages of the smallest size. */
export interface Incast {
  readonly senders: number;
  /** Time between messages, ns. */
  readonly time: number;
  /** The part of it in which the receiver was busy. */
  readonly busy: number;
}

/** One receiver with `senders` concurrent senders of large messages. */
export interface BulkIncast {
  readonly senders: number;
  /** Bytes of a message. */
  readonly bytes: number;
  /** Time between messages at the receiver, ns. */
  readonly time: number;
}

/** Times of one collective between nodes, ns. */
export interface MpiTime {
  /** By messages. */
  readonly messages: number;
  /** By the MPI library's own. */
  readonly mpi: number;
  /** Which of the two a group of so many nodes uses: the one that was faster in most turns. */
  readonly faster: "messages" | "mpi";
}

/** Times of collectives with one PE on each of so many nodes. */
export interface MpiTimes {
  readonly nodes: number;
  readonly barrier: MpiTime;
  /** Of a number. */
  readonly broadcast: MpiTime;
  readonly allreduce: MpiTime;
}

/** The costs of messages between nodes, ns. */
export interface Internode {
  /** With one PE per node: a message of m bytes takes alpha + beta * m. */
  readonly alpha: number;
  readonly beta: number;
  readonly unit?: "ns";
  /** Number of measured nodes, and of their machines; between two nodes on one machine, MPI uses shared memory. */
  readonly nodes?: number;
  readonly machines?: number;
  /** The MPI library's version text. */
  readonly library?: string;
  /** Sizes of messages, bytes. */
  readonly sizes?: readonly number[];
  readonly pes?: readonly InternodePEs[];
  readonly incast?: readonly Incast[];
  /** The same with large messages. */
  readonly bulk?: readonly BulkIncast[];
  /** One message from each of k senders keeps a receiver busy for fixed + sender * k. */
  readonly receiver?: { readonly fixed: number; readonly sender: number; readonly residual: Residual };
  /** Collectives by messages and by the MPI library. */
  readonly collectives?: MpiTimes;
  /** Relative interquartile range of the batches of a measurement; the median of all measurements. */
  readonly spread?: number;
  /**
   * Why plans do not go by these costs: figures that varied too much when they were measured, in words.
   * @default none
   */
  readonly noisy?: readonly string[];
}

/** The costs that plans go by: none if they varied too much when they were measured. */
export const plannable = (internode: Internode | undefined): Internode | undefined =>
  (internode?.noisy?.length ?? 0) > 0 ? undefined : internode;

const residual = record({ median: amount, worst: amount }, "an object {median, worst}");
const line = { alpha: amount, beta: amount, residual };
const time = record(
  { messages: amount, mpi: amount, faster: v.picklist(["messages", "mpi"], '"messages" or "mpi"') },
  "an object {messages, mpi, faster}",
);
const amounts = v.array(amount, "an array of numbers >= 0");

/** The check of the fields; lists are checked by {@link checkInternode}. */
export const internodeFields: OptionField = record(
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
              v.array(record({ from: amount, to: amount, ...line }, "a piece {from, to, alpha, beta, residual}")),
            ),
            latency: amounts,
            stream: amounts,
            gap: record({ message: amount, byte: amount, residual }, "an object {message, byte, residual}"),
            overhead: amount,
          },
          "an object {pes, alpha, beta, residual, latency, stream, gap, overhead}",
        ),
        "an array of costs by number of PEs",
      ),
    ),
    incast: v.optional(
      v.array(
        record({ senders: index, time: amount, busy: amount }, "an object {senders, time, busy}"),
        "an array of objects {senders, time, busy}",
      ),
    ),
    bulk: v.optional(
      v.array(
        record({ senders: index, bytes: amount, time: amount }, "an object {senders, bytes, time}"),
        "an array of objects {senders, bytes, time}",
      ),
    ),
    receiver: v.optional(record({ fixed: amount, sender: amount, residual }, "an object {fixed, sender, residual}")),
    collectives: v.optional(
      record(
        { nodes: index, barrier: time, broadcast: time, allreduce: time },
        "an object {nodes, barrier, broadcast, allreduce}",
      ),
    ),
    spread: v.optional(amount),
    noisy: v.optional(v.array(text, "an array of figures in words")),
  },
  "an object {alpha, beta}",
);

/** Checks that lists by size have a number for each, and lists by senders are in order. @throws ModelError */
export function checkInternode({ sizes, pes = [], bulk = [] }: Internode): void {
  for (const [i, { senders, bytes }] of bulk.entries()) {
    const path = `internode.bulk.${i}`;
    const before = bulk[i - 1]?.senders ?? 0;
    if (senders <= before) {
      const sentence = `expected more than ${before}, as the senders before, got ${senders}`;
      throw new ModelError(`${path}.senders`, `${path}.senders: ${sentence}`);
    }
    if (bytes === 0) throw new ModelError(`${path}.bytes`, `${path}.bytes: expected bytes > 0, got 0`);
  }
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
