/**
 * node-hwloc: the hardware topology of this machine, of an XML file, or of a description, through
 * libhwloc 2.x. See README.md.
 */
import { readFileSync } from "node:fs";
import { HwlocError, HwlocUsageError } from "./errors.js";
import { type HwlocLibrary, openHwloc, type Pointer } from "./library.js";
import { failure } from "./native.js";
import { shortPath, shortText } from "./short-text.js";
import { HwlocTopology } from "./topology.js";
import { XmlFault } from "./xml/place.js";
import { checkedXml } from "./xml/topology-xml.js";

export { formatCpuList, parseCpuList } from "./cpulist.js";
export {
  HwlocError,
  type HwlocErrorCode,
  type HwlocErrorOptions,
  HwlocUsageError,
  NoHwlocError,
} from "./errors.js";
export type { HwlocCache, HwlocObject } from "./object.js";
export type { HwlocTopology } from "./topology.js";

/** The source of a topology: at most one of the first three; none means this machine. */
export interface HwlocSource {
  /** Path of an XML file, as `lstopo --of xml` writes it. */
  readonly xmlFile?: string | undefined;
  /** The XML itself. */
  readonly xml?: string | undefined;
  /** hwloc's synthetic description, e.g. `pack:2 [numa] l3:4 core:8 pu:2`. */
  readonly synthetic?: string | undefined;
  /** Name or path of libhwloc. @default libhwloc.so.15, or the platform's name of it */
  readonly library?: string | undefined;
}

const INCLUDE_DISALLOWED = 1 << 0;
const KEEP_ALL = 0;

/**
 * Loads a topology with all its caches, including the CPUs that this process may not use. Takes a few milliseconds. Any
 * thread may call it; each has its own topologies.
 * @throws NoHwlocError if libhwloc 2.x cannot be used here
 * @throws HwlocError if the XML or the description is invalid
 * @throws HwlocUsageError for more than one source, or an invalid one
 */
export function openTopology(source: HwlocSource = {}): HwlocTopology {
  checkSource(source);
  const given = (["xmlFile", "xml", "synthetic"] as const).filter((key) => source[key] !== undefined);
  if (given.length > 1) {
    throw new HwlocUsageError(`openTopology() expected one source, got ${given.join(" and ")}. Give one of them.`);
  }
  const hwloc = openHwloc(source.library);
  const out: [Pointer | null] = [null];
  if (hwloc.init(out) < 0 || out[0] === null) {
    throw failure("ERR_HWLOC_SOURCE", "libhwloc cannot make a topology");
  }
  const topology = out[0];
  try {
    hwloc.setFlags(topology, INCLUDE_DISALLOWED);
    hwloc.setInstructionCaches(topology, KEEP_ALL);
    load(hwloc, topology, source);
    return new HwlocTopology(hwloc, topology);
  } catch (error) {
    hwloc.destroy(topology);
    throw error;
  }
}

/**
 * The version of libhwloc's API here, e.g. "2.8" for hwloc 2.9.0, without loading a topology.
 * @param library name or path of libhwloc @default as {@link HwlocSource} has it
 * @throws NoHwlocError if libhwloc 2.x cannot be used here
 * @throws HwlocUsageError for a library that is no string
 */
export function hwlocVersion(library?: string): string {
  checkSource({ library });
  return openHwloc(library).version;
}

function checkSource(source: HwlocSource): void {
  if (typeof source !== "object" || source === null) {
    throw new HwlocUsageError(
      `openTopology() expected { xmlFile, xml, synthetic, library }, got ${shortText(source)}.`,
    );
  }
  for (const key of ["xmlFile", "xml", "synthetic", "library"] as const) {
    if (source[key] !== undefined && typeof source[key] !== "string") {
      throw new HwlocUsageError(`openTopology() expected a string as its ${key}, got ${shortText(source[key])}.`);
    }
  }
  if (source.xmlFile === "") {
    throw new HwlocUsageError('openTopology() expected the path of a file as its xmlFile, got "".');
  }
}

function load(hwloc: HwlocLibrary, topology: Pointer, source: HwlocSource): void {
  let ready = 0;
  let input = "the topology of this machine";
  let remedy = "See what `lstopo` says here.";
  if (source.synthetic !== undefined) {
    input = `the synthetic description ${shortText(source.synthetic)}`;
    remedy = 'A valid one is "pack:2 [numa] l3:4 core:8 pu:2"; see the hwloc manual, "Synthetic topologies".';
    ready = hwloc.setSynthetic(topology, source.synthetic);
  } else if (source.xmlFile !== undefined || source.xml !== undefined) {
    input = source.xmlFile === undefined ? "the XML text" : `the XML file ${shortPath(source.xmlFile as string)}`;
    remedy = "Write one with: lstopo --of xml machine.xml";
    const xml = Buffer.from(`${checked(source.xml ?? readXml(source.xmlFile as string), input, remedy)}\0`);
    ready = hwloc.setXml(topology, xml, xml.length);
  }
  if (ready < 0 || hwloc.load(topology) < 0) {
    throw failure("ERR_HWLOC_SOURCE", `libhwloc cannot load ${input}`, remedy);
  }
}

/** @throws HwlocError with the place of what libhwloc cannot load */
function checked(xml: string, input: string, remedy: string): string {
  try {
    return checkedXml(xml);
  } catch (cause) {
    if (!(cause instanceof XmlFault)) throw cause;
    const { line, column } = cause.place;
    const where = `libhwloc cannot load ${input}: line ${line}, column ${column}`;
    throw new HwlocError("ERR_HWLOC_SOURCE", `${where}: ${cause.message}. ${remedy}`, { cause });
  }
}

function readXml(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const name = shortPath(path);
    const why = (cause as Error).message.replace(path, () => name);
    throw new HwlocError(
      "ERR_HWLOC_SOURCE",
      `Cannot read the XML file ${name}: ${why}. Write one with: lstopo --of xml machine.xml`,
      { cause, systemError: (cause as NodeJS.ErrnoException).code },
    );
  }
}
