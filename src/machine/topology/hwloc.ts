/** The topology from libhwloc: of this machine, of an XML file, or of a synthetic description. */
import * as binding from "node-hwloc";
import { HwlocError, NoHwlocError, UsageError } from "../../ground/base/errors.ts";
import { INSTALL_KOFFI, native } from "../../ground/base/native/native.ts";
import { setting } from "../../ground/base/settings.ts";
import { shield } from "../../ground/base/shield.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Topology } from "../model/machine-model.ts";
import { toTopology } from "./shape.ts";

/** A machine other than this one; at most one of the two fields. */
export interface ForeignMachine {
  /** Path of an XML file as `lstopo --of xml` writes it, or the XML itself. */
  readonly xml?: string | undefined;
  /** hwloc's synthetic description, e.g. `pack:2 [numa] l3:4 core:8 pu:2`. */
  readonly synthetic?: string | undefined;
}

/**
 * Reads a topology through libhwloc.
 * @throws NoHwlocError without libhwloc, HwlocError for an input that libhwloc rejects, UsageError for two inputs
 */
export function readHwloc(from: ForeignMachine = {}): Topology {
  if (setting("native") !== "on" || native() === null) {
    throw new NoHwlocError(`Cannot use libhwloc: koffi is not installed here or is switched off. ${INSTALL_KOFFI}`);
  }
  return shield(() => withOurErrors(() => read(from)));
}

/** The version of the API of libhwloc, e.g. "2.8". @throws NoHwlocError without libhwloc */
export const libhwlocVersion = (): string => shield(() => withOurErrors(() => binding.hwlocVersion(nameOfLibrary())));

// the setting's default is Linux's name; the binding knows those of other platforms
function nameOfLibrary(): string | undefined {
  const name = setting("libhwloc");
  return name === "libhwloc.so.15" ? undefined : name;
}

/** Turns what the binding throws into errors of this package. */
function withOurErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof binding.HwlocError)) throw cause;
    if (cause instanceof binding.NoHwlocError) throw new NoHwlocError(cause.message, { cause });
    if (cause instanceof binding.HwlocUsageError) throw new UsageError(cause.message, { cause });
    throw new HwlocError(cause.message, { cause });
  }
}

/** XML rather than a path; also UTF-16 that was read as something else, which the binding refuses by that name. */
const XML = /^(?:ÿþ|þÿ|\uFFFD\uFFFD)?[\s\0]*</;

function read({ xml, synthetic }: ForeignMachine): Topology {
  if (xml !== undefined && synthetic !== undefined) {
    throw new UsageError("readTopology() expected one of `xml` and `synthetic`, got both. Leave one out.");
  }
  if (xml !== undefined && (typeof xml !== "string" || xml.trim() === "")) {
    throw new UsageError(`xml: expected XML or the path of a file, got ${shortText(xml)}`);
  }
  const isText = xml !== undefined && XML.test(xml);
  const hwloc = binding.openTopology({
    library: nameOfLibrary(),
    synthetic,
    xml: isText ? xml : undefined,
    xmlFile: isText ? undefined : xml,
  });
  try {
    return describe(hwloc, synthetic);
  } finally {
    hwloc.close();
  }
}

function describe(hwloc: binding.HwlocTopology, synthetic: string | undefined): Topology {
  const sets = (type: string) => hwloc.objects(type).map(({ cpuset }) => cpuset ?? []);
  const packages = hwloc.objects("Package");
  const model = packages[0]?.infos.CPUModel ?? hwloc.objectsAtDepth(0)[0]?.infos.CPUModel;
  const isThisMachine = hwloc.isThisSystem;
  return toTopology({
    source: "hwloc",
    brand: isThisMachine ? null : (model ?? (synthetic ? `synthetic ${synthetic}` : "unknown processor")),
    isThisMachine,
    cpus: sets("PU").flat(),
    allowed: hwloc.allowedCpus,
    cores: sets("Core"),
    packages: packages.map((one) => ({ id: one.osIndex ?? one.logicalIndex, cpus: one.cpuset ?? [] })),
    caches: Array.from({ length: hwloc.depth }, (_, depth) => hwloc.objectsAtDepth(depth))
      .flat()
      .flatMap(({ cache, cpuset }) => (cache && cpuset ? [{ ...pick(cache), cpus: cpuset }] : [])),
    numaNodes: hwloc.objects("NUMANode").map((node) => ({
      node: node.osIndex ?? node.logicalIndex,
      bytes: node.memoryBytes || null,
      cpus: node.cpuset ?? [],
    })),
    notes: [],
  });
}

function pick<C extends { level: number; type: string; bytes: number; lineBytes: number | null }>(
  cache: C,
): Pick<C, "level" | "type" | "bytes" | "lineBytes"> {
  const { level, type, bytes, lineBytes } = cache;
  return { level, type, bytes, lineBytes };
}
