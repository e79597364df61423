/**
 * Exchanges of virtual PEs: as src/facilities/exchange, with generators for calls that may wait:
 * `yield* x.finish(onChunk)`.
 */

import { checkOnChunk } from "../../facilities/exchange/exchange.ts";
import type { OnChunk } from "../../facilities/exchange/incoming.ts";
import { Phases } from "../../facilities/exchange/phases.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";

/** As `Exchange`; calls that wait there are made with `yield*` here. */
export class SimulatedExchange extends Phases {
  /** Call it with `yield*`; as `Exchange.serviceQueue`. */
  *serviceQueue(onChunk: OnChunk): Generator<void, boolean, void> {
    checkOnChunk("serviceQueue", onChunk);
    this.turn("serviceQueue", onChunk, false);
    yield;
    return this.hasBacklog;
  }

  /** Call it with `yield*`; as `Exchange.finish`. */
  *finish(onChunk: OnChunk): Generator<void, void, void> {
    checkOnChunk("finish", onChunk);
    this.close("finish");
    try {
      while (!this.turn("finish", onChunk, false)) yield;
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** Call it with `yield*`; as `Exchange.all`. */
  *all<T extends TypedArray>(parts: readonly (T | undefined)[]): Generator<void, T[], void> {
    const taken = this.scheduleAll("all", parts);
    yield* this.finish((chunk) => taken.take(chunk));
    return taken.result;
  }
}
