/**
 * The types of the second half of the flow: from a machine model to the trees that the collectives
 * run on ({@link Trees}), and the one signature that every builder has ({@link TreeBuilder}).
 */

export type { Algorithm, Baseline } from "../../src/ground/base/tree-algorithms.ts";

import type { Algorithm, Baseline } from "../../src/ground/base/tree-algorithms.ts";

/** The algorithm that found a tree: for `adaptive` a published one or one of its own; `repair` for a repaired tree. */
export type Finder = Baseline | "ecef" | "annealing" | "exact" | "repair";

/** The use of a tree: `broadcast` from the root to all, or `reduce` from all to the root. */
export type Operation = "broadcast" | "reduce";

/** A rooted tree with ordered children; PEs by their numbers in the model (indexes into `pes`). */
export interface Tree {
  /** The requested algorithm. */
  readonly algorithm: Algorithm;
  /** The algorithm by which `adaptive` found it: a published one, or one of its own; `repair` for a repaired tree. */
  readonly from?: Finder;
  readonly root: number;
  /**
   * The children of each PE in send order; PEs without children are left out. In a reduction a parent receives from any
   * child that is ready; expect them from the back of the list to the front.
   */
  readonly children: Readonly<Record<string, readonly number[]>>;
  /** Model latency in the unit of the machine model. */
  readonly latency: number;
}

/** A barrier; the model predicts which kind is the fastest. */
export type Barrier = TreeBarrier | DisseminationBarrier | HybridBarrier;

/** A reduction followed by a broadcast from the same root. */
export interface TreeBarrier {
  readonly kind: "tree";
  /** Latency of the reduction plus latency of the broadcast. */
  readonly latency: number;
  readonly root: number;
  readonly reduce: Tree;
  readonly broadcast: Tree;
}

/** ceil(log2 n) rounds; in round k, `order[i]` sends to `order[i + 2^k]`, positions modulo n. */
export interface DisseminationBarrier {
  readonly kind: "dissemination";
  readonly latency: number;
  readonly order: readonly number[];
}

/**
 * In each domain a reduction to its leader, then dissemination among the leaders, then a broadcast in each
 * domain. Trees of single PEs have no children.
 */
export interface HybridBarrier {
  readonly kind: "hybrid";
  readonly latency: number;
  /** The leaders in the order of their dissemination; the root of the i-th trees is the i-th of them. */
  readonly leaders: readonly number[];
  readonly reduce: readonly Tree[];
  readonly broadcast: readonly Tree[];
}

/** The latencies of one published algorithm, with one tree for all three operations as in Smelt. */
export interface BaselineLatencies {
  readonly algorithm: Baseline;
  readonly broadcast: number;
  readonly reduce: number;
  readonly barrier: number;
}

/** A tree or a barrier in a contest. */
export interface Contestant {
  /** The algorithm that found the tree, or the kind of the barrier. */
  readonly name: string;
  /** Latency by the model, in its unit. */
  readonly predicted: number;
  /** Median time of one operation, ns; the root alternates between two ends of the tree. */
  readonly measured: number;
  /** Interquartile range of the turns divided by their median: 0.1 for 10 %. */
  readonly spread: number;
  /** Turns in which it was clearly faster than the model's favourite. */
  readonly won: number;
}

/** The measurements of each operation; the kept one is first. */
export interface Contest extends Readonly<Record<Operation | "barrier", readonly Contestant[]>> {
  /** Number of turns in which all candidates were measured. */
  readonly turns: number;
  /** Whether the turns agree well enough for later runs to use the choice; if not, it is used for ten minutes only. */
  readonly steady: boolean;
}

/** The result of `generateTrees` and of `tundish tree --json`, format `tundish/trees@1`. */
export interface Trees {
  readonly schema: "tundish/trees@1";
  /** Name of the machine model. */
  readonly machine: string;
  /** Unit of every latency. */
  readonly unit: "ns" | "cycles";
  /** The PEs of the group, in the requested order. */
  readonly cores: readonly number[];
  readonly broadcast: Tree;
  readonly reduce: Tree;
  readonly barrier: Barrier;
  /** The measurements, if the trees were measured. */
  readonly contest?: Contest;
  readonly baselines: readonly BaselineLatencies[];
  /** No tree with an allowed root can be faster than this. */
  readonly bound: { readonly broadcast: number; readonly reduce: number };
}

/**
 * The input of a builder: the costs of one group. The group's members are numbered 0 to `size` - 1 by ascending PE
 * number (in a search by their canonical order); all arrays, `root` and a builder's result use these numbers.
 */
export interface TreeProblem {
  readonly size: number;
  /** The PE number of each member. */
  readonly cores: readonly number[];
  /** The members in the order given by the caller. */
  readonly order: readonly number[];
  /** The members in the order in which searches see them: it does not depend on their numbers (canonical.ts). */
  readonly canonical: readonly number[];
  /** size x size, row = sender: time the sender is busy. */
  readonly send: Float64Array;
  /** size x size, row = sender: time the receiver is busy. */
  readonly receive: Float64Array;
  /** size x size, row = sender: time in which neither is busy. */
  readonly propagate: Float64Array;
  /** By member: time between having the message and its own first send; a root has none. */
  readonly relay: Float64Array;
  /** The root to use; undefined leaves the choice to the builder. */
  readonly root: number | undefined;
  /** Partitions of the group, the preferred one first, at least one: the domain of each member. */
  readonly domains: readonly Int32Array[];
  /** The partitions in the fields of the machine model. */
  readonly hints: readonly Int32Array[];
  /** Seed of a builder's random numbers. */
  readonly seed: number;
  /** Time to search, ms; undefined: {@link moves}, the same work on every machine. */
  readonly budget: number | undefined;
  /** Changes that a search tries; undefined: by the size of the group. */
  readonly moves: number | undefined;
}

/** A tree over the members of a problem: `children[v]` in send order, empty for a leaf. */
export interface Shape {
  readonly root: number;
  readonly children: readonly (readonly number[])[];
}

/** Builds a broadcast tree; on the mirrored problem ({@link TreeProblem}) a reduce tree. */
export type TreeBuilder = (problem: TreeProblem) => Shape;

/** A broadcast tree, a reduce tree and a barrier over ranks. */
export type CollectivePlan = Pick<Trees, "broadcast" | "reduce" | "barrier" | "contest">;
