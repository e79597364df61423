/**
 * Rules for the objects of a topology in XML, so that libhwloc can load them: it takes sets for granted, and that
 * those of a child are part of its parent's, and crashes without.
 *
 * Source: hwloc 2.9, hwloc/topology-xml.c (hwloc__xml_import_object, and the FIXME in hwloc_look_xml).
 */
import type { Element } from "./parse.js";
import { XmlFault } from "./place.js";
import { isWithin, lowestOf, parseSet } from "./sets.js";

/** Versions of the format: hwloc 1.x wrote another one than 2.x, and 2.x reads both. */
export type Format = 1 | 2;

const NORMAL = /^(?:Machine|System|Package|Socket|Die|Core|PU|Group|Cache|L[1-5]d?Cache|L[1-3]iCache|Tile|Module)$/;
const MEMORY = /^(?:NUMANode|Node|MemCache)$/;
/** libhwloc leaves these out unless it is asked for them, which this binding does not do. */
const LEFT_OUT = /^(?:Bridge|PCIDev|OSDev|Misc)$/;

const NUMBERS = [
  "os_index",
  "gp_index",
  "cache_size",
  "cache_linesize",
  "cache_type",
  "depth",
  "kind",
  "subkind",
  "dont_merge",
  "local_memory",
];

/** An object with its sets, and the objects below it that libhwloc is to have. */
export interface CheckedObject {
  readonly element: Element;
  readonly children: readonly CheckedObject[];
}

interface Sets {
  readonly cpuset: bigint;
  readonly complete_cpuset: bigint;
  readonly nodeset: bigint;
  readonly complete_nodeset: bigint;
}

/** Counts over a topology. */
interface Seen {
  readonly format: Format;
  nodes: bigint;
  threads: number;
}

/**
 * Checks the object that holds all others.
 * @throws XmlFault with the place of the first fault
 */
export function checkRoot(element: Element, format: Format): CheckedObject {
  const type = element.attributes.get("type") ?? "";
  if (type !== "Machine" && type !== "System") {
    throw new XmlFault(element.place, `expected an object of type Machine, got ${said(type)}`);
  }
  const seen: Seen = { format, nodes: 0n, threads: 0 };
  const root = check(element, null, seen);
  if (seen.threads === 0) throw new XmlFault(element.place, "expected one or more objects of type PU, got none");
  if (format === 2 && seen.nodes === 0n) {
    throw new XmlFault(element.place, "expected one or more objects of type NUMANode, got none");
  }
  for (const name of ["allowed_cpuset", "allowed_nodeset"]) {
    if (element.attributes.has(name)) setOf(element, name);
  }
  return root;
}

function check(element: Element, parent: Sets | null, seen: Seen): CheckedObject {
  const { attributes, place } = element;
  const type = attributes.get("type") ?? "";
  const isMemory = MEMORY.test(type);
  checkNumbers(element);
  const sets = setsOf(element, seen.format);
  for (const name of Object.keys(sets) as (keyof Sets)[]) {
    if (parent === null) continue;
    if (isWithin(sets[name], parent[name])) continue;
    throw new XmlFault(place, `expected a ${name} that is part of its parent's, got ${said(attributes.get(name))}`);
  }
  if (type === "PU") {
    if (lowestOf(sets.complete_cpuset) !== numberOf(element) || !isSingle(sets.complete_cpuset)) {
      throw mismatch(element, "complete_cpuset");
    }
    seen.threads++;
  }
  if (isMemory && type !== "MemCache") {
    const node = numberOf(element);
    if (seen.format === 2 && sets.nodeset !== 1n << BigInt(node)) throw mismatch(element, "nodeset");
    if ((seen.nodes >> BigInt(node)) & 1n) throw new XmlFault(place, `expected NUMA node ${node} once, got it twice`);
    seen.nodes |= 1n << BigInt(node);
  }
  return { element, children: childrenOf(element, sets, seen) };
}

/** Those below, in the order of their CPUs, memory first: libhwloc complains on stderr about another order. */
function childrenOf(element: Element, sets: Sets, seen: Seen): CheckedObject[] {
  const type = element.attributes.get("type") ?? "";
  const memory: CheckedObject[] = [];
  const normal: { readonly first: number; readonly object: CheckedObject }[] = [];
  let taken = 0n;
  for (const child of element.children) {
    if (child.name !== "object") continue;
    const childType = child.attributes.get("type") ?? "";
    const isOld = seen.format === 1 && childType === "Misc" && child.attributes.has("cpuset");
    if (LEFT_OUT.test(childType) && !isOld) continue;
    const isMemory = MEMORY.test(childType);
    if (!isMemory && !isOld && !NORMAL.test(childType)) {
      throw new XmlFault(child.place, `expected an object of a type of hwloc, as PU or Core, got ${said(childType)}`);
    }
    if (type === "PU" && !isMemory) throw new XmlFault(child.place, `expected no ${childType} in a PU`);
    if (seen.format === 2 && MEMORY.test(type) && !isMemory) {
      throw new XmlFault(child.place, `expected no ${childType} in a ${type}`);
    }
    const object = check(child, sets, seen);
    if (seen.format === 2 && isMemory) {
      memory.push(object);
      continue;
    }
    const cpus = setOf(child, "complete_cpuset");
    if ((cpus & taken) !== 0n) {
      const got = said(child.attributes.get("complete_cpuset"));
      throw new XmlFault(
        child.place,
        `expected a complete_cpuset apart from those of the objects beside it, got ${got}`,
      );
    }
    taken |= cpus;
    normal.push({ first: cpus === 0n ? Number.MAX_SAFE_INTEGER : lowestOf(cpus), object });
  }
  return [...memory, ...normal.sort((a, b) => a.first - b.first).map(({ object }) => object)];
}

function setsOf(element: Element, format: Format): Sets {
  const cpuset = setOf(element, "cpuset");
  const complete_cpuset = setOf(element, "complete_cpuset");
  const { attributes } = element;
  const isKnown = format === 2 || attributes.has("nodeset") || attributes.has("complete_nodeset");
  const nodeset = isKnown ? setOf(element, "nodeset") : 0n;
  const complete_nodeset = isKnown ? setOf(element, "complete_nodeset") : 0n;
  for (const [name, inner, outer] of [
    ["cpuset", cpuset, complete_cpuset],
    ["nodeset", nodeset, complete_nodeset],
  ] as const) {
    if (isWithin(inner, outer)) continue;
    throw new XmlFault(
      element.place,
      `expected a ${name} that is part of complete_${name}, got ${said(attributes.get(name))}`,
    );
  }
  if (cpuset < 0n || complete_cpuset < 0n || (format === 2 && (nodeset < 0n || complete_nodeset < 0n))) {
    throw new XmlFault(element.place, "expected sets that are not infinite, got 0xf...f");
  }
  return { cpuset, complete_cpuset, nodeset, complete_nodeset };
}

/** The set in an attribute. @throws XmlFault where there is none */
export function setOf({ attributes, name: tag, place }: Element, name: string): bigint {
  const text = attributes.get(name);
  const set = text === undefined ? null : parseSet(text);
  if (set !== null) return set;
  const what = `${tag} ${attributes.get("type") ?? ""}`.trimEnd();
  throw new XmlFault(place, `expected a set such as 0x00000003 as ${name} of the ${what}, got ${said(text)}`);
}

function checkNumbers({ attributes, place }: Element): void {
  for (const name of NUMBERS) {
    const text = attributes.get(name);
    if (text === undefined || (/^\d{1,20}$/.test(text) && (name !== "os_index" || Number(text) < 2 ** 32))) continue;
    throw new XmlFault(place, `expected a whole number as ${name}, got ${said(text)}`);
  }
}

const numberOf = (element: Element): number => {
  const text = element.attributes.get("os_index");
  if (text !== undefined && Number(text) < MOST) return Number(text);
  throw new XmlFault(element.place, `expected an os_index from 0 to ${MOST - 1}, got ${said(text)}`);
};
/** As many as a set can have. */
const MOST = 65_536;

const isSingle = (set: bigint): boolean => (set & (set - 1n)) === 0n;

const mismatch = ({ attributes, place }: Element, name: string): XmlFault =>
  new XmlFault(
    place,
    `expected a ${name} of number ${attributes.get("os_index")} alone, its os_index, got ${said(attributes.get(name))}`,
  );

/** @param text undefined for none */
export function said(text: string | undefined): string {
  if (text === undefined) return "none";
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
