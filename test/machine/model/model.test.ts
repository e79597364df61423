import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError, ModelError } from "../../../src/ground/base/errors.ts";
import { replaceFile } from "../../../src/ground/base/replace-file.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { formatMachine, parseMachine, readMachine, writeMachine } from "../../../src/machine/model/model.ts";
import { fixture } from "../../support/paths.ts";
import { inChild, moduleUrl } from "../surroundings.ts";

const test = suite("model");
let folder = "";
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "tundish-model-"));
});
test.after(() => rmSync(folder, { recursive: true }));

function small(): Record<string, unknown> & { pes: Record<string, unknown>[]; send: unknown[][] } {
  return {
    schema: "tundish/machine@1",
    name: "three",
    source: "by hand",
    unit: "ns",
    measured: "never",
    pes: [0, 2, 4].map((cpu) => ({ cpu, core: cpu, numa: 0, package: null })),
    send: [
      [0, 1, 2],
      [3, 0, 4],
      [5, 6, 0],
    ],
    receive: [
      [0, 1.5, 2],
      [3, 0, 4],
      [5, 6, 0],
    ],
  };
}

/** What `internode.pes` has for one number of PEs. */
function onePE(latency: readonly number[]): object {
  const residual = { median: 0, worst: 0 };
  const gap = { message: 1, byte: 1, residual };
  return { pes: 1, alpha: 1, beta: 1, residual, latency, stream: latency, gap, overhead: 1 };
}

function refusal(document: unknown): ModelError {
  try {
    parseMachine(document);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(document)}`);
}

test("all 95 models of real machines load, as they are", async () => {
  const files = readdirSync(fixture("machines")).filter((file) => file.endsWith(".json"));
  assert.is(files.length, 95);
  for (const file of files) {
    const model = await readMachine(fixture("machines", file));
    assert.equal(model, JSON.parse(readFileSync(fixture("machines", file), "utf8")));
    assert.is(model.send.length, model.pes.length);
  }
});

test("broken models are refused with path and reason", () => {
  type Small = ReturnType<typeof small>;
  const cases: [(model: Small) => unknown, string, string][] = [
    [(m) => (m.send[1] as unknown[]).splice(2, 1, "x"), "send.1.2", 'expected a number >= 0, got "x"'],
    [(m) => (m.send[2] as unknown[]).splice(0, 1, -1), "send.2.0", "expected a number >= 0, got -1"],
    [(m) => (m.send[2] as unknown[]).splice(0, 1, null), "send.2.0", "expected a number >= 0, got null"],
    [(m) => (m.send[2] as unknown[]).splice(0, 1, 1 / 0), "send.2.0", "expected a number >= 0, got Infinity"],
    [
      (m) => (m.send[2] as unknown[]).splice(0, 1, 1.1e100),
      "send.2.0",
      "expected a number from 0 to 1e100, got 1.1e+100",
    ],
    [(m) => (m.send[0] as unknown[]).splice(0, 1, 7), "send.0.0", "expected 0 on the diagonal, got 7"],
    [(m) => m.send.pop(), "send", "expected 3 rows, one per PE, got 2"],
    [(m) => m.send[1]?.push(1), "send.1", "expected 3 numbers, one per PE, got 4"],
    [(m) => delete m.receive, "receive", "expected 3 rows, one per PE, got undefined"],
    [(m) => Object.assign(m, { propagate: [[0]] }), "propagate", "expected 3 rows, one per PE, got 1"],
    [(m) => Object.assign(m, { stream: 5 }), "stream", "expected 3 rows, one per PE, got 5"],
    [(m) => Object.assign(m, { bandwidth: [0, 1, 2] }), "bandwidth.0", "expected 3 numbers, one per PE, got 0"],
    [
      (m) => Object.assign(m.pes[2] as object, { cpu: 0 }),
      "pes.2.cpu",
      "expected a CPU of its own, got 0, which pes.0 has too",
    ],
    [(m) => Object.assign(m.pes[1] as object, { cpu: 1.5 }), "pes.1.cpu", "expected a whole number >= 0, got 1.5"],
    [(m) => delete m.pes[1]?.cpu, "pes.1.cpu", "expected a value, got undefined"],
    [
      (m) => Object.assign(m.pes[0] as object, { core: "a" }),
      "pes.0.core",
      'expected a whole number >= 0 or null, got "a"',
    ],
    [(m) => m.pes.splice(0), "pes", "expected one or more PEs, got []"],
    [(m) => m.pes.splice(1, 1, 3 as never), "pes.1", "expected a PE {cpu, core, numa, package}, got 3"],
    [(m) => Object.assign(m, { unit: "us" }), "unit", 'expected "ns" or "cycles", got "us"'],
    [(m) => delete m.name, "name", "expected a value, got undefined"],
    [
      (m) => Object.assign(m, { noise: { spread: 1, passes: 2, stable: 1, probe: [] } }),
      "noise.stable",
      "expected true or false, got 1",
    ],
    [
      (m) => Object.assign(m, { wake: { futex: null, atomics: "22" } }),
      "wake.atomics",
      'expected a number >= 0, got "22"',
    ],
    [
      (m) => Object.assign(m, { items: { push: 3, pivot: 6, pull: 3 } }),
      "items.byte",
      "expected a value, got undefined",
    ],
    [
      (m) =>
        Object.assign(m, {
          items: { push: 3, pivot: 6, pull: 3, byte: { push: 0, pivot: 0, pull: 0 }, buffer: { handle: 1 } },
        }),
      "items.buffer.wait",
      "expected a value, got undefined",
    ],
    ...(
      [
        [{ look: 1, buffers: [1, 2], sizes: [] }, "sizes", "expected one or more objects {bytes, push}, got []"],
        [
          { look: 1, buffers: [2, 2], sizes: [{ bytes: 8, push: [1, 1] }] },
          "buffers.1",
          "expected more than 2, as is before it, got 2",
        ],
        [{ look: 1, buffers: [0], sizes: [{ bytes: 8, push: [1] }] }, "buffers.0", "expected a number >= 1, got 0"],
        [
          { look: 1, buffers: [1], sizes: [{ bytes: 8, push: [1, 2] }] },
          "sizes.0.push",
          "expected 1 numbers, one for each of items.open.buffers, got 2",
        ],
      ] as const
    ).map(([open, path, sentence]): [(model: Small) => unknown, string, string] => [
      (m) => Object.assign(m, { items: { push: 3, pivot: 6, pull: 3, byte: { push: 0, pivot: 0, pull: 0 }, open } }),
      `items.open.${path}`,
      sentence,
    ]),
    [
      (m) => Object.assign(m, { internode: { alpha: "x", beta: 0.1 } }),
      "internode.alpha",
      'expected a number >= 0, got "x"',
    ],
    [(m) => Object.assign(m, { internode: { alpha: 1500 } }), "internode.beta", "expected a value, got undefined"],
    [(m) => Object.assign(m, { internode: 1500 }), "internode", "expected an object {alpha, beta}, got 1500"],
    [
      (m) => Object.assign(m, { internode: { alpha: 1, beta: 1, unit: "us" } }),
      "internode.unit",
      'expected "ns", got "us"',
    ],
    [
      (m) => Object.assign(m, { internode: { alpha: 1, beta: 1, incast: [{ senders: 1, time: -1, busy: 1 }] } }),
      "internode.incast.0.time",
      "expected a number >= 0, got -1",
    ],
    [
      (m) => Object.assign(m, { internode: { alpha: 1, beta: 1, bulk: [{ senders: 1, bytes: 64 }] } }),
      "internode.bulk.0.time",
      "expected a value, got undefined",
    ],
    [
      (m) =>
        Object.assign(m, {
          internode: {
            alpha: 1,
            beta: 1,
            bulk: [
              { senders: 2, bytes: 64, time: 1 },
              { senders: 2, bytes: 64, time: 1 },
            ],
          },
        }),
      "internode.bulk.1.senders",
      "expected more than 2, as the senders before, got 2",
    ],
    [
      (m) => Object.assign(m, { internode: { alpha: 1, beta: 1, bulk: [{ senders: 2, bytes: 0, time: 1 }] } }),
      "internode.bulk.0.bytes",
      "expected bytes > 0, got 0",
    ],
    [
      (m) =>
        Object.assign(m, {
          internode: { alpha: 1, beta: 1, sizes: [8, 64], pes: [onePE([5, 6]), onePE([5])] },
        }),
      "internode.pes.1.latency",
      "expected 2 numbers, one for each of internode.sizes, got 1",
    ],
    [
      (m) =>
        Object.assign(m, {
          internode: { alpha: 1, beta: 1, pes: [{ ...onePE([]), residual: { median: 0 } }] },
        }),
      "internode.pes.0.residual.worst",
      "expected a value, got undefined",
    ],
    [(m) => Object.assign(m, { created: "yesterday" }), "created", 'expected an ISO 8601 date, got "yesterday"'],
    [(m) => Object.assign(m, { schema: "tundish/machine@9" }), "schema", '"tundish/machine@9": another version'],
    [(m) => Object.assign(m, { schema: "tundish/trees@1" }), "schema", 'got "tundish/trees@1"'],
    [(m) => delete m.schema, "schema", 'expected "tundish/machine@1", got undefined'],
  ];
  for (const [damage, path, message] of cases) {
    const model = small();
    damage(model);
    const error = refusal(model);
    assert.is(error.path, path);
    assert.is(error.code, "ERR_TUNDISH_MODEL_INVALID");
    assert.ok(error.message.startsWith(`${path}: `), error.message);
    assert.ok(error.message.includes(message), `${error.message} has "${message}"`);
  }
  for (const document of [null, 3, "x", [], undefined]) {
    const error = refusal(document);
    assert.is(error.path, "");
    assert.match(error.message, /expected a machine model/);
  }
});

test("any one number of a matrix made wrong is found at its place", () => {
  const field = fc.constantFrom("send", "receive", "propagate", "rtt", "stream", "bandwidth");
  const wrong = fc.constantFrom("1", null, -0.1, Number.NaN, Number.POSITIVE_INFINITY, undefined, [1], {}, true);
  fc.assert(
    fc.property(field, wrong, fc.nat(4), fc.nat(4), (name, value, row, column) => {
      const matrix = () => Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (i === j ? 0 : 1)));
      const model: Record<string, unknown> = {
        ...small(),
        pes: [0, 1, 2, 3, 4].map((cpu) => ({ cpu, core: null, numa: null, package: null })),
        send: matrix(),
        receive: matrix(),
      };
      const bad: unknown[][] = matrix();
      (bad[row] as unknown[])[column] = value;
      model[name] = bad;
      assert.is(refusal(model).path, `${name}.${row}.${column}`);
    }),
  );
});

test("batches of any name are checked", () => {
  for (const name of ["8", "constructor", "__proto__", "prototype"]) {
    const model = JSON.parse(JSON.stringify(small())) as Record<string, unknown>;
    model.batches = JSON.parse(`{ "${name}": 3 }`);
    const error = refusal(model);
    assert.is(error.path, `batches.${name}`);
    assert.match(error.message, /expected an object {send, receive}, got 3/);
  }
});

test("unknown fields are kept, at every level, through a file", async () => {
  const model = {
    ...small(),
    later: { push: 1 },
    internode: { alpha: 1500, beta: 0.1, sizes: [8], pes: [{ ...onePE([1501]), colour: "red" }], later: 1 },
    noise: { spread: 0.05, passes: 3, stable: true, probe: [105, 107], more: 1 },
    host: { node: "v20", nested: { a: [1] } },
  };
  Object.assign(model.pes[0] as object, { color: "red" });
  const parsed = parseMachine(model);
  assert.equal(parsed, model);
  const path = join(folder, "unknown.json");
  await writeMachine(path, parsed);
  assert.equal(await readMachine(path), JSON.parse(JSON.stringify(model)));
});

test("a written model has a field, PE or matrix row per line, and no other file is left", async () => {
  const place = mkdtempSync(join(folder, "write-"));
  const path = join(place, "machine.json");
  await writeMachine(path, small() as unknown as MachineModel);
  const text = readFileSync(path, "utf8");
  assert.equal(JSON.parse(text), small());
  const lines = text.split("\n");
  assert.ok(lines.includes('"name": "three",'));
  assert.ok(lines.includes('{"cpu":2,"core":2,"numa":0,"package":null},'));
  assert.ok(lines.includes("[3,0,4],"));
  assert.is(text, formatMachine(small() as unknown as MachineModel));
  const { send, receive } = small();
  const batches = { "8": { send, receive } };
  const nested = formatMachine({ ...small(), batches, host: { a: [1, 2] } } as unknown as MachineModel);
  assert.equal(JSON.parse(nested), { ...small(), batches, host: { a: [1, 2] } });
  assert.is(nested.split("\n").filter((line) => line.startsWith("[3,0,4]")).length, 4);
  assert.ok(nested.includes('"host": {"a":[1,2]}'));
  // over an old file, and through a link
  symlinkSync(path, join(place, "link.json"));
  await writeMachine(join(place, "link.json"), { ...(small() as unknown as MachineModel), name: "new" });
  assert.is((await readMachine(path)).name, "new");
  assert.equal(readdirSync(place).sort(), ["link.json", "machine.json"]);
});

test("a link that waits under the name of the part written first leads nowhere", async () => {
  const place = mkdtempSync(join(folder, "link-"));
  const [path, victim] = [join(place, "machine.json"), join(place, "victim")];
  writeFileSync(victim, "mine");
  symlinkSync(victim, `${path}.${process.pid}.tmp`);
  await writeMachine(path, small() as unknown as MachineModel);
  assert.is(readFileSync(victim, "utf8"), "mine");
  assert.equal(await readMachine(path), small());
});

test("a file that is replaced keeps its permissions; one that cannot be leaves nothing behind", () => {
  const place = mkdtempSync(join(folder, "replace-"));
  const [path, other] = [join(place, "private"), join(place, "folder")];
  writeFileSync(path, "old");
  chmodSync(path, 0o600);
  replaceFile(path, "new");
  assert.is(readFileSync(path, "utf8"), "new");
  if (process.platform !== "win32") assert.is(statSync(path).mode & 0o777, 0o600);
  mkdirSync(other);
  assert.throws(() => replaceFile(other, "text"), /EISDIR|EPERM|EEXIST|ENOTEMPTY/);
  assert.equal(readdirSync(place).sort(), ["folder", "private"]);
});

test("a model that cannot be read back is not written, and the old file stays", async () => {
  const path = join(folder, "kept.json");
  await writeMachine(path, small() as unknown as MachineModel);
  const broken = small();
  (broken.send[0] as unknown[])[1] = Number.NaN;
  try {
    await writeMachine(path, broken as unknown as MachineModel);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof ModelError);
    assert.is(error.path, "send.0.1");
  }
  assert.equal(await readMachine(path), small());
});

test("a folder that is not there: what to do", async () => {
  try {
    await writeMachine(join(folder, "no/where.json"), small() as unknown as MachineModel);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof EnvironmentError);
    assert.match(error.message, /no\/where\.json.*ENOENT.*Choose a file in a folder that can be written to\. \[/);
  }
});

test("a byte-order mark in front of the model is no part of it", async () => {
  const path = join(folder, "marked.json");
  const text = `\uFEFF${JSON.stringify(small())}`;
  writeFileSync(path, text);
  assert.equal(await readMachine(path), small());
  const code = `
    import { readMachine } from ${JSON.stringify(moduleUrl("model/model"))};
    console.log((await readMachine("-")).name);`;
  assert.is(inChild(code, {}, text), "three\n");
});

test("files that are missing, no JSON or no model: the file is named", async () => {
  const notJson = join(folder, "not.json");
  const notModel = join(folder, "model.json");
  writeFileSync(notJson, '{"schema": ');
  writeFileSync(notModel, JSON.stringify({ ...small(), unit: "us" }));
  for (const [path, where, reason] of [
    [join(folder, "missing.json"), "", /missing\.json: .*ENOENT.*tundish profile -o/],
    [folder, "", /EISDIR/],
    [notJson, "", /not\.json: expected JSON/],
    [notModel, "unit", /model\.json: unit: expected "ns" or "cycles"/],
  ] as const) {
    try {
      await readMachine(path);
      assert.unreachable(path);
    } catch (error) {
      assert.ok(error instanceof ModelError, `${error}`);
      assert.is(error.path, where);
      assert.match(error.message, reason);
    }
  }
});

test("- is stdin", () => {
  const code = `
    import { readMachine } from ${JSON.stringify(moduleUrl("model/model"))};
    await readMachine("-").then((model) => console.log(model.name), (error) => console.log(error.message));`;
  assert.is(inChild(code, {}, JSON.stringify(small())), "three\n");
  assert.match(inChild(code, {}, "{}"), /^stdin: schema: expected/);
});

test.run();
