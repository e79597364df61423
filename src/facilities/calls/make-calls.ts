/** Makes calls and checks all arguments. */

import { is, optionsOf } from "../../ground/base/options.ts";
import type { Sites } from "../../pe/seat.ts";
import { CONVEYOR_FIELDS, checkElasticOptions } from "../../route/geometry/options.ts";
import { ElasticBelt } from "../conveyor/belts/elastic.ts";
import { elasticFrame } from "../conveyor/front/make-conveyor.ts";
import { noSimple } from "../conveyor/front/quiet-session.ts";
import { type Calls, newCalls } from "./calls.ts";
import { entriesOf, termsOf } from "./codec.ts";
import type { CallHandlers, CallsOptions } from "./handlers.ts";

const CALLS = optionsOf<CallsOptions>({
  ...CONVEYOR_FIELDS,
  steady: is("true, as calls are always steady, or nothing", (x) => x === true),
});

/** @throws UsageError; HeapError, MismatchError as conveyors do */
export function makeCalls<H extends CallHandlers>(context: Sites, handlers: H, options: CallsOptions): Calls<H> {
  const entries = entriesOf(handlers);
  checkElasticOptions(options, "calls", CALLS);
  if (options.type === "simple") throw noSimple("calls");
  // a plan may choose simple conveyors where nothing is said
  const all = { ...options, type: options.type ?? "tensor", steady: true } as const;
  const terms = termsOf(entries);
  return newCalls<H>(new ElasticBelt(elasticFrame(context, all, 1, terms, "calls")), entries);
}
