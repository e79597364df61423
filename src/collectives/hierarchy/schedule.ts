/**
 * A schedule: what one PE does in a collective over nodes, as a list of steps. It says nothing of what is sent, nor how
 * one waits: it is run on a number (scalar-executor.ts), on elements (array-executor.ts) or on packed values
 * (packed.ts), blocking or not.
 *
 * Each PE has a value of its own, which it sends, and into which it receives and combines.
 *
 * Source: Hoefler, Lumsdaine, Rehm: Implementation and Performance Analysis of Non-Blocking Collective Operations for
 * MPI (LibNBC), 2007.
 *
 * Between nodes a step is a message, or the MPI library's own collective among the leaders (mpi-collectives.ts).
 *
 * Example, an allreduce of PE 0 and 1 on one node, 2 on another: 0 has REDUCE_WITHIN, COPY_IN, SEND to 2, REDUCE from
 * 2, COPY_OUT, BROADCAST_WITHIN; 1 has REDUCE_WITHIN, BROADCAST_WITHIN; 2 has COPY_IN, SEND to 0, REDUCE_BEFORE from 0,
 * COPY_OUT.
 */

/** Sends the value to `peer`. */
export const SEND = 0;
/** Receives from `peer` in place of the value. */
export const RECEIVE = 1;
/** Receives from `peer` and combines: the value is the left operand. */
export const REDUCE = 2;
/** Receives from `peer` and combines: the value is the right operand. */
export const REDUCE_BEFORE = 3;
/** The value is copied to where messages can be sent from: only of arrays outside the heap. */
export const COPY_IN = 4;
/** The value is copied back from there. */
export const COPY_OUT = 5;
/** The subgroup reduces its values to `peer`. */
export const REDUCE_WITHIN = 6;
/** The subgroup gets the value of `peer`. */
export const BROADCAST_WITHIN = 7;

/** The leader makes the communicator of the steps below: the value is its handle. */
export const MAKE_MPI = 8;
/** The leaders wait for each other, by the MPI library. */
export const MPI_BARRIER = 9;
/** The leaders get the value of that of subgroup `peer`, by the MPI library. */
export const MPI_BROADCAST = 10;
/** The leaders get the sum of their values, by the MPI library. */
export const MPI_SUM = 11;

/** The steps by the MPI library. */
export type MpiStep = typeof MPI_BARRIER | typeof MPI_BROADCAST | typeof MPI_SUM;

/** Whether a step copies: only arrays outside the heap need that. */
export const isCopy = ({ kind }: Step): boolean => kind === COPY_IN || kind === COPY_OUT;

/** One of these. */
export type StepKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | MpiStep;

/** One step. */
export interface Step {
  readonly kind: StepKind;
  /** A rank in the group; within the subgroup one in its team; of MPI_BROADCAST a subgroup; -1 where there is none. */
  readonly peer: number;
}

/** The steps of one PE. */
export type Schedule = readonly Step[];
