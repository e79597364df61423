/**
 * The format `tundish/plan@1` of plans: its check. schemas/plan.json is the same as a JSON Schema, without what several
 * fields must be together.
 *
 * Unknown fields are kept, so that later versions may add some.
 *
 * Example: a choice of `{ hops: 4 }` is rejected with `conveyors.*.choice.hops: expected one of 1, 2, 3, got 4`.
 */
import * as v from "valibot";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import { PlanError, sentenceOf, UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { countable, type OptionField, oneOf, problemIn, whole } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { amount, computed, index, record, text } from "../../machine/model/fields.ts";
import { EXCHANGE_CHOICES, type ExchangeLoad, LOAD_FIELDS } from "../../route/disciplines/options.ts";
import {
  CONVEYOR_FIELDS,
  checkRate,
  hopsText,
  MOST_DIMENSIONS,
  MOST_HOPS,
  meshClash,
  UNPLANNED,
} from "../../route/geometry/options.ts";
import { checkSending, SENDING_FIELDS } from "../../route/geometry/sending.ts";
import { MOST_PES } from "../network/cluster.ts";
import { checkTogether } from "../network/network-settings.ts";
import { checkExchangeTimes, checkMeasured, checkPrediction } from "./amounts.ts";
import type { PlanDocument, PlannedConveyor } from "./document.ts";
import { plannedNetwork } from "./network-schema.ts";

const SCHEMA = "tundish/plan@1";

const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline, rate, delayCost } = CONVEYOR_FIELDS;
const fields = { type, hops, groupSize, bufferBytes, buffersPerLink } as unknown as v.ObjectEntries;
const meshField = mesh as unknown as v.GenericSchema;
const CHOICES = [...Object.keys(fields), "mesh", ...UNPLANNED];
// plans do not predict what a discipline does, or buffers that are sent early
const unplanned = { discipline, ...SENDING_FIELDS } as unknown as v.ObjectEntries;
/** Choices by name, without those that the other kind of entries has: unknown fields are kept, but these are known. */
const choicesOf = (own: v.ObjectEntries, others: readonly string[], kind: string) => ({
  ...Object.fromEntries(Object.entries(own).map(([name, field]) => [name, v.optional(field)])),
  ...Object.fromEntries(
    others
      .filter((name) => !(name in own))
      .map((name) => [name, v.optional(v.never(`no ${name}, which is a choice of ${kind}`))]),
  ),
});
const conveyorChoices = { ...fields, mesh: meshField, ...unplanned };
const choices = choicesOf(conveyorChoices, Object.keys(EXCHANGE_CHOICES), "exchanges");

const count = whole(1) as unknown as v.GenericSchema<number>;
const pesCount = whole(1, MOST_PES) as unknown as v.GenericSchema<number>;
const some = (what: string) => countable(what) as unknown as v.GenericSchema<number>;
/** As `new Date().toISOString()` writes it, or less of that; JSON Schema can say the same. */
const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const date = v.custom<string>((given) => typeof given === "string" && DATE.test(given), "an ISO 8601 date");

const hop = record(
  { links: index, buffers: computed, fill: computed, remote: computed },
  "an object {links, buffers, fill, remote}",
);
const prediction = record(
  {
    ...fields,
    // of a mesh as many as it has dimensions
    hops: whole(1, MOST_DIMENSIONS) as unknown as v.GenericSchema<number>,
    mesh: v.optional(meshField),
    time: computed,
    work: computed,
    network: computed,
    waiting: computed,
    memory: computed,
    hopsTaken: v.array(hop, "an array of hops"),
  },
  "a prediction {type, hops, …, time, work, network, waiting, memory, hopsTaken}",
);

const choiceRecord = record(
  choices,
  "an object {type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline, …}",
);
const measuredFields = {
  choice: choiceRecord,
  time: amount,
  low: amount,
  high: amount,
  turns: count,
  expected: computed,
  ratio: computed,
};
const measured = record(
  {
    ...measuredFields,
    sessions: count,
    verdict: v.picklist(["predicted", "no difference", "fastest"], 'one of "predicted", "no difference", "fastest"'),
    others: v.array(
      record(measuredFields, "an object {choice, time, low, high, turns, expected, ratio}"),
      "an array of measurements",
    ),
  },
  "an object {choice, time, low, high, turns, expected, ratio, sessions, verdict, others}",
);

const conveyor = record(
  {
    workload: record(
      {
        itemBytes: some("bytes"),
        load: some("items"),
        destinations: v.optional(some("PEs")),
        maxBytes: v.optional(some("bytes")),
        rate: v.optional(rate as unknown as v.GenericSchema<number>),
        delayCost: v.optional(delayCost as unknown as v.GenericSchema<number>),
        steady: v.optional(v.boolean("true or false")),
        elastic: v.optional(v.boolean("true or false")),
      },
      "an object {itemBytes, load}",
    ),
    choice: choiceRecord,
    forced: v.optional(v.array(oneOf(CHOICES) as unknown as v.GenericSchema<string>, "an array of names of choices")),
    expected: v.optional(prediction),
    others: v.optional(v.array(prediction, "an array of predictions")),
    candidates: v.optional(index),
    reasons: v.optional(v.array(text, "an array of lines of text")),
    measured: v.optional(measured),
  },
  "an object {workload, choice}",
);

/** No network is as slow, whatever the workload. */
const LEAST_PACE = 1000;
// no limit is no pace: JSON has no Infinity
const pace = v.custom<number>(
  (given) => typeof given === "number" && given >= LEAST_PACE && given <= 2 ** 53,
  `a number of bytes per second from ${LEAST_PACE} to 2^53`,
);
const exchangeFields = { ...EXCHANGE_CHOICES, pace } as unknown as v.ObjectEntries;
const exchangeChoices = choicesOf(exchangeFields, Object.keys(conveyorChoices), "conveyors");
const { bytes, blockBytes, destinations, skew } = LOAD_FIELDS as unknown as Record<keyof ExchangeLoad, v.GenericSchema>;
const exchange = record(
  {
    workload: record(
      {
        bytes,
        blockBytes: v.optional(blockBytes),
        destinations: v.optional(destinations),
        skew: v.optional(skew),
      },
      "an object {bytes}",
    ),
    choice: record(exchangeChoices, `an object {${Object.keys(exchangeFields).join(", ")}}`),
    forced: v.optional(
      v.array(oneOf(Object.keys(exchangeFields)) as unknown as v.GenericSchema<string>, "an array of names of choices"),
    ),
    expected: v.optional(
      record(
        {
          discipline: exchangeFields.discipline,
          chunkBytes: exchangeFields.chunkBytes,
          time: computed,
          network: computed,
          crowd: computed,
          rounds: computed,
          window: exchangeChoices.window,
          packetBytes: exchangeChoices.packetBytes,
          pace: exchangeChoices.pace,
        },
        "a prediction {discipline, chunkBytes, time, network, crowd, rounds}",
      ),
    ),
    reasons: v.optional(v.array(text, "an array of lines of text")),
  },
  "an object {workload, choice}",
);

const shape = record(
  {
    created: date,
    world: record(
      {
        pes: pesCount,
        nodes: pesCount,
        pesOfNode: v.array(pesCount, "an array of numbers of PEs, one per node"),
        fingerprint: v.optional(text),
        name: v.optional(text),
        network: v.optional(plannedNetwork),
      },
      "an object {pes, nodes, pesOfNode}",
    ),
    // entry by entry: checkEntry
    conveyors: v.custom<Record<string, unknown>>(isRecord, "an object with the plans of conveyors by name"),
    exchanges: v.optional(v.custom<Record<string, unknown>>(isRecord, "an object with the plans of exchanges by name")),
    trees: v.optional(v.unknown()),
  },
  "an object",
);

/** Checks a document as a plan. @throws PlanError for the first fault; `path` as in `conveyors.edges.choice.hops` */
export function parsePlan(document: unknown): PlanDocument {
  checkSchema(document);
  const problem = problemIn(shape, document);
  if (problem !== null) throw fault(problem.path, problem.sentence);
  checkJson("", document, 0);
  const plan = document as PlanDocument;
  checkWorld(plan);
  for (const [name, entry] of Object.entries(plan.conveyors)) {
    checkEntry("conveyors", conveyor, name, entry);
    asFault(`conveyors.${name}.workload.`, () => checkRate(entry.workload));
    checkChoice(`conveyors.${name}.choice`, entry, plan.world.pes);
    const { expected, others = [], measured } = entry;
    const path = `conveyors.${name}`;
    if (expected !== undefined) asFault(`${path}.expected.`, () => checkPrediction(expected));
    for (const [i, other] of others.entries()) asFault(`${path}.others.${i}.`, () => checkPrediction(other));
    if (measured !== undefined) asFault(`${path}.measured.`, () => checkMeasured(measured));
  }
  for (const [name, entry] of Object.entries(plan.exchanges ?? {})) {
    checkEntry("exchanges", exchange, name, entry);
    asFault(`exchanges.${name}.`, () => checkExchangeTimes(entry));
  }
  if (plan.trees !== undefined) checkPlannedTrees(plan);
  return plan;
}

const fault = (path: string, sentence: string): PlanError => new PlanError(path, `${path}: ${sentence}`);

function checkSchema(document: unknown): void {
  if (!isRecord(document)) {
    throw new PlanError("", `expected a plan (an object), got ${shortText(document)}`);
  }
  const { schema } = document;
  if (schema === SCHEMA) return;
  const isOther = typeof schema === "string" && schema.startsWith("tundish/plan@");
  const hint = isOther ? ": another version of the format; use the Tundish that wrote it, or plan again" : "";
  throw fault("schema", `expected "${SCHEMA}", got ${shortText(schema)}${hint}`);
}

/** More is an object that contains itself, or no plan. */
const MOST_LEVELS = 64;

/** Fields that are not known are kept, so they must be what a file can have. */
function checkJson(path: string, value: unknown, level: number): void {
  if (["bigint", "function", "symbol"].includes(typeof value)) {
    throw fault(path, `expected what JSON can have, got ${shortText(value)}`);
  }
  if (typeof value !== "object" || value === null) return;
  if (level > MOST_LEVELS) {
    throw fault(path, `expected at most ${MOST_LEVELS} levels, got more, or an object that contains itself`);
  }
  for (const [name, part] of Object.entries(value)) {
    checkJson(path === "" ? name : `${path}.${name}`, part, level + 1);
  }
}

function checkWorld({ world: { pes, nodes, pesOfNode, network } }: PlanDocument): void {
  if (pesOfNode.length !== nodes) {
    throw fault("world.pesOfNode", `expected ${nodes} numbers, one per node, got ${pesOfNode.length}`);
  }
  const sum = pesOfNode.reduce((all, one) => all + one, 0);
  if (sum !== pes) throw fault("world.pes", `expected ${sum}, the PEs of all nodes, got ${pes}`);
  if (network !== undefined) asFault("world.", () => checkTogether(network, nodes));
}

/** Conveyors and exchanges may have any name; valibot's records leave out entries with names such as `constructor`. */
function checkEntry(part: string, form: OptionField, name: string, entry: unknown): void {
  const path = `${part}.${name}`;
  if (name === "") throw fault(path, 'expected a name, got ""');
  const problem = problemIn(form, entry);
  if (problem === null) return;
  throw fault(problem.path === "" ? path : `${path}.${problem.path}`, problem.sentence);
}

/** Combinations that are not allowed, whatever the conveyor. */
function checkChoice(path: string, { choice }: PlannedConveyor, pes: number): void {
  const { type = "tensor", hops = 1, groupSize = pes, mesh, discipline = "eager" } = choice;
  const clash = meshClash(choice);
  if (clash !== null) throw fault(`${path}.mesh`, clash);
  const product = mesh?.reduce((all, one) => all * one, 1) ?? pes;
  if (product !== pes) {
    throw fault(`${path}.mesh`, `expected sizes whose product is ${pes}, the number of PEs, got ${product}`);
  }
  if (hops > MOST_HOPS[type]) {
    throw fault(
      `${path}.hops`,
      `expected at most ${MOST_HOPS[type]}, as a ${type} conveyor has ${hopsText(type)}, got ${hops}`,
    );
  }
  if (type !== "tensor" && discipline !== "eager") {
    throw fault(`${path}.discipline`, `expected "eager", as a ${type} conveyor has none, got "${discipline}"`);
  }
  asFault(`${path}.`, () => checkSending(choice, type));
  if (pes % groupSize !== 0) {
    throw fault(`${path}.groupSize`, `expected a divisor of ${pes}, the number of PEs, got ${groupSize}`);
  }
}

/** Each node has these trees. */
function checkPlannedTrees({ trees, world }: PlanDocument): void {
  for (const size of new Set(world.pesOfNode)) asFault("", () => checkTrees(trees, size));
}

/** The faults of `check`, with the path in the document. @param before what comes before that path */
function asFault(before: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    const sentence = `${before}${sentenceOf(cause)}`;
    throw new PlanError(sentence.slice(0, sentence.indexOf(":")), sentence, { cause });
  }
}
