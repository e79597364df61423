/**
 * XML of topologies with some faults each: libhwloc must load it, or its text be refused, with nothing crashed.
 * Whatever is loaded is read as a whole.
 */
import { readFileSync } from "node:fs";
import { HwlocError, openTopology } from "node-hwloc";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { playCases } from "../support/many-cases.ts";

type Draw = (n: number) => number;

const NUMBERS = [
  "0",
  "-1",
  "1",
  "3",
  "64",
  "4095",
  "65535",
  "4294967295",
  "18446744073709551615",
  "1e9",
  "0x7",
  "x",
  "",
];
const SETS = [
  "0x0",
  "0x00000001",
  "0xffffffff",
  "0xf...f",
  "0xf...f,0x0",
  ",",
  "0x1,,,",
  "zz",
  "",
  `0x1${",0x0".repeat(3000)}`,
];
const WORDS = [
  "Machine",
  "PU",
  "Core",
  "NUMANode",
  "Package",
  "L3Cache",
  "Group",
  "Misc",
  "Bridge",
  "Die",
  "MemCache",
  "é\n<&",
];

/** Faults of XML, as files get them. */
const FAULTS: ((xml: string, draw: Draw) => string)[] = [
  // cut off
  (xml, draw) => xml.slice(0, draw(xml.length)),
  // a piece is missing, or twice there
  (xml, draw) => splice(xml, draw, draw(60), ""),
  (xml, draw) => {
    const from = draw(xml.length);
    const piece = xml.slice(from, from + draw(400));
    return xml.slice(0, from) + piece + xml.slice(from);
  },
  (xml, draw) => splice(xml, draw, 1, String.fromCharCode(draw(256))),
  // an attribute is dropped, renamed, changed
  (xml, draw) => atOne(xml, / \w+="[^"]*"/g, draw, () => ""),
  (xml, draw) => atOne(xml, / (complete_)?(cpuset|nodeset)="[^"]*"/g, draw, () => ""),
  (xml, draw) => atOne(xml, / \w+=/g, draw, () => ` ${["cpuset", "type", "os_index", "nbobjs", "a"][draw(5)]}=`),
  (xml, draw) => atOne(xml, /set="[^"]*"/g, draw, () => `set="${SETS[draw(SETS.length)]}"`),
  (xml, draw) => atOne(xml, /set="[^"]*"/g, draw, () => `set="0x${(2 ** draw(32)).toString(16)}"`),
  (xml, draw) => atOne(xml, /="\d+"/g, draw, () => `="${NUMBERS[draw(NUMBERS.length)]}"`),
  (xml, draw) => atOne(xml, /type="\w+"/g, draw, () => `type="${WORDS[draw(WORDS.length)]}"`),
  (xml, draw) => atOne(xml, /="[^"]*"/g, draw, () => `="${[...NUMBERS, ...SETS, ...WORDS][draw(30)]}"`),
  // elements are dropped, moved, nested deeply, repeated often
  (xml, draw) => atOne(xml, /<[^>]*>\n?/g, draw, () => ""),
  (xml, draw) => {
    const lines = xml.split("\n");
    const [a, b] = [draw(lines.length), draw(lines.length)];
    [lines[a], lines[b]] = [lines[b] as string, lines[a] as string];
    return lines.join("\n");
  },
  (xml, draw) => {
    const lines = xml.split("\n");
    lines.splice(draw(lines.length), 0, lines[draw(lines.length)] as string);
    return lines.join("\n");
  },
  (xml, draw) => atOne(xml, /<object [^>]*[^/]>/g, draw, (one) => one.repeat(2 ** draw(12))),
  (xml, draw) => atOne(xml, /<(object|info|page_type) [^>]*\/>/g, draw, (one) => one.repeat(2 ** draw(10))),
  (xml, draw) => atOne(xml, /<(distances2|memattr|cpukind)[\s\S]*?<\/\1>/g, draw, () => ""),
  // as other editors write it
  (xml) => `\uFEFF${xml.replaceAll("\n", "\r\n")}`,
  (xml, draw) =>
    atOne(xml, /\n/g, draw, () => ["<!-- x -->", "<![CDATA[x]]>", "<?x?>", "&#0;", "&x;", "\0"][draw(6)] as string),
];

const splice = (xml: string, draw: Draw, length: number, by: string): string => {
  const from = draw(xml.length);
  return xml.slice(0, from) + by + xml.slice(from + length);
};

function atOne(xml: string, pattern: RegExp, draw: Draw, by: (found: string) => string): string {
  const found = [...xml.matchAll(pattern)];
  const one = found[draw(found.length)];
  if (one === undefined) return xml;
  return xml.slice(0, one.index) + by(one[0]) + xml.slice(one.index + one[0].length);
}

const here = openTopology();
const samples = [
  here.exportXml(),
  ...["pack:2 [numa] l3:2 core:2 pu:2", "group:2 [numa] pack:2 l2:2 core:1 pu:2"].map((synthetic) => {
    const made = openTopology({ synthetic });
    try {
      return made.exportXml();
    } finally {
      made.close();
    }
  }),
  ...["memory.xml", "old.xml"].map((name) =>
    readFileSync(new URL(`../../../test/fixtures/hwloc/${name}`, import.meta.url), "utf8"),
  ),
];
here.close();

await playCases((seed) => {
  const random = randomNumbers(seed);
  const draw = (n: number) => Math.floor(random() * n);
  let xml = samples[draw(samples.length)] as string;
  for (let faults = 1 + draw(3); faults > 0; faults--)
    xml = (FAULTS[draw(FAULTS.length)] as (typeof FAULTS)[0])(xml, draw);
  try {
    const topology = openTopology({ xml });
    try {
      for (let depth = -3; depth < topology.depth; depth++) topology.objectsAtDepth(depth);
      topology.children(topology.root);
      openTopology({ xml: topology.exportXml() }).close();
    } finally {
      topology.close();
    }
    return "loaded";
  } catch (error) {
    if (!(error instanceof HwlocError) || error.code !== "ERR_HWLOC_SOURCE") throw error;
    // with its place, or libhwloc's own
    if (/: line \d+, column \d+: expected /.test(error.message)) return "refused";
    if (/cannot load the XML text( \(\w+\))?\. Write one/.test(error.message)) return "refused by libhwloc";
    throw error;
  }
});
