/** The fields of the format `tundish/report@1`; schemas/report.json is the same. Unknown fields are kept. */
import * as v from "valibot";
import { isRecord } from "../../ground/base/names.ts";
import type { OptionField } from "../../ground/base/options.ts";
import { baselines } from "../../ground/base/tree-algorithms.ts";
import { amount, computed, date, index, record, text, time } from "../../machine/model/fields.ts";

/** Entries of a list; a page with more would be of no use. */
const MOST_ENTRIES = 16_384;
const list = <Entry extends v.GenericSchema>(entry: Entry, what: string) =>
  v.pipe(v.array(entry, what), v.maxLength(MOST_ENTRIES, `at most ${MOST_ENTRIES} entries`));
const texts = list(text, "an array of sentences");
const amountOrNull = v.nullable(amount);
const bool = v.boolean("true or false");
const absent = record({ absent: text }, "an object {absent}");
/** A part is what it is, or the reason why it is not there. */
const part = (entries: v.ObjectEntries, what: string) =>
  v.lazy((given) => (isRecord(given) && "absent" in given ? absent : record(entries, what)));
const spread = { ns: time, low: time, high: time, mode: v.nullable(time) };
const figures = (entries: v.ObjectEntries) =>
  part(
    {
      cpus: list(index, "an array of CPUs"),
      command: text,
      times: list(record({ ...entries, ...spread }, "a time {ns, low, high, mode}"), "an array of times"),
      missing: list(record({ name: text, reason: text }, "an object {name, reason}"), "an array {name, reason}"),
      notes: texts,
    },
    "measurements {cpus, command, times, missing, notes}",
  );
const cpu = {
  cpu: index,
  core: index,
  l3: v.nullable(index),
  numa: v.nullable(index),
  package: v.nullable(index),
};
const cache = record(
  {
    level: index,
    bytes: amount,
    lineBytes: amountOrNull,
    cpus: list(index, "an array of CPUs"),
    type: v.picklist(["data", "instruction", "unified"], "data, instruction or unified"),
  },
  "a cache {level, type, bytes, lineBytes, cpus}",
);
const network = record(
  { send: computed, receive: computed, propagate: v.optional(computed) },
  "costs {send, receive, propagate}",
);
const unit = v.picklist(["ns", "cycles"], '"ns" or "cycles"');
const latencies = record({ broadcast: computed, reduce: computed }, "an object {broadcast, reduce}");

/** Without those of the machine model, the trees and the plan, which have checks of their own. */
export const reportFields: OptionField = record(
  {
    title: text,
    created: date,
    command: text,
    versions: record({ node: text, tundish: text }, "an object {node, tundish}"),
    origin: v.picklist(["measured", "file", "guessed"], '"measured", "file" or "guessed"'),
    host: part(
      {
        name: text,
        platform: text,
        arch: text,
        brand: text,
        cores: index,
        threads: index,
        quota: amountOrNull,
        memoryBytes: amountOrNull,
      },
      "a host {name, platform, arch, brand, cores, threads, quota, memoryBytes}",
    ),
    topology: part(
      {
        source: v.picklist(["hwloc", "sysfs", "systeminformation"], "what told it: hwloc, sysfs or systeminformation"),
        isThisMachine: bool,
        brand: text,
        memoryBytes: amountOrNull,
        quota: amountOrNull,
        notes: texts,
        cpus: list(record({ ...cpu, allowed: bool }, "a CPU {cpu, core, allowed}"), "an array of CPUs"),
        caches: list(cache, "an array of caches"),
        numaNodes: list(
          record(
            { node: index, bytes: amountOrNull, cpus: list(index, "an array of CPUs") },
            "a NUMA node {node, bytes, cpus}",
          ),
          "an array of NUMA nodes",
        ),
      },
      "a topology {brand, cpus, caches, numaNodes}",
    ),
    conditions: part(
      {
        probes: list(record({ at: amount, ns: time, part: text }, "a probe {at, ns, part}"), "an array of probes"),
        modes: list(record({ mode: time, probes: index }, "a mode {mode, probes}"), "an array of modes"),
        stable: bool,
        warnings: texts,
      },
      "an object {probes, modes, stable, warnings}",
    ),
    predictions: figures({ operation: text, algorithm: text, pes: index, predicted: computed }),
    collectives: figures({ call: text, name: text, pes: index, bytes: index }),
    starts: v.optional(figures({ call: text, pes: index })),
    conveyors: figures({ name: text, what: text, pes: index, bytes: index }),
    nodes: part(
      {
        network,
        isOfModel: bool,
        trees: record(
          {
            nodes: index,
            pes: index,
            sizes: list(index, "an array of numbers of PEs"),
            unit,
            bound: latencies,
          },
          "trees {nodes, pes, sizes, unit, broadcast, reduce, barrier, bound}",
        ),
      },
      "an object {network, isOfModel, trees}",
    ),
    trees: part(
      {
        schema: v.literal("tundish/trees@1", '"tundish/trees@1"'),
        machine: text,
        unit,
        cores: list(index, "an array of PEs"),
        bound: latencies,
        baselines: list(
          record(
            {
              algorithm: v.picklist(baselines, "a published algorithm"),
              broadcast: computed,
              reduce: computed,
              barrier: computed,
            },
            "an object {algorithm, broadcast, reduce, barrier}",
          ),
          "an array of latencies",
        ),
      },
      "trees {machine, unit, cores, broadcast, reduce, barrier, baselines, bound}",
    ),
    plan: part({}, "a plan"),
  },
  "a report",
);
