/** docs/errors.md has every code, with its class, and messages that are real; and every warning. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog } from "../../src/facilities/store/log/open.ts";
import * as errors from "../../src/ground/base/errors.ts";
import { barrier, launch } from "../../src/index.ts";
import { parseMachine, writeMachine } from "../../src/machine/model/model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { fixture, root } from "../support/paths.ts";
import { rejected, thrown } from "../support/thrown.ts";

const test = suite("the page on errors");
const page = readFileSync(join(root, "docs/errors.md"), "utf8");
const sections = page.split(/^## /m).slice(1);
const entries = sections.flatMap((section) => {
  const [, code, name, from, example] =
    /^(ERR_TUNDISH_[A-Z_]+)\n\n`(\w+)`(?: of ((?:`tundish\/\w+`(?: and )?)+))?:(?:.*?\n)+?> (.*)\n/.exec(section) ?? [];
  if (code === undefined) return [];
  const places = from === undefined ? ["index"] : [...from.matchAll(/\/(\w+)/g)].map(([, place]) => place as string);
  return [{ code, name: name as string, places, example: example as string }];
});
/** The codes, as the source lists them. */
const codes = /type TundishErrorCode =(.*?);/s
  .exec(readFileSync(join(root, "src/ground/base/errors.ts"), "utf8"))?.[1]
  ?.match(/ERR_TUNDISH_[A-Z_]+/g);

test("it has each code once, in the order of the source, and no other", () => {
  assert.equal(
    entries.map(({ code }) => code),
    codes,
  );
  const mentioned = new Set(page.match(/ERR_TUNDISH_[A-Z_]*[A-Z]/g));
  assert.equal([...mentioned].toSorted(), codes?.toSorted());
});

test("it has each class, with its code", () => {
  const classes = Object.entries(errors).flatMap(([name, value]) =>
    typeof value === "function" && Object.getPrototypeOf(value) === errors.TundishError ? [name] : [],
  );
  assert.equal(entries.map(({ name }) => name).toSorted(), classes.toSorted());
  for (const { code, name } of entries) {
    const source = readFileSync(join(root, "src/ground/base/errors.ts"), "utf8");
    assert.match(
      source,
      new RegExp(`class ${name} extends TundishError \\{[^}]*?"${code}"|class ${name} .*?"${code}"`, "s"),
    );
  }
});

test("it says from which entry points each class is imported", async () => {
  const ofEntry = new Map<string, object>();
  for (const file of readdirSync(join(root, "src"))) {
    if (file.endsWith(".ts"))
      ofEntry.set(file.slice(0, -3), await import(new URL(`../../src/${file.slice(0, -3)}.js`, import.meta.url).href));
  }
  for (const { name, places } of entries) {
    const found = [...ofEntry].filter(([, names]) => Object.hasOwn(names, name)).map(([place]) => place);
    assert.equal(found.toSorted(), places.toSorted(), name);
  }
});

const dir = mkdtempSync(join(tmpdir(), "tundish-errors-"));
test.after(() => rmSync(dir, { recursive: true, force: true }));
const program = new URL("./errors.program.js", import.meta.url);
const running = (what: string, options: object = {}) =>
  rejected(() => launch(program, { pes: 2, args: [what], timeout: 20_000, ...options }));

/** A log that is as it was not written. */
function spoiltLog(): string {
  const folder = join(dir, "corrupt");
  const log = openLog(folder);
  for (const index of [1, 2, 3]) log.append([{ index, command: new Uint8Array(100) }]);
  log.close();
  const file = readdirSync(folder)
    .map((name) => join(folder, name))
    .find((path) => readFileSync(path).length > 200);
  const content = readFileSync(file as string);
  content[60] = 7;
  writeFileSync(file as string, content);
  return folder;
}

test("the messages are real", async () => {
  const machine = parseMachine(JSON.parse(readFileSync(fixture("machines", "c2c-aws-graviton3.json"), "utf8")));
  const open = openLog(join(dir, "open"));
  writeFileSync(join(dir, "file"), "");
  const messages: string[] = [
    ...((await launch(program, { pes: 2, args: [], timeout: 20_000 }))[0] as string[]),
    await running("throws"),
    await running("differs"),
    await running("waits", { timeout: 500 }),
    await running("waits", { signal: AbortSignal.timeout(300) }),
    await rejected(async () => {
      const run = launch(program, { pes: 2, args: ["waits"] });
      setTimeout(() => void run.close(), 300);
      await run;
    }),
    thrown(() => barrier()),
    thrown(() => parseMachine({ schema: "tundish/machine@2" })),
    thrown(() => parsePlan({ schema: "tundish/plan@1", created: "2026-11-23", world: 5 })),
    await rejected(() => launch("./nothing.mjs")),
    await rejected(() => readTopology({ synthetic: "pack:two" })),
    await rejected(() => writeMachine(join(dir, "no/machine.json"), machine)),
    thrown(() => openLog(join(dir, "file", "log"))),
    thrown(() => openLog(join(dir, "open"))),
    thrown(() => openLog(spoiltLog())),
  ];
  open.close();
  const found = new Map(messages.map((message) => [/\[(\w+)\]$/.exec(message)?.[1], message]));
  // of what this machine may have, or lack
  const unseen = ["NO_HWLOC", "NATIVE", "MPI", "NO_MPI"].map((name) => `ERR_TUNDISH_${name}`);
  for (const { code, example } of entries) {
    if (unseen.includes(code)) continue;
    const message = found.get(code);
    if (code === "ERR_TUNDISH_HWLOC" && message === undefined) continue;
    const pattern = example.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const isReal = new RegExp(`^${pattern.join(".*")} \\[${code}\\]$`).test(String(message));
    if (!isReal) assert.is(message, `${example} [${code}]`);
  }
});

test("it has every warning", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true })
    .map((file) => join(root, "src", String(file)))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(file, "utf8"));
  const warnings = sources.flatMap((source) =>
    [...source.matchAll(/emitWarning\([^;]*?code: "(TUNDISH_[A-Z_]+)"/gs)].map(([, code]) => code),
  );
  const [, table = ""] = /^## Warnings\n(.*)/ms.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(TUNDISH_[A-Z_]+)`/gm)].map(([, code]) => code);
  assert.ok(warnings.length > 4);
  assert.equal(rows.toSorted(), [...new Set(warnings)].toSorted());
});

test.run();
