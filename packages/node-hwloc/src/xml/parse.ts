/**
 * Parses XML into elements, without recursion and with the place of each element: what libhwloc's own parser would
 * crash on must be refused before it sees it.
 *
 * The XML that exporters of topologies write is all there is: no document type with declarations, no entities but the
 * five of XML and those by number. A parser from npm would be a second dependency, and bring more than that.
 *
 * Source: W3C, Extensible Markup Language (XML) 1.0, fifth edition.
 */
import { type Place, XmlFault } from "./place.js";

/** One element. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** All text right in it. */
  readonly text: string;
  /** Where it begins. */
  readonly place: Place;
}

type Open = { name: string; attributes: Map<string, string>; children: Open[]; text: string; place: Place };

/** Levels of elements. libhwloc recurses once a level; the deepest real machine has some 20. */
const MOST_LEVELS = 128;

const SKIPPED = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->/y;
const DOCTYPE = /<!DOCTYPE[^[\]<>]*>/y;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/y;
const NAME = "[A-Za-z_:][\\w:.-]*";
const START = new RegExp(`<(${NAME})`, "y");
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`, "y");
const START_END = /\s*(\/?)>/y;
const END = new RegExp(`</(${NAME})\\s*>`, "y");
const TEXT = /[^<]+/y;
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+))?;?/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
/** Read as UTF-8 or as Latin-1: its byte-order mark, or without one its first character. */
const UTF_16 = /^(?:ÿþ|þÿ|\ufffd\ufffd|\0<|<\0)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what no XML may have
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/**
 * The root element of a document.
 * @throws XmlFault with the place of what is not XML
 */
export function parseXml(source: string): Element {
  const xml = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  let at = 0;
  /** The groups of what comes next, if it is that; it is then behind us. */
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(xml);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const here = (offset = at): Place => placeIn(xml, offset);
  const fail = (expected: string): never => {
    const got = at < xml.length ? JSON.stringify(xml.slice(at, at + 24)) : "the end of the text";
    throw new XmlFault(here(), `expected ${expected}, got ${got}`);
  };
  if (UTF_16.test(xml)) throw new XmlFault(here(), "expected UTF-8, got UTF-16");
  const bad = FORBIDDEN.exec(xml);
  if (bad !== null)
    throw new XmlFault(here(bad.index), `expected text, got ${JSON.stringify(bad[0])}, which XML has not`);

  const open: Open[] = [];
  let root: Open | null = null;
  while (at < xml.length) {
    const inner = open.at(-1);
    const from = at;
    if (take(SKIPPED) !== null || (root === null && take(DOCTYPE) !== null)) continue;
    const text = take(TEXT)?.[0] ?? take(CDATA)?.[1];
    if (text !== undefined) {
      if (inner !== undefined) inner.text += xml[from] === "<" ? text : decoded(text, here(from));
      else if (text.trim() !== "") {
        at = from;
        fail(root === null ? "an element" : "nothing behind the root element");
      }
      continue;
    }
    const end = take(END);
    if (end !== null) {
      if (inner?.name !== end[1]) {
        at = from;
        fail(inner === undefined ? "an element" : `</${inner.name}>`);
      }
      open.pop();
      continue;
    }
    const start = take(START) ?? fail("an element");
    if (inner === undefined && root !== null) {
      at = from;
      fail("nothing behind the root element");
    }
    const place = here(from);
    const name = start[1] as string;
    const element: Open = { name, attributes: new Map(), children: [], text: "", place };
    for (let found = take(ATTRIBUTE); found !== null; found = take(ATTRIBUTE)) {
      const [, key = "", quoted = ""] = found;
      if (element.attributes.has(key)) throw new XmlFault(place, `expected ${key} once in <${name}>, got it twice`);
      element.attributes.set(key, decoded(quoted.slice(1, -1), place));
    }
    const close = take(START_END) ?? fail(`an attribute, > or /> in <${name}>`);
    inner?.children.push(element);
    root ??= element;
    if (close[1] !== "") continue;
    open.push(element);
    if (open.length > MOST_LEVELS) throw new XmlFault(place, `expected at most ${MOST_LEVELS} levels, got more`);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) fail(`</${unclosed.name}>, as <${unclosed.name}> is open`);
  return root ?? fail("an element");
}

function decoded(text: string, place: Place): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (all, decimal, hexadecimal, name) => {
    const code = Number(decimal ?? `0x${hexadecimal}`);
    const said = name === undefined ? charOf(code) : Object.hasOwn(ENTITIES, name) && ENTITIES[name];
    if (said && all.endsWith(";")) return said;
    throw new XmlFault(place, `expected &amp; or another entity of XML, got ${JSON.stringify(all)}`);
  });
}

function charOf(code: number): string | null {
  if (!(code <= 0x10_ffff) || (code >= 0xd800 && code <= 0xdfff)) return null;
  const char = String.fromCodePoint(code);
  return FORBIDDEN.test(char) ? null : char;
}

/** Only for what is used: each line is counted again. */
function placeIn(xml: string, offset: number): Place {
  return {
    get line() {
      return xml.slice(0, offset).split("\n").length;
    },
    get column() {
      return offset - xml.lastIndexOf("\n", offset - 1);
    },
  };
}
