/**
 * The collectives as free functions. Each acts on the PE of the calling thread, in the simulator on the virtual PE
 * whose program calls it, and throws NoPEError if there is none. Each function is written out, so that V8 sees one
 * callee at each call site.
 */
import type { CallOptions } from "../collectives/calls/call.ts";
import type { Op } from "../collectives/team/payload.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import { current } from "./current.ts";
import type { PE } from "./pe.ts";

/** As {@link Group.barrier}, for the calling thread's PE. */
export const barrier: PE["barrier"] = (options?: CallOptions) => current<PE>("barrier()").barrier(options);

/** As {@link Group.barrierAsync}, for the calling thread's PE. */
export const barrierAsync: PE["barrierAsync"] = (options?: CallOptions) =>
  current<PE>("barrierAsync()").barrierAsync(options);

/** As {@link Group.broadcast}, for the calling thread's PE. */
export const broadcast: PE["broadcast"] = (x: unknown, root?: number, options?: CallOptions) =>
  current<PE>("broadcast()").broadcast(x, root, options) as never;

/** As {@link Group.broadcastAsync}, for the calling thread's PE. */
export const broadcastAsync: PE["broadcastAsync"] = (x: unknown, root?: number, options?: CallOptions) =>
  current<PE>("broadcastAsync()").broadcastAsync(x, root, options) as never;

/** As {@link Group.reduce}, for the calling thread's PE. */
export const reduce: PE["reduce"] = (x: unknown, op: Op, root?: number, options?: CallOptions) =>
  current<PE>("reduce()").reduce(x as TypedArray, op, root, options) as never;

/** As {@link Group.reduceAsync}, for the calling thread's PE. */
export const reduceAsync: PE["reduceAsync"] = (x: unknown, op: Op, root?: number, options?: CallOptions) =>
  current<PE>("reduceAsync()").reduceAsync(x as TypedArray, op, root, options) as never;

/** As {@link Group.allreduce}, for the calling thread's PE. */
export const allreduce: PE["allreduce"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("allreduce()").allreduce(x as TypedArray, op, options) as never;

/** As {@link Group.allreduceAsync}, for the calling thread's PE. */
export const allreduceAsync: PE["allreduceAsync"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("allreduceAsync()").allreduceAsync(x as TypedArray, op, options) as never;

/** As {@link Group.reduceScatter}, for the calling thread's PE. */
export const reduceScatter: PE["reduceScatter"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("reduceScatter()").reduceScatter(x as TypedArray, op, options) as never;

/** As {@link Group.reduceScatterAsync}, for the calling thread's PE. */
export const reduceScatterAsync: PE["reduceScatterAsync"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("reduceScatterAsync()").reduceScatterAsync(x as TypedArray, op, options) as never;

/** As {@link Group.scan}, for the calling thread's PE. */
export const scan: PE["scan"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("scan()").scan(x as TypedArray, op, options) as never;

/** As {@link Group.scanAsync}, for the calling thread's PE. */
export const scanAsync: PE["scanAsync"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("scanAsync()").scanAsync(x as TypedArray, op, options) as never;

/** As {@link Group.exscan}, for the calling thread's PE. */
export const exscan: PE["exscan"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("exscan()").exscan(x as TypedArray, op, options) as never;

/** As {@link Group.exscanAsync}, for the calling thread's PE. */
export const exscanAsync: PE["exscanAsync"] = (x: unknown, op: Op, options?: CallOptions) =>
  current<PE>("exscanAsync()").exscanAsync(x as TypedArray, op, options) as never;

/** As {@link Group.gather}, for the calling thread's PE. */
export const gather: PE["gather"] = (x: unknown, root?: number, options?: CallOptions) =>
  current<PE>("gather()").gather(x, root, options) as never;

/** As {@link Group.gatherAsync}, for the calling thread's PE. */
export const gatherAsync: PE["gatherAsync"] = (x: unknown, root?: number, options?: CallOptions) =>
  current<PE>("gatherAsync()").gatherAsync(x, root, options) as never;

/** As {@link Group.allgather}, for the calling thread's PE. */
export const allgather: PE["allgather"] = (x: unknown, options?: CallOptions) =>
  current<PE>("allgather()").allgather(x, options) as never;

/** As {@link Group.allgatherAsync}, for the calling thread's PE. */
export const allgatherAsync: PE["allgatherAsync"] = (x: unknown, options?: CallOptions) =>
  current<PE>("allgatherAsync()").allgatherAsync(x, options) as never;

/** As {@link Group.scatter}, for the calling thread's PE. */
export const scatter: PE["scatter"] = (x: Parameters<PE["scatter"]>[0], root?: number, options?: CallOptions) =>
  current<PE>("scatter()").scatter(x, root, options) as never;

/** As {@link Group.scatterAsync}, for the calling thread's PE. */
export const scatterAsync: PE["scatterAsync"] = (
  x: Parameters<PE["scatter"]>[0],
  root?: number,
  options?: CallOptions,
) => current<PE>("scatterAsync()").scatterAsync(x, root, options) as never;

/** As {@link Group.alltoall}, for the calling thread's PE. */
export const alltoall: PE["alltoall"] = (x: TypedArray | readonly unknown[], options?: CallOptions) =>
  current<PE>("alltoall()").alltoall(x, options) as never;

/** As {@link Group.alltoallAsync}, for the calling thread's PE. */
export const alltoallAsync: PE["alltoallAsync"] = (x: TypedArray | readonly unknown[], options?: CallOptions) =>
  current<PE>("alltoallAsync()").alltoallAsync(x, options) as never;

/** As {@link Group.alltoallv}, for the calling thread's PE. */
export const alltoallv: PE["alltoallv"] = (parts: readonly TypedArray[], options?: CallOptions) =>
  current<PE>("alltoallv()").alltoallv(parts, options) as never;

/** As {@link Group.alltoallvAsync}, for the calling thread's PE. */
export const alltoallvAsync: PE["alltoallvAsync"] = (parts: readonly TypedArray[], options?: CallOptions) =>
  current<PE>("alltoallvAsync()").alltoallvAsync(parts, options) as never;

/** As {@link PE.diagnose}, for the calling thread's PE. */
export const diagnose: PE["diagnose"] = (patience?: number) => current<PE>("diagnose()").diagnose(patience);
