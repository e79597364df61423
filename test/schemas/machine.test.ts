/** schemas/machine.json accepts what the reader of machine models accepts, and refuses what it refuses. */
import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ModelError } from "../../src/ground/base/errors.ts";
import { parseMachine } from "../../src/machine/model/schema.ts";
import { broken, type Loose, pathsOf, wrong } from "../support/broken-documents.ts";
import { rounds } from "../support/long.ts";
import { fixture } from "../support/paths.ts";
import { faultsOf, validator } from "./support/schemas.ts";

const test = suite("the schema of machine models");
const isOfSchema = validator("machine.json");

test("the models of 95 machines follow it", () => {
  const files = readdirSync(fixture("machines")).filter((file) => file.endsWith(".json"));
  assert.is(files.length, 95);
  for (const file of files) {
    const model = JSON.parse(readFileSync(fixture("machines", file), "utf8"));
    assert.is(faultsOf("machine.json", model), "", file);
  }
});

const costs = [
  [0, 5],
  [6, 0],
];
const residual = { median: 0.1, worst: 0.2 };
const time = { messages: 10, mpi: 20, faster: "messages" };
const item = { push: 1, pivot: 2, pull: 3 };
/** A model with every field. */
const full: Loose = {
  ...{
    schema: "tundish/machine@1",
    name: "two",
    source: "a test",
    unit: "ns",
    measured: "not",
    notes: "none",
  },
  pes: [
    { cpu: 0, core: 0, l3: 0, numa: 0, package: 0 },
    { cpu: 1, core: 1, l3: null, numa: null, package: null },
  ],
  ...{ send: costs, receive: costs, propagate: costs, rtt: costs, stream: costs, bandwidth: costs },
  ...{ fingerprint: "0123456789abcdef", created: "2026-11-23", host: { kernel: "6.1" } },
  ...{ relay: [3, 4], ring: 31 },
  batches: { "8": { send: costs, receive: costs } },
  deviation: { send: costs, receive: costs, rtt: costs },
  noise: { spread: 0.05, passes: 5, stable: true, probe: [130, 131], mode: 130 },
  wake: { futex: null, atomics: 30_000 },
  items: {
    ...{ ...item, byte: item, buffer: { handle: 100, wait: 50, shared: 900 } },
    open: {
      look: 4,
      buffers: [1, 1024],
      sizes: [
        { bytes: 512, push: [3, 4] },
        { bytes: 4096, push: [3, 5] },
      ],
    },
  },
  internode: {
    ...{
      alpha: 1500,
      beta: 0.1,
      unit: "ns",
      nodes: 2,
      machines: 1,
      library: "Open MPI v4.1.4",
      sizes: [8, 64],
    },
    pes: [
      {
        ...{ pes: 1, alpha: 1500, beta: 0.1, residual, latency: [1, 2], stream: [1, 2], overhead: 3 },
        pieces: [{ from: 8, to: 64, alpha: 1500, beta: 0.1, residual }],
        gap: { message: 1, byte: 2, residual },
      },
    ],
    incast: [{ senders: 1, time: 20, busy: 10 }],
    bulk: [
      { senders: 1, bytes: 8, time: 3 },
      { senders: 2, bytes: 8, time: 4 },
    ],
    receiver: { fixed: 1, sender: 2, residual },
    collectives: { nodes: 2, barrier: time, broadcast: time, allreduce: time },
    spread: 0.1,
    noisy: ["a figure"],
  },
  crossovers: { broadcast: 112, reduce: 112, allreduce: 112 },
  later: [1],
};

/** What several fields must be together, and dates, of which the schema says less. */
const BEYOND =
  /expected (\d+ (rows|numbers), one|0 on the diagonal|a CPU of its own|an ISO 8601 date|more than \S+, as (the senders|is before it))/;

function refusal(document: unknown): ModelError | null {
  try {
    parseMachine(document);
    return null;
  } catch (error) {
    // any other class is a fault of the reader
    assert.instance(error, ModelError, String((error as Error).stack));
    return error as ModelError;
  }
}

test("one field of a model is broken: both refuse it, or both accept it", () => {
  assert.is(refusal(full), null);
  assert.is(faultsOf("machine.json", full), "");
  const breaking = fc.property(fc.constantFrom(...pathsOf(full)), wrong, (path, value) => {
    const document = broken(full, path, value);
    const error = refusal(document);
    const isValid = isOfSchema(document);
    if (error === null) return assert.ok(isValid, `accepted, but ${JSON.stringify(isOfSchema.errors)}`);
    if (!BEYOND.test(error.message)) assert.not(isValid, `the schema accepts it, but ${error.message}`);
  });
  // prints the seed of a failure
  fc.assert(breaking, { numRuns: rounds(1000, 50_000) });
});

test("what no field shows is refused by the reader alone", () => {
  const beyond: Loose[] = [
    { ...full, send: [[0, 5]] },
    { ...full, receive: [[1, 5], [6, 0]] }, // biome-ignore format: a matrix
    { ...full, pes: (full.pes as Loose[]).map((pe) => ({ ...pe, cpu: 3 })) },
    { ...full, created: "soon" },
    { ...full, relay: [1, 2, 3] },
  ];
  for (const document of beyond) {
    assert.match(String(refusal(document)?.message), BEYOND);
    assert.is(faultsOf("machine.json", document), "");
  }
});

test.run();
