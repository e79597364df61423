import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import {
  HwlocError,
  type HwlocObject,
  type HwlocTopology,
  HwlocUsageError,
  hwlocVersion,
  NoHwlocError,
  openTopology,
} from "node-hwloc";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fromSource, inChild, noHwloc, noLstopo } from "../machine/surroundings.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";
import { thrownBy } from "../support/thrown.ts";
import type { Answer } from "./pinned.worker.ts";

const test = suite("node-hwloc");
const TYPES = ["Machine", "Package", "Group", "NUMANode", "L3Cache", "L2Cache", "L1Cache", "Core", "PU"];

function everything(topology: HwlocTopology): HwlocObject[] {
  const depths = [...Array.from({ length: topology.depth }, (_, depth) => depth), -3];
  return depths.flatMap((depth) => topology.objectsAtDepth(depth));
}

function opened<T>(source: Parameters<typeof openTopology>[0], use: (topology: HwlocTopology) => T): T {
  const topology = openTopology(source);
  try {
    return use(topology);
  } finally {
    topology.close();
  }
}

/** [type, os_index, cpus] of the objects in hwloc's XML, in the order of the document. */
function objectsOfXml(xml: string): [string, number, number[]][] {
  return [...xml.matchAll(/<object type="(\w+)"(?: os_index="(\d+)")?[^>]*? cpuset="([^"]*)"/g)].map(
    ([, type = "", index, cpuset = ""]) => {
      const cpus: number[] = [];
      const words = cpuset.split(",").reverse();
      words.forEach((word, i) => {
        for (let bit = 0; bit < 32; bit++) if ((Number(word) >>> bit) & 1) cpus.push(32 * i + bit);
      });
      return [type, Number(index), cpus];
    },
  );
}

testUnless(test, noHwloc, "hwloc reads this machine as /proc tells it", () => {
  opened({}, (topology) => {
    const online = [...readFileSync("/proc/cpuinfo", "utf8").matchAll(/^processor\s*: (\d+)$/gm)].map((match) =>
      Number(match[1]),
    );
    assert.equal(
      topology.objects("PU").map((pu) => pu.osIndex),
      online,
    );
    assert.equal(topology.objectsAtDepth(0)[0]?.cpuset, online);
    assert.is(topology.isThisSystem, true);
    assert.match(topology.version, /^2\.\d+$/);
    assert.is(hwlocVersion(), topology.version);
    assert.equal(topology.objectsAtDepth(-3), topology.objects("NUMANode"));
    const allowed = new Set(topology.allowedCpus);
    assert.ok(topology.threadBinding().every((cpu) => allowed.has(cpu)));
  });
});

testUnless(test, noHwloc, "hwloc reads an exported XML as the topology it came from", () => {
  const folder = mkdtempSync(join(tmpdir(), "tundish-hwloc-"));
  try {
    opened({}, (here) => {
      const xml = here.exportXml();
      const xmlFile = join(folder, "here.xml");
      writeFileSync(xmlFile, xml);
      for (const source of [{ xml }, { xmlFile }]) {
        opened(source, (copy) => {
          assert.equal(everything(copy), everything(here));
          assert.equal(copy.allowedCpus, here.allowedCpus);
          assert.is(copy.isThisSystem, false);
        });
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

testUnless(test, noHwloc, "hwloc makes the synthetic pack:2 [numa] l3:4 core:8 pu:2", () => {
  opened({ synthetic: "pack:2 [numa] l3:4 core:8 pu:2" }, (topology) => {
    const count = (type: string) => topology.objects(type).length;
    assert.equal(TYPES.map(count), [1, 2, 0, 2, 8, 0, 0, 64, 128]);
    assert.is(topology.depth, 5);
    const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
    assert.equal(topology.objects("Package")[1]?.cpuset, range(64, 64));
    assert.equal(topology.objects("NUMANode")[1]?.cpuset, range(64, 64));
    assert.equal(topology.objects("NUMANode")[1]?.nodeset, [1]);
    assert.equal(topology.objects("L3Cache")[7]?.cpuset, range(112, 16));
    assert.equal(topology.objects("Core")[63]?.cpuset, [126, 127]);
    const l3 = topology.objects("L3Cache")[3];
    assert.is(l3?.type, "L3Cache");
    assert.is(l3?.logicalIndex, 3);
    assert.is(l3?.cache?.level, 3);
    assert.ok(l3?.attributes.startsWith("size="));
    assert.is(topology.objects("PU")[77]?.osIndex, 77);
  });
});

testUnless(test, noHwloc, "hwloc's objects are those of its XML, for any shape", () => {
  const shape = fc.record({
    groups: fc.integer({ min: 1, max: 3 }),
    packages: fc.integer({ min: 1, max: 3 }),
    caches: fc.integer({ min: 1, max: 3 }),
    cores: fc.integer({ min: 1, max: 5 }),
    threads: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(shape, ({ groups, packages, caches, cores, threads }) => {
      const synthetic = `group:${groups} group:2 [numa] pack:${packages} l3:${caches} core:${cores} pu:${threads}`;
      opened({ synthetic }, (topology) => {
        const xml = topology.exportXml();
        const inXml = objectsOfXml(xml);
        for (const type of TYPES) {
          const mine = topology.objects(type).map(({ osIndex, cpuset }) => [osIndex ?? Number.NaN, cpuset]);
          const its = inXml.filter((object) => object[0] === type).map((object) => object.slice(1));
          const sorted = (list: unknown[]) => list.map((item) => JSON.stringify(item)).sort();
          assert.equal(sorted(mine), sorted(its), `${type} of ${synthetic}`);
        }
        assert.is(topology.objects("PU").length, groups * 2 * packages * caches * cores * threads);
        opened({ xml }, (copy) => assert.equal(everything(copy), everything(topology)));
      });
    }),
    { numRuns: 40 },
  );
});

testUnless(test, noHwloc, "hwloc's tree is walked down and up, its memory apart", () => {
  opened({ synthetic: "pack:2 [numa] l3:2 core:2 pu:2" }, (topology) => {
    const names = (objects: HwlocObject[]) => objects.map(({ type, logicalIndex }) => `${type} ${logicalIndex}`);
    const { root } = topology;
    assert.is(root.type, "Machine");
    assert.is(topology.parent(root), null);
    assert.equal(names(topology.children(root)), ["Package 0", "Package 1"]);
    assert.equal(topology.memoryChildren(root), []);
    const second = topology.children(root)[1] as HwlocObject;
    assert.equal(names(topology.memoryChildren(second)), ["NUMANode 1"]);
    assert.equal(names(topology.children(second)), ["L3Cache 2", "L3Cache 3"]);
    const [node] = topology.objects("NUMANode");
    assert.equal(topology.children(node as HwlocObject), []);
    assert.is(topology.parent(node as HwlocObject)?.type, "Package");
    const reached = (object: HwlocObject): HwlocObject[] => {
      const below = [...topology.memoryChildren(object), ...topology.children(object)];
      for (const child of below) assert.equal(topology.parent(child), object);
      return [object, ...below.flatMap(reached)];
    };
    const sorted = (objects: HwlocObject[]) => objects.map((object) => JSON.stringify(object)).sort();
    assert.equal(sorted(reached(root)), sorted(everything(topology)));
    opened({ synthetic: "core:1 pu:4" }, (other) => {
      const strangers = [
        topology.objects("PU")[15], // no such index
        topology.objects("Package")[0], // another type at its place
        { ...root, depth: 0.5 },
        { ...root, depth: 2 ** 40 },
        { ...root, logicalIndex: -1 },
        {},
        null,
        5,
      ];
      for (const stranger of strangers) {
        for (const call of ["parent", "children", "memoryChildren"] as const) {
          const error = thrownBy(() => other[call](stranger as HwlocObject));
          assert.ok(error instanceof HwlocUsageError, `${error}`);
          assert.match(error.message, `${call}() expected an object of this topology, got `);
        }
      }
    });
  });
});

testUnless(test, noLstopo, "hwloc agrees with lstopo on this machine", () => {
  const lstopo = (...args: string[]) => execFileSync("lstopo-no-graphics", args, { encoding: "utf8" });
  opened({}, (here) => {
    opened({ xml: lstopo("--of", "xml") }, (its) => {
      const facts = (topology: HwlocTopology) =>
        everything(topology).map(({ type, depth, logicalIndex, osIndex, cpuset, nodeset, cache }) => {
          return { type, depth, logicalIndex, osIndex, cpuset, nodeset, cache };
        });
      assert.equal(facts(here), facts(its));
    });
    const numbers = [...lstopo("--only", "pu").matchAll(/P#(\d+)/g)].map((match) => Number(match[1]));
    const allowed = new Set(here.allowedCpus);
    const pus = here.objects("PU").map((pu) => pu.osIndex as number);
    assert.equal(
      pus.filter((cpu) => allowed.has(cpu)),
      numbers,
    );
  });
});

testUnless(test, noHwloc, "hwloc binds the calling thread and reads it back", () => {
  opened({}, (topology) => {
    const before = topology.threadBinding();
    try {
      for (const cpu of before) {
        topology.bindThread([cpu]);
        assert.equal(topology.threadBinding(), [cpu]);
        const status = readFileSync("/proc/thread-self/status", "utf8");
        assert.is(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1], `${cpu}`);
      }
    } finally {
      topology.bindThread(before);
    }
    assert.equal(topology.threadBinding(), before);
    assert.throws(
      () => topology.bindThread([4095]),
      (error: Error) => error instanceof HwlocError && /bind this thread to CPU 4095 .*EINVAL/.test(error.message),
    );
    for (const cpus of [[], [-1], [0.5], [2 ** 20], 0 as never, null as never, "0" as never]) {
      assert.throws(
        () => topology.bindThread(cpus),
        (error: Error) => error instanceof HwlocUsageError,
      );
    }
  });
  opened({ synthetic: "pu:2" }, (other) => {
    assert.throws(
      () => other.bindThread([0]),
      (error: Error) =>
        error instanceof HwlocUsageError && error.message.includes("needs the topology of this machine"),
    );
  });
});

/** XML in UTF-16 that was read as something else. */
const utf16 = (as: BufferEncoding) => Buffer.from('\ufeff<?xml version="1.0"?>\n<topology/>', "utf16le").toString(as);

testUnless(test, noHwloc, "hwloc's refusals name the input and what to do", () => {
  const cases: [Parameters<typeof openTopology>[0], typeof HwlocError | typeof NoHwlocError, RegExp][] = [
    [{ synthetic: "pack:2 nonsense:3" }, HwlocError, /description "pack:2 nonsense:3".*A valid one is/],
    [{ synthetic: "" }, HwlocError, /description "".*A valid one is/],
    [{ xml: "<topology" }, HwlocError, /the XML text.*lstopo --of xml/],
    [{ xml: "" }, HwlocError, /the XML text/],
    [{ xml: utf16("latin1") }, HwlocError, /the XML text: line 1, column 1: expected UTF-8, got UTF-16/],
    [{ xml: utf16("utf8") }, HwlocError, /expected UTF-8, got UTF-16/],
    [{ xml: utf16("latin1").slice(2) }, HwlocError, /expected UTF-8, got UTF-16/],
    [{ xmlFile: "" }, HwlocUsageError, /expected the path of a file as its xmlFile, got ""/],
    [{ xmlFile: "x\n".repeat(5000) }, HwlocError, /^.{0,600}$/],
    [{ synthetic: "x".repeat(5000) }, HwlocError, /^.{0,600}$/],
    [{ xmlFile: "/nowhere/x.xml" }, HwlocError, /\/nowhere\/x\.xml: ENOENT.*lstopo --of xml/],
    [{ library: "libno-such.so.1" }, NoHwlocError, /at libno-such\.so\.1.*apt-get install libhwloc15/],
    [{ library: "libc.so.6" }, NoHwlocError, /2\.x at libc\.so\.6.*hwloc_get_api_version/],
  ];
  for (const [source, type, message] of cases) {
    assert.throws(
      () => openTopology(source),
      (error: Error) => error instanceof type && message.test(error.message),
      JSON.stringify(source),
    );
  }
  for (const [source, code, systemError] of [
    [{ synthetic: "pack:" }, "ERR_HWLOC_SOURCE", "EINVAL"],
    [{ xmlFile: "/nowhere/x.xml" }, "ERR_HWLOC_SOURCE", "ENOENT"],
    [{ library: "libc.so.6" }, "ERR_HWLOC_MISSING", undefined],
    [{ xml: 5 as never }, "ERR_HWLOC_USAGE", undefined],
  ] as const) {
    const error = thrownBy(() => openTopology(source)) as HwlocError;
    assert.equal([error.code, error.systemError], [code, systemError]);
    assert.ok(error instanceof HwlocError && error instanceof Error);
    assert.is(error.name, error.constructor.name);
  }
  assert.throws(
    () => openTopology({ xml: "<topology/>", synthetic: "pu:1" }),
    (error: Error) => error instanceof HwlocUsageError && error.message.includes("xml and synthetic"),
  );
  opened({ synthetic: "pu:1" }, (topology) =>
    assert.throws(
      () => topology.objects("Nonsense"),
      (error: Error) => error instanceof HwlocUsageError && error.message.includes('"Nonsense"'),
    ),
  );
});

test("what is no source is refused before libhwloc is opened", () => {
  for (const [source, message] of [
    [5, /expected \{ xmlFile, xml, synthetic, library \}, got 5/],
    [null, /expected \{ .* \}, got null/],
    ["pu:2", /expected \{ .* \}, got "pu:2"/],
    [{ xml: 5 }, /expected a string as its xml, got 5/],
    [{ xmlFile: new URL("file:///x.xml") }, /expected a string as its xmlFile, got file:\/\/\/x\.xml/],
    [{ synthetic: ["pu:2"] }, /expected a string as its synthetic, got \[ 'pu:2' \]/],
    [{ library: null }, /expected a string as its library, got null/],
  ] as const) {
    assert.throws(
      () => openTopology(source as never),
      (error: Error) => error instanceof HwlocUsageError && message.test(error.message),
      String(message),
    );
  }
});

testUnless(test, noHwloc, "hwloc's levels are whole numbers, its types strings", () => {
  opened({ synthetic: "core:2 pu:1" }, (topology) => {
    for (const depth of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "0", null, undefined]) {
      assert.throws(
        () => topology.objectsAtDepth(depth as number),
        (error: Error) =>
          error instanceof HwlocUsageError &&
          error.message.includes("expected a level, 0 for the Machine to 2 for the PUs, or -3"),
        String(depth),
      );
    }
    assert.equal(topology.objectsAtDepth(99), []);
    assert.throws(
      () => topology.objects(5 as never),
      (error: Error) => error instanceof HwlocUsageError && error.message.includes("such as Package"),
    );
  });
});

testUnless(test, noHwloc, "hwloc's topology is of no use once closed, and closes twice", () => {
  const topology = openTopology({ synthetic: "pu:2" });
  const [first] = topology.objects("PU");
  topology[Symbol.dispose]();
  topology.close();
  const uses: (() => unknown)[] = [
    () => topology.depth,
    () => topology.isThisSystem,
    () => topology.allowedCpus,
    () => topology.objects("PU"),
    () => topology.objectsAtDepth(0),
    () => topology.root,
    () => topology.parent(first as HwlocObject),
    () => topology.children(first as HwlocObject),
    () => topology.memoryChildren(first as HwlocObject),
    () => topology.exportXml(),
    () => topology.bindThread([0]),
    () => topology.threadBinding(),
  ];
  for (const use of uses) {
    assert.throws(use, (error: Error) => error instanceof HwlocUsageError && error.message.includes("closed"));
  }
  assert.equal(first?.cpuset, [0]);
});

test("an hwloc API other than 2.x is refused by its number", async () => {
  const file = pathToFileURL(join(root, "packages/node-hwloc/dist/library.js")).href;
  const { checkVersion } = (await import(file)) as { checkVersion(name: string, api: number): string };
  assert.is(checkVersion("libhwloc", 0x20800), "2.8");
  assert.is(checkVersion("libhwloc", 0x20c00), "2.12");
  for (const [api, version] of [
    [0x10b00, "1.11"],
    [0x30000, "3.0"],
  ] as const) {
    assert.throws(
      () => checkVersion("libhwloc", api),
      (error: Error) => error instanceof NoHwlocError && error.message.includes(`API ${version}`),
    );
  }
});

// the example asks for the default libhwloc
testUnless(test, noHwloc, "hwloc: the README's example prints what the README says", () => {
  const readme = readFileSync(join(root, "packages/node-hwloc/README.md"), "utf8");
  const [, code = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ""] = /prints\n\n```\n(.*?)```/s.exec(readme) ?? [];
  assert.is(inChild(code), output);
});

testUnless(
  test,
  noHwloc ?? (fromSource ? "workers cannot load TypeScript on Node 20; runs built" : null),
  "hwloc in 8 workers at once: each is pinned and reads it back, the main thread is not touched",
  async () => {
    const before = opened({}, (topology) => topology.threadBinding());
    const workers = Array.from({ length: 8 }, async (_, i) => {
      const cpu = before[i % before.length] as number;
      const worker = new Worker(new URL("./pinned.worker.js", import.meta.url), { workerData: cpu });
      const ended = once(worker, "exit");
      const [answer] = (await once(worker, "message")) as [Answer];
      assert.equal(answer, { byHwloc: [cpu], byMask: [cpu], running: cpu, byProc: `${cpu}` });
      assert.equal(await ended, [0]);
    });
    await Promise.all(workers);
    assert.equal(
      opened({}, (topology) => topology.threadBinding()),
      before,
    );
  },
);

test.run();
