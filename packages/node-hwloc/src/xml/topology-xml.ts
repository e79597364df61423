/**
 * XML of a topology, checked and written again for libhwloc.
 *
 * libhwloc reads XML by libxml2 only where its plugin is installed and finds libhwloc's functions in the process, which
 * would need a library that is opened for all (RTLD_GLOBAL), and would load the plugins for OpenCL and displays, too.
 * Its own parser knows nothing but what hwloc writes, and reads beyond the end of what is cut off. Neither checks what
 * the objects are. So both is done here, and libhwloc sees what it would have written itself.
 */
import { type CheckedObject, checkRoot, type Format, said, setOf } from "./objects.js";
import { type Element, parseXml } from "./parse.js";
import { XmlFault } from "./place.js";

/** Elements of an object but objects; `userdata` is left out, as nobody reads it. */
const OF_OBJECTS = new Set(["info", "page_type", "distances"]);
const IGNORED = new Set(["object", "userdata"]);
/** Objects of a matrix of distances. */
const MOST_OBJECTS = 4096;

/**
 * @param xml as hwloc 1.x or 2.x writes it; a byte-order mark and lines that end with \r\n are fine
 * @throws XmlFault with the place of the first fault
 */
export function checkedXml(xml: string): string {
  const topology = parseXml(xml);
  const { name, attributes, place, children } = topology;
  if (name !== "topology") throw new XmlFault(place, `expected the element topology, got ${said(name)}`);
  const version = attributes.get("version");
  if (version !== undefined && !/^\d{1,4}\.\d{1,4}$/.test(version)) {
    throw new XmlFault(place, `expected a version such as 2.0, got ${said(version)}`);
  }
  const format: Format = version === undefined || version.startsWith("1.") ? 1 : 2;
  const [root, ...others] = children;
  if (root?.name !== "object") {
    throw new XmlFault(
      root?.place ?? place,
      `expected an object as the first element in topology, got ${said(root?.name)}`,
    );
  }
  const out = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<topology${version === undefined ? "" : ` version="${version}"`}>`,
  ];
  writeObject(out, checkRoot(root, format), format);
  for (const other of others) {
    const check = Object.hasOwn(BESIDE, other.name) ? BESIDE[other.name] : undefined;
    // libhwloc reads nothing else
    if (check === undefined || format === 1) continue;
    check(other);
    write(out, other);
  }
  out.push("</topology>", "");
  return out.join("\n");
}

function writeObject(out: string[], { element, children }: CheckedObject, format: Format): void {
  out.push(`${tagOf(element)}>`);
  for (const part of element.children) {
    if (IGNORED.has(part.name)) continue;
    if (!OF_OBJECTS.has(part.name)) {
      throw new XmlFault(part.place, `expected an object, info or page_type in an object, got ${said(part.name)}`);
    }
    if (part.name === "distances") checkOldDistances(part, format);
    write(out, part);
  }
  for (const child of children) writeObject(out, child, format);
  out.push("</object>");
}

/** The elements that may stand beside the root object, and their checks; `support` is left out, as nobody reads it. */
const BESIDE: Readonly<Record<string, (element: Element) => void>> = {
  distances2: (element) => checkDistances(element, /^(?:\d{1,20}\s*)+$/),
  distances2hetero: (element) => checkDistances(element, /^(?:\w+:\d{1,20}\s*)+$/),
  memattr: ({ children }) => {
    for (const child of children) {
      if (child.attributes.has("initiator_cpuset")) setOf(child, "initiator_cpuset");
    }
  },
  cpukind: (element) => {
    setOf(element, "cpuset");
  },
};

/** libhwloc makes room for as many as are announced. */
function checkDistances({ attributes, children, place }: Element, form: RegExp): void {
  const objects = countOf(attributes.get("nbobjs"), place);
  for (const [name, expected, pattern] of [
    ["indexes", objects, form],
    ["u64values", objects ** 2, /^(?:\d{1,20}\s*)+$/],
  ] as const) {
    const lists = children.filter((child) => child.name === name).map(({ text }) => text.trim());
    const found = lists.reduce(
      (sum, text) => sum + (pattern.test(`${text} `) ? text.split(/\s+/).length : Number.NaN),
      0,
    );
    if (found !== expected) throw new XmlFault(place, `expected ${expected} ${name} of distances, got ${found}`);
  }
}

function checkOldDistances({ attributes, children, place }: Element, format: Format): void {
  if (format === 2) throw new XmlFault(place, "expected no distances in an object of this version, got some");
  const expected = countOf(attributes.get("nbobjs"), place) ** 2;
  if (children.length !== expected) {
    throw new XmlFault(place, `expected ${expected} latencies in distances, got ${children.length}`);
  }
  if (!/^\d{1,3}$/.test(attributes.get("relative_depth") ?? "")) {
    throw new XmlFault(place, `expected a number as relative_depth, got ${said(attributes.get("relative_depth"))}`);
  }
}

function countOf(text: string | undefined, place: Element["place"]): number {
  const count = /^\d{1,9}$/.test(text ?? "") ? Number(text) : 0;
  if (count >= 1 && count <= MOST_OBJECTS) return count;
  throw new XmlFault(place, `expected from 1 to ${MOST_OBJECTS} as nbobjs, got ${said(text)}`);
}

function write(out: string[], element: Element): void {
  if (element.children.length === 0) {
    const text = element.text.trim() === "" ? "" : element.text.trim().replace(/\s+/g, " ");
    out.push(
      text === "" ? `${tagOf(element)}/>` : `${tagOf(element, text.length + 1)}>${escaped(text)} </${element.name}>`,
    );
    return;
  }
  out.push(`${tagOf(element)}>`);
  for (const child of element.children) write(out, child);
  out.push(`</${element.name}>`);
}

/** Without its end, the type first: libhwloc reads no attribute before it knows the type. @param length of its text */
function tagOf({ name, attributes }: Element, length?: number): string {
  const type = attributes.get("type");
  const sorted = type === undefined ? [...attributes] : [["type", type], ...attributes];
  // libhwloc's parser gives up at a name with anything else, and knows none
  const isKnown = (key: string) => /^[a-z_]+$/.test(key);
  const written = sorted.filter(([key = ""], i) => isKnown(key) && (key !== "type" || i === 0));
  const said = written.map(
    ([key, value = ""]) => ` ${key}="${escaped(key === "length" && length !== undefined ? String(length) : value)}"`,
  );
  return `<${name}${said.join("")}`;
}

const CODES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
  "\r": "&#13;",
};
const escaped = (text: string): string => text.replace(/[<>&"\n\t\r]/g, (char) => CODES[char] as string);
