/** The topology that is kept between runs is that of this machine, this boot and this binding. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashDigits } from "../../../src/ground/base/hash.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";

const test = suite("known topology");
const folder = mkdtempSync(join(tmpdir(), "tundish-known-"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const program = new URL("./known.program.js", import.meta.url).pathname;
/** What a new process knows. */
function known(env: Record<string, string> = {}, ...before: string[]): Awaited<ReturnType<typeof readTopology>> {
  const [command = "", ...words] = [...before, process.execPath, program];
  const all = { ...process.env, TUNDISH_CACHE: folder, ...env };
  return JSON.parse(execFileSync(command, words, { env: all, encoding: "utf8" }));
}
const files = (): string[] => readdirSync(folder).filter((name) => name.startsWith("topology-"));
/** Changes what is kept, as if it had been found so. */
function change(file: string, by: (kept: { key: string; value: { brand: string; quota: unknown } }) => void): void {
  const kept = JSON.parse(readFileSync(join(folder, file), "utf8").split("\n")[1] as string);
  by(kept);
  const text = JSON.stringify(kept);
  writeFileSync(join(folder, file), `${hashDigits(text)}\n${text}`);
}

const here = await readTopology();
const isKept = here.source === "hwloc" && here.notes.length === 0;

test("it is what is read, in the first process and in the next", () => {
  const first = known();
  assert.equal({ ...first, memoryBytes: 0 }, { ...here, memoryBytes: 0 });
  assert.is(files().length, isKept ? 1 : 0);
  assert.equal({ ...known(), memoryBytes: 0 }, { ...here, memoryBytes: 0 });
});

if (isKept) {
  test("it is read from the file; the quota is not", () => {
    const [file] = files() as [string];
    change(file, ({ value }) => {
      value.brand = "kept";
      value.quota = 0.125;
    });
    assert.is(known().brand, "kept");
    assert.is(known().quota, here.quota);
  });

  test("after a reboot it is read anew", () => {
    const [file] = files() as [string];
    change(file, (kept) => {
      kept.key = kept.key.replace(/[0-9a-f]{4}$/, "none");
    });
    assert.is(known().brand, here.brand);
    assert.is(files().length, 1);
  });

  test("another binding, and other settings, have another one", () => {
    const [cpu] = here.cpus.filter(({ allowed }) => allowed).map((one) => one.cpu);
    const bound = known({}, "taskset", "-c", `${cpu}`);
    assert.equal(
      bound.cpus.filter(({ allowed }) => allowed).map((one) => one.cpu),
      [cpu],
    );
    assert.ok(known({ HWLOC_SYNTHETIC: "pack:1 core:3 pu:1", HWLOC_THISSYSTEM: "1" }).cpus.length === 3);
    assert.is(known({ TUNDISH_LIBHWLOC: "off" }).source, "sysfs");
    assert.equal(known().cpus, here.cpus);
  });
}

test.run();
