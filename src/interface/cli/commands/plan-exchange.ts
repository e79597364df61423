/** The options of `tundish plan` that are for exchanges. */
import { UsageError } from "../../../ground/base/errors.ts";
import type { ExchangeWorkload } from "../../../plan/exchange/make-exchange-plan.ts";
import type { ExchangeChoices } from "../../../route/disciplines/options.ts";
import { SENDING_NAMES } from "../../../route/geometry/sending.ts";

/** As parsed by commander. */
export interface ExchangeFlags extends Omit<ExchangeChoices, "buffersPerLink"> {
  /** The name of the exchange. */
  readonly exchange?: string;
  readonly bytes?: number;
  readonly blockBytes?: number;
  readonly skew?: number;
}

/** Those that are for exchanges alone, and for conveyors alone. */
const OF_EXCHANGE = ["bytes", "blockBytes", "skew", "chunkBytes", "packetBytes", "window", "barrierEvery", "pace"];
const OF_CONVEYOR = [
  "itemBytes",
  "load",
  "rate",
  "delayCost",
  "steady",
  "elastic",
  "maxBytes",
  "conveyor",
  "type",
  "hops",
  "groupSize",
  "mesh",
  "bufferBytes",
  ...SENDING_NAMES,
];

/** The flag of an option. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** @throws UsageError where options for exchanges and for conveyors are mixed, or the load is missing */
export function checkExchangeFlags(options: ExchangeFlags & { readonly tune?: string }): void {
  const given = (names: readonly string[]) =>
    names.find((name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined);
  const { exchange, bytes, tune } = options;
  if (exchange === undefined) {
    const odd = given(OF_EXCHANGE);
    if (odd !== undefined) throw new UsageError(`${flagOf(odd)} expected --exchange NAME beside it.`);
    return;
  }
  if (tune !== undefined) throw new UsageError("--exchange expected no --tune beside it: it tunes conveyors.");
  const odd = given(OF_CONVEYOR);
  if (odd !== undefined) {
    throw new UsageError(`${flagOf(odd)} expected no --exchange beside it: it is for conveyors.`);
  }
  if (bytes === undefined) {
    throw new UsageError("--bytes expected a number: the bytes that a PE sends in a phase of the exchange.");
  }
}

/** @param options checked */
export function exchangeWorkloadOf(
  options: ExchangeFlags & Pick<ExchangeWorkload, "pes" | "nodes" | "destinations" | "buffersPerLink">,
): ExchangeWorkload {
  const { bytes = 0, blockBytes, skew, pes, nodes, destinations } = options;
  const { discipline, chunkBytes, packetBytes, buffersPerLink, window, barrierEvery, pace } = options;
  const forced = { discipline, chunkBytes, packetBytes, buffersPerLink, window, barrierEvery, pace };
  return { bytes, blockBytes, skew, pes, nodes, destinations, ...forced };
}
