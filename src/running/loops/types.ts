/** The types of loops: at PEs, of an open world, and of the world that the library keeps. */

import type {
  LoopOp,
  LoopOptions,
  OrderedOptions,
  ReduceOptions,
  ReducingOptions,
} from "../../facilities/loop/chunks/options.ts";
import type { MapIntoOptions, MapOptions } from "../../facilities/loop/map-each.ts";
import type { IndexRange, Over } from "../../facilities/loop/range.ts";
import type { ScanOptions } from "../../facilities/loop/scan-each.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import type { NumberArray, ReduceOp, TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Group } from "../../pe/group.ts";
import type { OpenWorld } from "../run/open-world.ts";
import type { ModuleFunction } from "./functions.ts";

/** Options of a loop of a world. `timeout` counts from the call on, `signal` may be aborted at any time. */
export interface WorldLoopOptions extends Omit<LoopOptions, "wait"> {}

/** Of one that combines numbers. */
export interface WorldReduceOptions extends WorldLoopOptions, Pick<ReduceOptions, "initial" | "reproducible"> {}

/** Of one that has a result. */
export interface WorldReducingOptions extends WorldReduceOptions {
  /** How the values are combined that the body returns. */
  readonly reduce: ReduceOp;
}

/** Of one whose values are stored. */
export interface WorldMapIntoOptions<A> extends WorldLoopOptions {
  /** An array of `share`, at least as long as there are iterations. */
  readonly into: A;
}

/** Of a scan. */
export interface WorldScanOptions<A>
  extends WorldMapIntoOptions<A>,
    Pick<ScanOptions<A>, "exclusive" | "initial" | "reproducible"> {}

/** The last argument of a body: cloned for each PE, but for what {@link share} has made. */
export type ArgsFor<Args> = undefined extends Args ? { readonly args?: Args } : { readonly args: Args };

/** The options, which may be left out where the body can do without `args`. */
export type WorldLoopArguments<Args, Options = WorldLoopOptions> = undefined extends Args
  ? [options?: Options & ArgsFor<Args>]
  : [options: Options & ArgsFor<Args>];

/** A body for an index. */
export type IndexBody<Args, V> = ModuleFunction<(index: number, args: Args) => V>;
/** A body for an element. */
export type ElementBody<T, Args, V> = ModuleFunction<(element: T, index: number, args: Args) => V>;
/** A body for a chunk of indices. */
export type ChunkBody<Args, V> = ModuleFunction<(begin: number, end: number, step: number, args: Args) => V>;

/** `forEach` from outside the PEs; `World` is its first arguments. */
export interface WorldForEach<World extends readonly unknown[]> {
  <T, Args>(
    ...call: [
      ...world: World,
      over: ArrayLike<T>,
      body: ElementBody<T, Args, number>,
      options: WorldReducingOptions & ArgsFor<Args>,
    ]
  ): Promise<number>;
  <Args>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, number>,
      options: WorldReducingOptions & ArgsFor<Args>,
    ]
  ): Promise<number>;
  <T, Args>(
    ...call: [
      ...world: World,
      over: ArrayLike<T>,
      body: ElementBody<T, Args, AtOnce>,
      ...options: WorldLoopArguments<Args>,
    ]
  ): Promise<void>;
  <Args>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, AtOnce>,
      ...options: WorldLoopArguments<Args>,
    ]
  ): Promise<void>;
}

/** `forRange` from outside the PEs. */
export interface WorldForRange<World extends readonly unknown[]> {
  <Args>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: ChunkBody<Args, number>,
      options: WorldReducingOptions & ArgsFor<Args>,
    ]
  ): Promise<number>;
  <Args>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: ChunkBody<Args, AtOnce>,
      ...options: WorldLoopArguments<Args>,
    ]
  ): Promise<void>;
}

/** `reduceEach` from outside the PEs. */
export interface WorldReduceEach<World extends readonly unknown[]> {
  <T, Args>(
    ...call: [
      ...world: World,
      over: ArrayLike<T>,
      body: ElementBody<T, Args, number>,
      op: ReduceOp,
      ...options: WorldLoopArguments<Args, WorldReduceOptions>,
    ]
  ): Promise<number>;
  <Args>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, number>,
      op: ReduceOp,
      ...options: WorldLoopArguments<Args, WorldReduceOptions>,
    ]
  ): Promise<number>;
}

/** `mapEach` from outside the PEs. */
export interface WorldMapEach<World extends readonly unknown[]> {
  <T, Args, A extends TypedArray>(
    ...call: [
      ...world: World,
      over: ArrayLike<T>,
      body: ElementBody<T, Args, A[number]>,
      options: WorldMapIntoOptions<A> & ArgsFor<Args>,
    ]
  ): Promise<A>;
  <Args, A extends TypedArray>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, A[number]>,
      options: WorldMapIntoOptions<A> & ArgsFor<Args>,
    ]
  ): Promise<A>;
  <T, Args, V>(
    ...call: [...world: World, over: ArrayLike<T>, body: ElementBody<T, Args, V>, ...options: WorldLoopArguments<Args>]
  ): Promise<V[]>;
  <Args, V>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, V>,
      ...options: WorldLoopArguments<Args>,
    ]
  ): Promise<V[]>;
}

/** `scanEach` from outside the PEs. */
export interface WorldScanEach<World extends readonly unknown[]> {
  <T, Args, A extends NumberArray>(
    ...call: [
      ...world: World,
      over: ArrayLike<T>,
      body: ElementBody<T, Args, number>,
      op: ReduceOp,
      options: WorldScanOptions<A> & ArgsFor<Args>,
    ]
  ): Promise<A>;
  <Args, A extends NumberArray>(
    ...call: [
      ...world: World,
      over: number | IndexRange,
      body: IndexBody<Args, number>,
      op: ReduceOp,
      options: WorldScanOptions<A> & ArgsFor<Args>,
    ]
  ): Promise<A>;
}

/** See {@link forEach}. */
export interface ForEach extends WorldForEach<[world: OpenWorld]>, WorldForEach<[]> {
  <T>(pe: Group, over: ArrayLike<T>, body: (element: T, index: number) => number, options: ReducingOptions): number;
  (pe: Group, over: number | IndexRange, body: (index: number) => number, options: ReducingOptions): number;
  <T, V extends AtOnce>(
    pe: Group,
    over: ArrayLike<T>,
    body: (element: T, index: number) => V,
    options: OrderedOptions<[value: V, element: T, index: number]>,
  ): void;
  <V extends AtOnce>(
    pe: Group,
    over: number | IndexRange,
    body: (index: number) => V,
    options: OrderedOptions<[value: V, index: number]>,
  ): void;
  <T>(pe: Group, over: ArrayLike<T>, body: (element: T, index: number) => AtOnce, options?: LoopOptions): void;
  (pe: Group, over: number | IndexRange, body: (index: number) => AtOnce, options?: LoopOptions): void;
}

/** See {@link forRange}. */
export interface ForRange extends WorldForRange<[world: OpenWorld]>, WorldForRange<[]> {
  (pe: Group, over: Over, body: (begin: number, end: number, step: number) => number, options: ReducingOptions): number;
  <V extends AtOnce>(
    pe: Group,
    over: Over,
    body: (begin: number, end: number, step: number) => V,
    options: OrderedOptions<[value: V, begin: number, end: number, step: number]>,
  ): void;
  (pe: Group, over: Over, body: (begin: number, end: number, step: number) => AtOnce, options?: LoopOptions): void;
}

/** See {@link reduceEach}. */
export interface ReduceEach extends WorldReduceEach<[world: OpenWorld]>, WorldReduceEach<[]> {
  <T>(
    pe: Group,
    over: ArrayLike<T>,
    body: (element: T, index: number) => number,
    op: LoopOp,
    options?: ReduceOptions,
  ): number;
  (pe: Group, over: number | IndexRange, body: (index: number) => number, op: LoopOp, options?: ReduceOptions): number;
}

/** See {@link mapEach}. */
export interface MapEach extends WorldMapEach<[world: OpenWorld]>, WorldMapEach<[]> {
  <T, A extends TypedArray>(
    pe: Group,
    over: ArrayLike<T>,
    body: (element: T, index: number) => A[number],
    options: MapIntoOptions<A>,
  ): A;
  <A extends TypedArray>(
    pe: Group,
    over: number | IndexRange,
    body: (index: number) => A[number],
    options: MapIntoOptions<A>,
  ): A;
  <T, V>(pe: Group, over: ArrayLike<T>, body: (element: T, index: number) => V, options?: MapOptions): V[];
  <V>(pe: Group, over: number | IndexRange, body: (index: number) => V, options?: MapOptions): V[];
}

/** See {@link scanEach}. */
export interface ScanEach extends WorldScanEach<[world: OpenWorld]>, WorldScanEach<[]> {
  <T, A extends NumberArray>(
    pe: Group,
    over: ArrayLike<T>,
    body: (element: T, index: number) => number,
    op: LoopOp,
    options: ScanOptions<A>,
  ): A;
  <A extends NumberArray>(
    pe: Group,
    over: number | IndexRange,
    body: (index: number) => number,
    op: LoopOp,
    options: ScanOptions<A>,
  ): A;
}
