/** XML that is broken must not take the process down: libhwloc checks little of what it reads. */
import { readFileSync } from "node:fs";
import { HwlocError, type HwlocTopology, openTopology } from "node-hwloc";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { noHwloc } from "../machine/surroundings.ts";
import { rounds } from "../support/long.ts";
import { runCases } from "../support/many-cases.ts";
import { fixture } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { thrownBy } from "../support/thrown.ts";

const test = suite("node-hwloc, broken XML");
const sample = readFileSync(fixture("hwloc", "memory.xml"), "utf8");
const old = readFileSync(fixture("hwloc", "old.xml"), "utf8");

function facts(xml: string): unknown {
  const topology: HwlocTopology = openTopology({ xml });
  try {
    return Array.from({ length: topology.depth + 3 }, (_, i) => topology.objectsAtDepth(i - 3));
  } finally {
    topology.close();
  }
}

testUnless(test, noHwloc, "hwloc gets XML in other clothes", () => {
  for (const xml of [sample, old]) {
    const plain = facts(xml);
    for (const other of [
      `\uFEFF${xml}`,
      xml.replaceAll("\n", "\r\n"),
      xml.replaceAll(/>\s+</g, "><"),
      xml.replaceAll(/="([^"]*)"/g, " = '$1'"),
      xml.replaceAll(/(<info [^>]*)\/>/g, "<!-- no more --> $1 ></info>"),
      xml.replaceAll(" complete_nodeset=", ' l8er:Name-1="x" complete_nodeset='),
      xml.replaceAll(/<object (type="\w+")([^>/]*)/g, "<object$2 $1"),
    ]) {
      assert.not.equal(other, xml);
      assert.equal(facts(other), plain, other.slice(0, 600));
    }
  }
});

testUnless(test, noHwloc, "hwloc refuses broken XML by its place", () => {
  const without = (pattern: RegExp) => sample.replace(pattern, "");
  for (const [xml, message] of [
    ["<topology", /line 1, column 10: expected an attribute, > or \/> in <topology>, got the end of the text/],
    [sample.slice(0, sample.indexOf("<object") + 9), /line 4, column \d+: expected an attribute/],
    [sample.slice(0, sample.indexOf("</topology")), /expected <\/topology>, as <topology> is open/],
    [
      without(/ complete_cpuset="[^"]*"/),
      /line 4, column 3: expected a set .* as complete_cpuset of the object Machine/,
    ],
    [without(/(?<=type="PU"[^>]*) complete_cpuset="[^"]*"/), /as complete_cpuset of the object PU, got none/],
    [sample.replace('"PU"', '"Nonsense"'), /expected an object of a type of hwloc, as PU or Core, got "Nonsense"/],
    [sample.replace('nbobjs="2"', 'nbobjs="65536"'), /expected from 1 to 4096 as nbobjs, got "65536"/],
    [sample.replace('cpuset="0x000000ff"', 'cpuset="0x000001ff"'), /expected a cpuset that is part of complete_cpuset/],
    [sample.replace("<object", `${"<object>".repeat(200)}<object`), /expected at most 128 levels/],
    [sample.replace(/<object[\s\S]*<\/object>/, ""), /expected an object as the first element in topology/],
    [sample.replace("</topology>", "</topology><x/>"), /expected nothing behind the root element/],
    [sample.replace("Bandwidth", "&bandwidth;"), /expected &amp; or another entity of XML/],
  ] as const) {
    const error = thrownBy(() => openTopology({ xml })) as HwlocError;
    assert.instance(error, HwlocError);
    assert.is(error.code, "ERR_HWLOC_SOURCE");
    assert.match(error.message, message);
    assert.match(error.message, /^libhwloc cannot load the XML text: line \d+.* Write one with: lstopo --of xml/);
  }
});

testUnless(test, noHwloc, "hwloc survives XML with random faults", async () => {
  const outcomes = await runCases(new URL("./mutated.program.js", import.meta.url), rounds(300, 10_000));
  assert.ok((outcomes.loaded ?? 0) > 10 && (outcomes.refused ?? 0) > 100, JSON.stringify(outcomes));
});

test.run();
