/**
 * The check of `world.network`: the network that a plan was made with, where it was given beside the model.
 *
 * Unlike the option `network`, where an unknown field would have no effect and nobody would notice, it keeps what it
 * does not know: a later version may have written it.
 *
 * Example: `{ "like": "cm5" }` is rejected with `world.network.like: expected one of "cm-5", …, got "cm5"`.
 */
import * as v from "valibot";
import { type OptionField, oneOf, truth, whole } from "../../ground/base/options.ts";
import { amount, record } from "../../machine/model/fields.ts";
import { NETWORK_NAMES } from "../network/network-settings.ts";

const known = (field: OptionField) => v.optional(field as v.GenericSchema);
const some = v.optional(amount);

const rate = v.optional(record({ message: some, byte: some }, "an object {message, byte}"));
const piece = record({ from: amount, alpha: amount, beta: amount }, "an object {from, alpha, beta}");
const level = record({ children: known(whole(1)), byte: amount }, "an object {children, byte}");
const columns = known(whole(1));
const levels = v.pipe(v.array(level, "an array of levels"), v.minLength(1, "at least one level"));
const topology = v.variant(
  "kind",
  [
    v.looseObject({ kind: v.literal("full"), byte: amount }, "a value"),
    v.looseObject({ kind: v.literal("mesh"), byte: amount, columns }, "a value"),
    v.looseObject({ kind: v.literal("fat-tree"), levels }, "a value"),
  ],
  ({ path }) => (path ? 'one of "full", "mesh", "fat-tree"' : "an object {kind, …}"),
);

export const plannedNetwork: v.GenericSchema<Record<string, unknown>> = record(
  {
    like: known(oneOf(NETWORK_NAMES)),
    alpha: some,
    beta: some,
    receiver: some,
    pieces: v.optional(v.array(piece, "an array of lines")),
    injection: rate,
    ejection: rate,
    queue: known(whole(1)),
    packetBytes: known(whole(1)),
    interleaved: known(truth),
    processor: known(truth),
    control: known(truth),
    bisection: some,
    barrier: some,
    topology: v.optional(topology),
  },
  "an object {like, alpha, beta, receiver, …}",
);
