/**
 * One object of a topology, copied out of libhwloc's memory.
 *
 * hwloc has no functions for most fields of an object: C programs read `struct hwloc_obj` themselves. So does this
 * file, and not the exported XML, because the XML tells neither an object's depth nor its logical index (levels of
 * Groups cannot be told apart from it), while the struct is part of the ABI that the library's soname 15 promises for
 * all of hwloc 2.x: a change of it would break every compiled user of hwloc. The copy is checked on each object before
 * any pointer in it is followed: it must state the very depth and index under which it was asked for.
 *
 * Source: hwloc 2.x, include/hwloc.h, `struct hwloc_obj`, `union hwloc_obj_attr_u`.
 */
import { parseCpuList } from "./cpulist.js";
import { NoHwlocError } from "./errors.js";
import { layout } from "./layout.js";
import type { HwlocLibrary, Pointer } from "./library.js";
import { koffi } from "./native.js";

/** Attributes of a cache. */
export interface HwlocCache {
  readonly level: number;
  readonly type: "unified" | "data" | "instruction";
  readonly bytes: number;
  /** null if unknown. */
  readonly lineBytes: number | null;
  /** Ways of associativity; 0 where unknown, -1 when fully associative. */
  readonly ways: number;
}

/** One object of a topology: a plain value that outlives it. */
export interface HwlocObject {
  /** hwloc's name of the type: Machine, Package, Core, PU, L3Cache, L1iCache, NUMANode, Group0, ... */
  readonly type: string;
  /** Level of the object, 0 = Machine; NUMA nodes are at -3. */
  readonly depth: number;
  /** Position among the objects of its depth. */
  readonly logicalIndex: number;
  /** The operating system's number; null where it has none. */
  readonly osIndex: number | null;
  readonly name: string | null;
  readonly subtype: string | null;
  /** The CPUs below it by the operating system's number, ascending; null for I/O and Misc objects. */
  readonly cpuset: readonly number[] | null;
  /** The NUMA nodes near it, ascending; null for I/O and Misc objects. */
  readonly nodeset: readonly number[] | null;
  /** hwloc's text of the attributes, e.g. `size=32768KB linesize=64 ways=16`; empty where none. */
  readonly attributes: string;
  /** hwloc's key-value pairs, e.g. CPUModel. */
  readonly infos: Readonly<Record<string, string>>;
  /** null for all but caches. */
  readonly cache: HwlocCache | null;
  /** Bytes of memory in a NUMA node, or in all below another object. */
  readonly memoryBytes: number;
}

const UNKNOWN_INDEX = 0xffffffff;
const cacheTypes = ["unified", "data", "instruction"] as const;

type Raw = Record<"subtype" | "name" | "attributes" | "cpuset" | "nodeset" | "infos" | Link, Pointer | null> & {
  readonly [field in "type" | "osIndex" | "totalMemory" | "depth" | "logicalIndex" | "infosCount"]: number;
};

const rawAt = (address: Pointer): Raw => koffi().decode(address, layout().object) as Raw;

/** The text up to the zero at `address`. */
export const readString = (address: Pointer): string => koffi().decode(address, "char", -1) as string;

/** Fields of an object that are the addresses of others. */
export type Link = "parent" | "firstChild" | "memoryFirstChild" | "nextSibling";

/** Where a link of the object at `address` leads; null for nowhere. */
export const follow = (address: Pointer, link: Link): Pointer | null => rawAt(address)[link];

/** Depth and logical index of the object at `address`. */
export const placeOf = (address: Pointer): Pick<HwlocObject, "depth" | "logicalIndex"> => rawAt(address);

/** hwloc's name of the type of the object at `address`. */
export const typeOf = (hwloc: HwlocLibrary, address: Pointer): string =>
  readText((buffer, size) => hwloc.typeText(buffer, size, address, 1));

/**
 * Copies the object at `address`, which is expected to be number `index` of `depth`.
 * @throws NoHwlocError if the memory there does not have the layout of hwloc 2.x
 */
export function readObject(hwloc: HwlocLibrary, address: Pointer, depth: number, index: number): HwlocObject {
  const k = koffi();
  const types = layout();
  const raw = rawAt(address);
  if (raw.depth !== depth || raw.logicalIndex !== index) {
    throw new NoHwlocError(
      `Expected object ${index} of depth ${depth} from ${hwloc.name}, got number ${raw.logicalIndex} of depth ${raw.depth}: ` +
        "this libhwloc lays its objects out as no 2.x does. Install it with: apt-get install libhwloc15",
    );
  }
  const text = (at: Pointer | null | undefined) => (at ? readString(at) : null);
  const set = (at: Pointer | null | undefined) => (at ? readSet(hwloc, at) : null);
  const infos: Record<string, string> = {};
  if (raw.infos && raw.infosCount) {
    for (const info of k.decode(raw.infos, types.info, raw.infosCount) as Record<string, Pointer>[]) {
      infos[text(info.name) ?? ""] = text(info.value) ?? "";
    }
  }
  let cache: HwlocCache | null = null;
  if (raw.attributes && hwloc.isCache(raw.type)) {
    const found = k.decode(raw.attributes, types.cache) as Record<string, number>;
    cache = {
      level: Number(found.depth),
      type: cacheTypes[Number(found.type)] ?? "unified",
      bytes: Number(found.size),
      lineBytes: found.lineSize || null,
      ways: Number(found.associativity),
    };
  }
  return {
    type: typeOf(hwloc, address),
    depth,
    logicalIndex: index,
    osIndex: raw.osIndex === UNKNOWN_INDEX ? null : raw.osIndex,
    name: text(raw.name),
    subtype: text(raw.subtype),
    cpuset: set(raw.cpuset),
    nodeset: set(raw.nodeset),
    attributes: readText((buffer, size) => hwloc.attributeText(buffer, size, address, " ", 1)),
    infos,
    cache,
    memoryBytes: Number(raw.totalMemory),
  };
}

/** The numbers in a bitmap of hwloc, ascending. @throws HwlocError for an infinite one. */
export function readSet(hwloc: HwlocLibrary, set: Pointer): number[] {
  return parseCpuList(readText((buffer, size) => hwloc.setText(buffer, size, set)));
}

// hwloc's snprintf functions return the length they need, as C's does: a second call suffices
function readText(print: (buffer: Uint8Array, size: number) => number): string {
  let buffer = Buffer.alloc(256);
  const length = print(buffer, buffer.length);
  if (length >= buffer.length) {
    buffer = Buffer.alloc(length + 1);
    print(buffer, buffer.length);
  }
  return buffer.toString("utf8", 0, Math.max(0, length));
}
