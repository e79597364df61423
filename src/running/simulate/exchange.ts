/** Exchanges of virtual PEs: as src/facilities/exchange, with generators for waits: `yield* x.finish(onChunk)`. */

import { checkOnChunk } from "../../facilities/exchange/exchange.ts";
import { ExchangeFace } from "../../facilities/exchange/face.ts";
import type { OnChunk } from "../../facilities/exchange/incoming.ts";
import type { Phases } from "../../facilities/exchange/phases.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";

/** Makes the face of an exchange of a virtual PE. */
export let newSimulatedExchange: (phases: Phases) => SimulatedExchange;

/** As `Exchange`; calls that wait there are made with `yield*` here. */
export class SimulatedExchange extends ExchangeFace {
  static {
    newSimulatedExchange = (phases) => new SimulatedExchange(phases);
  }

  readonly #phases: Phases;

  private constructor(phases: Phases) {
    super(phases);
    this.#phases = phases;
  }

  /** Call it with `yield*`; as `Exchange.serviceQueue`. */
  *serviceQueue(onChunk: OnChunk): Generator<void, boolean, void> {
    checkOnChunk("serviceQueue", onChunk);
    this.#phases.turn("serviceQueue", onChunk, false);
    yield;
    return this.#phases.hasBacklog;
  }

  /** Call it with `yield*`; as `Exchange.finish`. */
  *finish(onChunk: OnChunk): Generator<void, void, void> {
    checkOnChunk("finish", onChunk);
    this.#phases.close("finish");
    try {
      while (!this.#phases.turn("finish", onChunk, false)) yield;
    } catch (error) {
      throw this.#phases.fail(error);
    }
  }

  /** Call it with `yield*`; as `Exchange.all`. */
  *all<T extends TypedArray>(parts: readonly (T | undefined)[]): Generator<void, T[], void> {
    const taken = this.#phases.scheduleAll("all", parts);
    yield* this.finish((chunk) => taken.take(chunk));
    return taken.result;
  }
}
