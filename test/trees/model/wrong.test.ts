/** Wrong types: whatever the public functions of trees/ and a plan are given, they work or say what is wrong. */

import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ModelError, TundishError, UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { toDot, toSvg } from "../../../trees/draw/drawing.ts";
import { toGraph } from "../../../trees/draw/graph.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { generateNodesTrees } from "../../../trees/nodes/nodes.ts";
import { repairTree } from "../../../trees/repair/repair.ts";
import { chain, disseminating, hybrid } from "../../collectives/support/plans.ts";
import { rounds } from "../../support/long.ts";
import { model, uniform } from "../support/reference.ts";

const test = suite("wrong types");
const program = sibling("../../collectives/programs/barrier.program.js", import.meta.url);

const machine = {
  ...model(uniform(4, 2), uniform(4, 3), { propagate: uniform(4, 1), numa: [0, 0, 1, 1] }),
  noise: { spread: 0.05, passes: 2, stable: true, probe: [100], mode: 100 },
};
const tree = { algorithm: "binary", root: 0, children: { 0: [1, 2], 2: [3] }, latency: 9 };
const plans = [chain(4), disseminating(4), hybrid(4), generateTrees(machine)];
const [, { barrier: dissemination }, { barrier: hybridBarrier }, { barrier }] = plans;

type Take = (...args: never[]) => unknown;
/** Each function with arguments that it takes. */
const takers: Readonly<Record<string, readonly [take: Take, ...args: unknown[]]>> = {
  generateTrees: [
    generateTrees,
    machine,
    { cores: [0, 1, 3], root: 1, algorithm: "adaptive", budget: 1, moves: 10, denoise: true, seed: 1 },
  ],
  treeLatency: [treeLatency, tree, machine, "reduce"],
  toGraph: [toGraph, tree, machine, "broadcast"],
  toSvg: [toSvg, tree, machine, "broadcast"],
  "toSvg of dissemination": [toSvg, dissemination, machine, "broadcast"],
  "toDot of a hybrid": [toDot, hybridBarrier, machine],
  "toDot of a barrier": [toDot, barrier, machine],
  repairTree: [
    repairTree,
    { ...tree, children: { 0: [1, 2] } },
    machine,
    { leave: [1], join: 3 },
    { operation: "reduce", root: 2, moves: 10, seed: 1, against: "search" },
  ],
  generateNodesTrees: [
    // its messages print what came, which some values do not let be done to them
    (...[model, nodes, network, options]: Parameters<typeof generateNodesTrees>) =>
      isPrinted([nodes, Object.values(network ?? {})]) && generateNodesTrees(model, nodes, network, options),
    machine,
    2,
    { send: 10, receive: 10, propagate: 5 },
    { moves: 10, seed: 1 },
  ],
  ...Object.fromEntries(plans.map((plan, i) => [`plan ${i}`, [(one: unknown) => checkTrees(one, 4), plan] as const])),
};

function isPrinted(value: unknown): boolean {
  try {
    return String(value) !== "";
  } catch {
    return false;
  }
}

/** Anything; numbers are few, for many of them only say how long to work. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .anything({
      values: [
        fc.boolean(),
        fc.constantFrom(0, 1, 3, 4, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e300),
        fc.string({ maxLength: 5 }),
        fc.constantFrom(null, undefined),
      ],
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      maxDepth: 2,
    })
    // they would be numbers of their own choice
    .filter((value) => !ArrayBuffer.isView(value) || value.byteLength < 64),
  fc.constantFrom<unknown>(Symbol("s"), () => 0, Object.create(null), new Error("e"), [undefined], [null], "0"),
);

/** Every place in a value: the keys on the way to it. */
function places(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, part]) => places(part).map((rest) => [key, ...rest]))];
}

type Damage = (part: unknown) => unknown;

/** The value with a place of it changed. */
function changed(value: unknown, [key, ...rest]: readonly string[], damage: Damage): unknown {
  if (key === undefined) return damage(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = changed(copy[key], rest, damage);
  return copy;
}

/** Another value in a place, or one more key there. */
const damages: fc.Arbitrary<Damage> = fc.oneof(
  anything.map((other) => () => other),
  fc.tuple(fc.constantFrom("x", "0", "7", "01", "-1", "length"), anything).map(([key, other]) => {
    return (part: unknown) =>
      Array.isArray(part)
        ? [...part, other]
        : typeof part === "object" && part !== null
          ? { ...part, [key]: other }
          : other;
  }),
);

function worksOrSays(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof TundishError)) throw error;
  }
}

for (const [name, [take, ...args]] of Object.entries(takers)) {
  test(name, () => {
    take(...(args as never[]));
    const all = places(args).filter((place) => place.length > 0);
    const wrong = fc.array(fc.tuple(fc.constantFrom(...all), damages), { minLength: 1, maxLength: 2 }).map((list) =>
      list.reduce<unknown>((value, [place, damage]) => {
        try {
          return changed(value, place, damage);
        } catch {
          return value; // the first change has taken away the place of the second
        }
      }, args),
    );
    fc.assert(
      fc.property(wrong, (list) => worksOrSays(() => take(...(list as never[])))),
      { numRuns: rounds(500, 1500) },
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), (list) => worksOrSays(() => take(...(list as never[])))),
      { numRuns: rounds(100, 300) },
    );
  });
}

test("launch refuses every plan that is none", async () => {
  await fc.assert(
    fc.asyncProperty(anything, async (plan) => {
      if (plan === undefined) return;
      const error = await launch(program, { pes: 2, trees: plan as never }).catch((thrown: unknown) => thrown);
      assert.instance(error, UsageError);
    }),
    { numRuns: 50 },
  );
});

test("what is wrong is told with its place", () => {
  const says = (call: () => unknown, kind: typeof UsageError | typeof ModelError, message: RegExp) =>
    assert.throws(
      call,
      (error: unknown) => {
        assert.instance(error, kind);
        assert.match((error as Error).message, message);
        return true;
      },
      String(message),
    );
  const told = (options: unknown, message: RegExp) =>
    says(() => generateTrees(machine, options as never), UsageError, message);
  told({ cores: 5 }, /^cores: expected a list of PE numbers, got 5\. Name PEs of the model made up/);
  told({ cores: [0, undefined, 1] }, /^cores: expected PE numbers from 0 to 3, got undefined/);
  told({ budget: "5" }, /^budget: expected milliseconds >= 0, got "5"/);
  told([], /^generateTrees: expected an object, got \[\]/);
  told(null, /^generateTrees: expected an object, got null/);
  told({ algorithm: null }, /^algorithm: expected one of "adaptive", "exact", "smelt", .*, got null/);
  told({ root: null }, /^root: expected a member of the group \(0, 1, 2, 3\), got null/);
  for (const name of ["cores", "budget", "moves", "seed", "denoise"])
    told({ [name]: null }, new RegExp(`^${name}: expected .* got null`));
  told({ budget: Number.POSITIVE_INFINITY }, /^budget: expected milliseconds >= 0, got Infinity/);
  const broken = (damage: object, message: RegExp) =>
    says(() => generateTrees({ ...machine, ...damage }, { cores: [0, 1] }), ModelError, message);
  const cell = (row: number, column: number, value: number) =>
    machine.send.map((list, i) => list.map((cost, j) => (i === row && j === column ? value : cost)));
  broken({ pes: [null, ...machine.pes.slice(1)] }, /^pes\.0: expected a PE \{.*\}, got null\./);
  broken({ send: cell(3, 3, Number.NaN) }, /^send\.3\.3: expected a number >= 0, got NaN\. Measure the/);
  broken({ send: cell(3, 3, -1) }, /^send\.3\.3: .* got -1/);
  broken({ send: cell(3, 3, 1) }, /^send\.3\.3: expected 0 on the diagonal, got 1/);
  broken({ send: cell(3, 2, -1) }, /^send\.3\.2: expected a number >= 0, got -1/);
  broken({ pes: machine.pes.map((pe) => ({ ...pe, cpu: 0 })) }, /^pes\.1\.cpu: expected a CPU of its own, got 0/);
  for (const schema of ["tundish/machine@2", "tundish/machine@10"])
    broken({ schema }, new RegExp(`^schema: expected "tundish/machine@1", got "${schema}": another version`));
  broken({ schema: null }, /^schema: expected "tundish\/machine@1", got null/);
  const { schema, ...unsaid } = machine;
  assert.is(schema, "tundish/machine@1");
  generateTrees(unsaid as unknown as MachineModel);
  const lacking = (given: object, message: RegExp) =>
    says(() => treeLatency(given as Tree, machine), UsageError, message);
  lacking({}, /^Expected a tree, an object with algorithm, root, children, got one without algorithm/);
  lacking({ root: 0 }, /got one without algorithm/);
  lacking({ root: -1, children: 5, x: 1 }, /got one without algorithm/);
  lacking({ algorithm: "best", children: {} }, /got one without root/);
  lacking({ algorithm: "smelt", root: 0 }, /got one without children/);
  lacking({ algorithm: "smelt", root: 0, children: 5 }, /^children: expected an object .* got 5/);
  const holed = [...machine.send];
  delete holed[2];
  broken({ send: holed }, /^send\.2: expected 4 numbers, one per PE, got undefined/);
  broken({ unit: "s" }, /^unit: expected "ns" or "cycles", got "s"/);
  const planned = (plan: object, message: RegExp) => says(() => checkTrees(plan, 4), UsageError, message);
  const [chained, order, both] = plans as [object, object, { barrier: { broadcast: unknown[] } }];
  planned({ ...chained, extra: 1 }, /^trees: unknown field 'extra'. Known fields: schema, machine, /);
  planned(
    { ...chained, broadcast: { ...tree, children: { 0: 5 } } },
    /^trees\.broadcast\.children\.0: .* list of PEs, got 5/,
  );
  planned({ ...chained, broadcast: { ...tree, more: 5 } }, /^trees\.broadcast: unknown field 'more'/);
  planned({ ...order, barrier: { kind: "dissemination", latency: 0 } }, /^trees\.barrier\.order: .* got undefined/);
  planned(
    { ...both, barrier: { ...both.barrier, broadcast: [null, both.barrier.broadcast[1]] } },
    /^trees\.barrier\.broadcast\.0: expected a tree, .* got null/,
  );
  const { barrier } = chain(4);
  planned({ ...chained, barrier: { ...barrier, root: 3 } }, /^trees\.barrier\.reduce\.root: .* own root, 3, got 0/);
});

test("children that are null, cores as a typed array", () => {
  const broken = { ...tree, children: { 0: null } } as unknown as Tree;
  assert.throws(() => treeLatency(broken, machine), /^children\.0: expected a list of PEs, got null/);
  const cores = [2, 0, 1];
  assert.equal(generateTrees(machine, { cores: Int32Array.from(cores) }), generateTrees(machine, { cores }));
});

test.run();
