/**
 * The code that conveyors generate: it has names, what is the same is compiled once, and two of them are written down in
 * test/fixtures/golden/generated. Who changes what is generated looks at the new text, and has it written by
 * `TUNDISH_TEST_RENEW=1 node test/run.mjs codegen/generated`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sendToCode } from "../../../../src/facilities/conveyor/codegen/run-code.ts";
import { StateError } from "../../../../src/ground/base/errors.ts";
import { bytes, f64, type ItemType, struct, u32 } from "../../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { type SimulatedPE, type SimulatedProgram, simulate } from "../../../../src/running/simulate/simulate.ts";
import { fixture } from "../../../support/paths.ts";
import { rigidOf } from "../support/belts.ts";

interface Piece {
  readonly name: string;
  readonly text: string;
}

/** All that was compiled here: what one case has had compiled, the next one does not compile again. */
const all: Piece[] = [];

/** The code that was made into functions while `work` ran. */
function generatedBy(work: () => void): Piece[] {
  const texts = new Set<string>();
  const { Function: original } = globalThis;
  globalThis.Function = new Proxy(original, {
    construct(target, parts: string[]) {
      texts.add(parts.join("\n"));
      return Reflect.construct(target, parts);
    },
  });
  try {
    work();
  } finally {
    globalThis.Function = original;
  }
  const pieces = [...texts].map((text) => ({ name: /^\/\/# sourceURL=(.*)$/m.exec(text)?.[1] ?? "", text }));
  all.push(...pieces);
  return pieces;
}

const simulated = <R>(pes: number, program: SimulatedProgram<R>): readonly R[] =>
  simulate({ pes, memoryBytes: 2 ** 22 }, program).results;

/** One session of a conveyor, in which every PE sends an item to every PE. */
const session = (item: ItemType, values: readonly unknown[], options: ConveyorOptions, pes = 4) =>
  simulated(pes, function* (pe) {
    const c = pe.conveyor(item, { bufferBytes: 256, ...options });
    let sum = 0;
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === pes); ) {
      for (; i < pes && c.push(i, ...(values as never)); i++);
      while (c.pull()) sum++;
    }
    yield* c.reset();
    assert.is(sum, pes);
    return { push: String(c.push), pull: String(c.pull) };
  })[0];

/** The text without what it is indented by in the code that makes it. */
function printed(texts: Readonly<Record<string, string>>): string {
  return Object.values(texts)
    .map((text) => {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      const indent = lines.at(-1)?.search(/\S/) ?? 0;
      return `${lines.map((line) => line.slice(Math.min(indent, line.search(/\S/)))).join("\n")}\n`;
    })
    .join("\n");
}

const pair = struct({ slot: u32, value: f64 });
const generated = suite("generated code");

for (const { file, item, values, options } of [
  { file: "tensor-u32-f64", item: pair, values: [1, 2], options: { type: "tensor", hops: 2, groupSize: 2 } },
  { file: "simple-u32", item: u32, values: [1], options: { type: "simple" } },
] as const) {
  generated(`push and pull of ${file} are what is written down`, () => {
    const path = fixture("golden", "generated", `${file}.js`);
    const text = printed(session(item, values, options));
    if (process.env.TUNDISH_TEST_RENEW === "1") writeFileSync(path, text);
    assert.fixture(text, readFileSync(path, "utf8"));
  });
}

/** Everything that code is generated for. */
function* every(pe: SimulatedPE) {
  const inner = struct({ a: u32, b: bytes(24) });
  const c = pe.conveyor(struct({ x: inner, y: f64 }), { hops: 2, groupSize: 2 });
  const one = { a: 1, b: new Uint8Array(24) };
  const bare = pe.conveyor(u32);
  const b = pe.biconveyor(pair, pair, ({ slot, value }) => ({ slot, value }));
  yield* c.begin();
  let sum = 0;
  const columns = { x: { a: Uint32Array.of(4), b: new Uint8Array(24) }, y: Float64Array.of(5) };
  for (let i = 0; yield* c.advance(i === 4); ) {
    for (; i < 2 && c.push(i, one, 2); i++);
    for (; i >= 2 && i < 4 && c.pushAll(Uint32Array.of(i), columns) === 1; i++);
    if (pe.rank === 0) {
      const batch = c.pullAll();
      if (batch !== null) sum += batch.columns.y[0] + batch.columns.x.a[0] + batch.columns.x.b.length;
    } else rigidOf(c).drain((({ x }: { x: { b: Uint8Array } }) => x.b.length > 0) as never);
  }
  yield* c.reset();
  yield* bare.begin();
  for (let i = 0; yield* bare.advance(i === 1); ) {
    for (; i < 1 && bare.push(0, 7); i++);
    rigidOf(bare).userDrain(() => {});
  }
  yield* bare.reset();
  yield* b.begin();
  for (let i = 0; yield* b.advance(i === 1); ) {
    for (; i < 1 && b.push(0, 7, 8); i++);
    while (b.pull()) sum += b.item.slot;
  }
  yield* b.reset();
  return sum;
}

generated("every piece has a name of its own that says what it is", () => {
  generatedBy(() => {
    simulated(4, every);
    sendToCode(pair, { isClear: true }, { push: () => true }, () => {});
  });
  const names = all.map(({ name }) => name);
  assert.not(names.includes(""), "code without a name");
  for (const name of names) assert.match(name, /^tundish:\/\/conveyor\/[\w/(){},.-]+(\?[\w=&,-]+)?$/);
  const kinds = new Set(
    names.map((name) => name.replace(/^tundish:\/\/conveyor\/(biconveyor\/[\w-]+|run\/[\w-]+|[\w-]+).*/, "$1")),
  );
  for (const kind of [
    ...["push-pull", "belt", "put-bytes", "get-bytes", "view", "run/send-to"],
    ...["biconveyor/push-pull", "biconveyor/reply", "biconveyor/answer"],
  ]) {
    assert.ok(kinds.has(kind), `${kind} is missing: ${[...kinds].join(" ")}`);
  }
  // what differs in text differs in name
  assert.is(new Set(names).size, names.length);
});

generated("types that differ in names alone, and conveyors of one type, share what is compiled", () => {
  const red = () => session(struct({ red: u32, green: f64, blue: u32 }), [1, 2, 3], {});
  const first = generatedBy(red);
  assert.equal(
    generatedBy(red).filter(({ text }) => first.every((one) => one.text !== text)),
    [],
  );
  const other = generatedBy(() => session(struct({ one: u32, two: f64, three: u32 }), [1, 2, 3], {}));
  const own = other.filter(({ text }) => first.every((one) => one.text !== text));
  // a view has getters of other names
  assert.equal(
    own.map(({ name }) => name),
    ["tundish://conveyor/view/u32,f64,u32"],
  );
});

generated("a stack trace says the name", () => {
  simulated(1, function* (pe) {
    yield;
    const c = pe.conveyor(u32);
    try {
      c.push(0, 1);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StateError);
      assert.match(
        String((error as Error).stack),
        /at \S*push \(tundish:\/\/conveyor\/push-pull\/u32\?tags=0,0:\d+:\d+\)/,
      );
    }
  });
});

generated.run();
