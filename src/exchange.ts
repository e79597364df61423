/**
 * Exchanges of bulk data between PEs, under disciplines. See docs/traffic.md.
 *
 * @module tundish/exchange
 */

export type { Exchange } from "./facilities/exchange/exchange.ts";
export { exchange } from "./facilities/exchange/exchanges.ts";
export type { Chunk, OnChunk } from "./facilities/exchange/incoming.ts";
export type { ChunkSent } from "./facilities/exchange/observe.ts";
export type { ExchangeState, ExchangeStats } from "./facilities/exchange/phases.ts";
export type { DisciplineCounts } from "./route/disciplines/discipline.ts";
export type {
  DisciplineName,
  ExchangeChoice,
  ExchangeChoices,
  ExchangeLoad,
  ExchangeOptions,
  PlanOfExchanges,
} from "./route/disciplines/options.ts";
