import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError, HwlocError, UsageError } from "../../../src/ground/base/errors.ts";
import { fingerprint } from "../../../src/machine/model/fingerprint.ts";
import type { Topology } from "../../../src/machine/model/machine-model.ts";
import { readHwloc } from "../../../src/machine/topology/hwloc.ts";
import { readSysfs } from "../../../src/machine/topology/sysfs.ts";
import { guessCores, readSystemInformation } from "../../../src/machine/topology/system-information.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { testUnless } from "../../support/skip.ts";
import { thrownBy } from "../../support/thrown.ts";
import { inChild, moduleUrl, noHwloc, noPinning, noSysfs } from "../surroundings.ts";
import { expected, writeTwoSockets } from "../two-sockets.ts";

const test = suite("topology");
const SYNTHETIC = "pack:2 [numa] l3:4 core:8 pu:2";

const rows = (topology: Topology) => topology.cpus.map((cpu) => [cpu.cpu, cpu.core, cpu.l3, cpu.numa, cpu.package]);

/** A virtual machine may hide its caches from the kernel; hwloc then asks the CPU. */
const hidesCaches = existsSync("/sys/devices/system/cpu/cpu0") && !existsSync("/sys/devices/system/cpu/cpu0/cache");

// memory may come and go on a virtual machine between two readings
function shape(topology: Topology): unknown {
  const { brand, isThisMachine, quota } = topology;
  const cpus = hidesCaches ? topology.cpus.map((cpu) => ({ ...cpu, l3: null })) : topology.cpus;
  const caches = hidesCaches ? [] : topology.caches;
  const numaNodes = topology.numaNodes.map(({ node, cpus: near }) => ({ node, near }));
  return { brand, isThisMachine, cpus, caches, quota, numaNodes };
}

/** What readTopology() says in a process with these settings. */
function chain(env: Record<string, string>): Topology {
  const code = `
    import { readTopology } from ${JSON.stringify(moduleUrl("topology/topology"))};
    console.log(JSON.stringify(await readTopology()));`;
  const clean = { TUNDISH_LIBHWLOC: "", TUNDISH_SYS: "", TUNDISH_NATIVE: "" };
  return JSON.parse(inChild(code, { ...clean, ...env }));
}

testUnless(test, noHwloc ?? noSysfs, "hwloc and sysfs agree on this machine", () => {
  const [a, b] = [readHwloc(), readSysfs("/sys")];
  assert.equal(shape(a), shape(b));
  if (hidesCaches) assert.match(b.notes.join("\n"), /no cpu\*\/cache: which cores share a cache is unknown/);
  else assert.is(fingerprint(a), fingerprint(b));
  assert.is(a.isThisMachine, true);
  assert.ok(a.cpus.some((cpu) => cpu.allowed));
});

testUnless(test, noSysfs, "sysfs tells a two-socket machine with an offline CPU", () => {
  const root = writeTwoSockets();
  try {
    const topology = readSysfs(join(root, "sys"));
    assert.equal(rows(topology), expected);
    assert.is(topology.isThisMachine, false);
    assert.is(topology.quota, null);
    assert.is(topology.memoryBytes, 32 * 2 ** 30);
    assert.ok(topology.cpus.every((cpu) => cpu.allowed));
    assert.equal(
      topology.caches.filter((cache) => cache.level === 3),
      [
        [0, 1, 8, 9],
        [2, 3, 10, 11],
        [4, 5, 12, 13],
        [6, 7, 14],
      ].map((cpus) => ({ level: 3, type: "unified", bytes: 16 * 2 ** 20, lineBytes: 64, cpus })),
    );
    assert.is(topology.caches.filter((cache) => cache.type === "instruction").length, 8);
    assert.equal(topology.notes, []);
  } finally {
    rmSync(root, { recursive: true });
  }
});

testUnless(test, noHwloc ?? noSysfs, "hwloc and sysfs agree on the files of a two-socket machine", () => {
  const root = writeTwoSockets();
  try {
    const code = `
      import { readHwloc } from ${JSON.stringify(moduleUrl("topology/hwloc"))};
      console.log(JSON.stringify(readHwloc()));`;
    const byHwloc = JSON.parse(inChild(code, { HWLOC_FSROOT: root, HWLOC_COMPONENTS: "linux,stop" }));
    const bySysfs = readSysfs(join(root, "sys"));
    assert.equal(rows(byHwloc), expected);
    assert.equal({ ...byHwloc, source: 0, brand: 0 }, { ...bySysfs, source: 0, brand: 0 });
    assert.is(byHwloc.brand, "Two Sockets");
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a /sys that tells little costs notes, not an error", () => {
  const root = writeTwoSockets();
  try {
    for (let cpu = 0; cpu < 15; cpu++) {
      rmSync(join(root, `sys/devices/system/cpu/cpu${cpu}`), { recursive: true });
    }
    rmSync(join(root, "sys/devices/system/node"), { recursive: true });
    const topology = readSysfs(join(root, "sys"));
    assert.equal(
      rows(topology),
      expected.map(([cpu]) => [cpu, cpu, null, null, null]),
    );
    assert.is(topology.notes.length, 3);
    for (const [i, word] of ["core", "cache", "NUMA"].entries()) assert.match(topology.notes[i] ?? "", word);
  } finally {
    rmSync(root, { recursive: true });
  }
});

testUnless(test, noHwloc, "hwloc: a synthetic machine as a topology", async () => {
  const topology = await readTopology({ synthetic: SYNTHETIC });
  assert.equal(
    rows(topology),
    Array.from({ length: 128 }, (_, cpu) => [cpu, cpu >> 1, cpu >> 4, cpu >> 6, cpu >> 6]),
  );
  assert.is(topology.isThisMachine, false);
  assert.is(topology.quota, null);
  assert.match(topology.brand, SYNTHETIC);
});

testUnless(test, noHwloc, "hwloc: siblings that are not side by side get one core", async () => {
  const topology = await readTopology({ synthetic: "pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)" });
  const cores = new Map<number, number[]>();
  for (const { cpu, core } of topology.cpus) cores.set(core, [...(cores.get(core) ?? []), cpu]);
  assert.equal(
    [...cores],
    [
      [0, [0, 4]],
      [1, [1, 5]],
      [2, [2, 6]],
      [3, [3, 7]],
    ],
  );
});

testUnless(test, noHwloc, "hwloc: memory near no CPU of its own does not hide the node of a CPU", async () => {
  // each package has ordinary memory, each group of cores in it memory of its own
  const topology = await readTopology({ synthetic: "pack:2 [numa] group:2 [numa] core:2 pu:1" });
  const nodes = topology.numaNodes;
  for (const cpu of topology.cpus) {
    const mine = nodes.find((node) => node.node === cpu.numa);
    assert.is(mine?.cpus.length, 2);
    assert.ok(mine?.cpus.includes(cpu.cpu));
  }
});

testUnless(test, noHwloc, "hwloc: XML by path or text; two inputs are one too many", async () => {
  const { openTopology } = await import("node-hwloc");
  const hwloc = openTopology({ synthetic: SYNTHETIC });
  const xml = hwloc.exportXml();
  hwloc.close();
  const [byXml, bySynthetic] = [await readTopology({ xml }), await readTopology({ synthetic: SYNTHETIC })];
  assert.equal(rows(byXml), rows(bySynthetic));
  for (const [from, type] of [
    [{ xml, synthetic: "pu:1" }, UsageError],
    [{ xml: "/nowhere.xml" }, HwlocError],
    [{ synthetic: "pack:" }, HwlocError],
  ] as const) {
    try {
      await readTopology(from);
      assert.unreachable(JSON.stringify(from));
    } catch (error) {
      assert.ok(error instanceof type, `${error}`);
    }
  }
});

test("without native code another machine is refused, and what to install is said", async () => {
  const code = `
    import { readHwloc } from ${JSON.stringify(moduleUrl("topology/hwloc"))};
    try { readHwloc({ synthetic: "pu:2" }); } catch (error) { console.log(error.code, error.message); }`;
  assert.match(inChild(code, { TUNDISH_NATIVE: "off" }), /^ERR_TUNDISH_NO_HWLOC .*koffi.*npm install koffi/);
});

testUnless(test, noHwloc, "what is neither XML nor a path, and text that is not UTF-8", async () => {
  const utf16 = Buffer.from(`\ufeff<?xml version="1.0"?>\n<topology>${" ".repeat(2000)}`, "utf16le");
  const swapped = Buffer.from(utf16).swap16();
  const isUtf16 = /^libhwloc cannot load the XML text: line 1, column 1: expected UTF-8, got UTF-16\./;
  const isNone = /^xml: expected XML or the path of a file, got /;
  for (const [xml, type, message] of [
    ...["latin1", "utf8"].flatMap((as) =>
      [utf16, swapped].map((bytes) => [bytes.toString(as as BufferEncoding), HwlocError, isUtf16] as const),
    ),
    [utf16.toString("latin1", 2), HwlocError, isUtf16],
    [swapped.toString("latin1", 2), HwlocError, isUtf16],
    ["", UsageError, /^xml: expected XML or the path of a file, got ""/],
    [" \n", UsageError, isNone],
    [5 as never, UsageError, isNone],
    ["x".repeat(5000), HwlocError, /^Cannot read the XML file "x{199}…: ENAMETOOLONG/],
    ["x\n".repeat(5000), HwlocError, /^Cannot read the XML file "x\\nx.*…: ENAMETOOLONG/],
  ] as const) {
    const error = await readTopology({ xml }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof type, `${error}`);
    assert.match(error.message, message);
    assert.ok(error.message.length < 600, `${error.message.length} characters`);
  }
});

testUnless(test, noHwloc, "hwloc: errors of the binding are those of this package", () => {
  for (const [from, type, code] of [
    [{ synthetic: "pack:" }, HwlocError, "ERR_HWLOC_SOURCE"],
    [{ synthetic: 5 as never }, UsageError, "ERR_HWLOC_USAGE"],
  ] as const) {
    const error = thrownBy(() => readHwloc(from));
    assert.ok(error instanceof type, `${error}`);
    assert.is((error.cause as { code?: string }).code, code);
  }
  const code = `
    import { readHwloc } from ${JSON.stringify(moduleUrl("topology/hwloc"))};
    try { readHwloc(); } catch (error) { console.log(error.code, error.cause.code); }`;
  assert.is(inChild(code, { TUNDISH_LIBHWLOC: "/nowhere.so" }), "ERR_TUNDISH_NO_HWLOC ERR_HWLOC_MISSING\n");
});

test("a list of CPUs in /sys that is none is an EnvironmentError", () => {
  const root = writeTwoSockets();
  try {
    writeFileSync(join(root, "sys/devices/system/cpu/online"), "0-x\n");
    const error = thrownBy(() => readSysfs(join(root, "sys")));
    assert.ok(error instanceof EnvironmentError, `${error}`);
    assert.match(error.message, /Expected a CPU list .*"0-x".*TUNDISH_SYS/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("systeminformation tells the totals", async () => {
  const topology = await readSystemInformation();
  assert.is(topology.source, "systeminformation");
  assert.ok(topology.cpus.length >= 1);
  assert.ok(topology.cpus.every((cpu) => cpu.l3 === null && cpu.numa === null));
  assert.equal(guessCores([0, 1, 2, 3], 2, false), [
    [0, 2],
    [1, 3],
  ]);
  assert.equal(guessCores([0, 1, 2, 3], 2, true), [
    [0, 1],
    [2, 3],
  ]);
  assert.equal(guessCores([0, 1, 2], 2, true), [[0], [1], [2]]);
  assert.equal(guessCores([0, 1], 0, true), [[0], [1]]);
});

testUnless(test, noHwloc, "hwloc comes first, and no note is needed", () => {
  const topology = chain({});
  assert.is(topology.source, "hwloc");
  assert.equal(topology.notes, []);
});

testUnless(test, noSysfs ?? noPinning, "without libhwloc /sys is read, with one note", () => {
  for (const library of ["off", "/nowhere/libhwloc.so.15"]) {
    const topology = chain({ TUNDISH_LIBHWLOC: library });
    assert.is(topology.source, "sysfs");
    assert.is(topology.notes.length, hidesCaches ? 2 : 1);
    assert.match(topology.notes[0] as string, /libhwloc.*cannot be read.*apt-get install libhwloc15/);
  }
});

testUnless(test, noSysfs, "without koffi /sys is read, with one note", () => {
  const topology = chain({ TUNDISH_NATIVE: "off" });
  assert.is(topology.source, "sysfs");
  assert.is(topology.notes.length, hidesCaches ? 2 : 1);
  assert.match(topology.notes[0] as string, /koffi.*pinned.*libhwloc/);
});

testUnless(test, noPinning, "without libhwloc and /sys systeminformation is read, with two notes", () => {
  for (const sys of ["off", "/nowhere"]) {
    const topology = chain({ TUNDISH_LIBHWLOC: "off", TUNDISH_SYS: sys });
    assert.is(topology.source, "systeminformation");
    assert.is(topology.notes.length, 2);
    assert.match(topology.notes[1] as string, /caches and NUMA nodes are unknown/);
  }
});

test("another machine cannot be read with libhwloc off: hwloc is named", () => {
  const code = `
    import { readTopology } from ${JSON.stringify(moduleUrl("topology/topology"))};
    await readTopology({ synthetic: "pu:2" }).catch((error) => console.log(error.code, error.message));`;
  const said = inChild(code, { TUNDISH_LIBHWLOC: "off" });
  assert.match(said, /^ERR_TUNDISH_NO_HWLOC .*TUNDISH_LIBHWLOC=off.*apt-get install libhwloc15/);
});

testUnless(test, noPinning, "only CPUs in the process's mask are allowed, whatever the source", () => {
  const code = `
    import { pinThread, readBinding } from ${JSON.stringify(moduleUrl("topology/affinity"))};
    import { readTopology } from ${JSON.stringify(moduleUrl("topology/topology"))};
    const last = readBinding().at(-1);
    pinThread(last);
    const { source, cpus } = await readTopology();
    console.log(JSON.stringify([source, last, cpus.filter((cpu) => cpu.allowed).map((cpu) => cpu.cpu)]));`;
  for (const [library, sys] of [
    ["", ""],
    ["off", ""],
    ["off", "off"],
  ] as const) {
    const [source, last, allowed] = JSON.parse(inChild(code, { TUNDISH_LIBHWLOC: library, TUNDISH_SYS: sys }));
    assert.equal(allowed, [last], source);
  }
});

test.run();
