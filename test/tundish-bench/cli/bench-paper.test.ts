/** `tundish bench paper` with few points: its documents and misuse; and that each sentence can come out either way. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Claim } from "../../../packages/tundish-bench/src/claims/claim.ts";
import { type AppendRate, appendClaims } from "../../../packages/tundish-bench/src/paper/append.ts";
import type { Carrier, ConveyorsPaper, Rate } from "../../../packages/tundish-bench/src/paper/conveyors.ts";
import { conveyorsClaims } from "../../../packages/tundish-bench/src/paper/conveyors-claims.ts";
import { cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";

const test = suite("bench paper");

function checkNumbers(claims: readonly Claim[]): void {
  for (const { claim, numbers } of claims)
    assert.ok(/\d/.test(numbers) && !/NaN|undefined|Infinity/.test(numbers), `${claim}: ${numbers}`);
}

test("conveyors, --quick --svg --json: one document, whose rates are of the paper's sizes", async () => {
  const cwd = emptyFolder();
  const args = ["bench", "paper", "conveyors", "--quick", "--svg", "drawn.svg", "--json"];
  const { code, stdout, stderr } = await cliHere(args, { cwd });
  assert.is(code, 0, stderr);
  const { schema, paper, claims, ...found } = JSON.parse(stdout) as ConveyorsPaper & {
    readonly schema: string;
    readonly paper: string;
    readonly claims: readonly Claim[];
  };
  assert.equal([schema, paper], ["tundish/bench-paper@1", "conveyors"]);
  assert.equal(claims, conveyorsClaims(found));
  checkNumbers(claims);
  assert.is(found.curves.length, 3 * 2 * 4 * 3);
  for (const { nodeSize, load, predicted, simulated } of found.curves) {
    assert.equal([nodeSize, load, simulated], [32, 2 ** 28, null]);
    assert.ok(predicted > 0);
  }
  // a node sends no faster than its network, and what stays on it does not count
  for (const { nodes, predicted } of found.curves.filter(({ figure }) => figure === 5))
    assert.ok(predicted * (1 - 1 / nodes) <= 5.02, `${nodes}: ${predicted}`);
  for (const { predicted, simulated } of found.checked) assert.ok(Math.abs(predicted / (simulated ?? 0) - 1) < 0.3);
  const svg = readFileSync(join(cwd, "drawn.svg"), "utf8");
  assert.is(svg.match(/<polyline /g)?.length, 3 * 2 * 4);
  assert.ok(!/NaN|undefined|Infinity/.test(svg));
});

test("as text; append: small messages wait for an answer by fetch-and-add only", async () => {
  const conveyors = await cliHere(["bench", "paper", "conveyors", "--quick"]);
  assert.is(conveyors.code, 0, conveyors.stderr);
  assert.match(conveyors.stdout, /^(agrees|differs) {2}4\.3: three hops take the least memory for buffers$/m);
  assert.match(conveyors.stdout, /^7 +Omni-Path +tensor +128 B( +[\d.]+ by \d){3}$/m);
  assert.match(conveyors.stdout, /^\d+ of \d+ agree$/m);
  const { code, stdout, stderr } = await cliHere(["bench", "paper", "append", "--quick", "--json"]);
  assert.is(code, 0, stderr);
  const { rates, claims } = JSON.parse(stdout) as { rates: readonly AppendRate[]; claims: readonly Claim[] };
  assert.equal(claims, appendClaims(rates));
  checkNumbers(claims);
  const [small, , waiting, large] = rates;
  // a round trip takes 3 us at least, twice with an acknowledgement
  assert.ok(small.bytes / small.baseline > 3000 && small.bytes / small.push < 3000, JSON.stringify(small));
  assert.ok(waiting.bytes / waiting.baseline > 6000 && waiting.bytes / waiting.push > 3000, JSON.stringify(waiting));
  assert.ok(large.factor < waiting.factor && large.push > 2);
});

test("wrong usage", async () => {
  const cases: [args: string[], message: RegExp][] = [
    [["conveyors", "--svg", "/dev/null/x"], /--svg expected a file in a folder that can be written to/],
    [["append", "--svg", "x.svg"], /--svg expected the paper conveyors, got append/],
    [["smelt"], /Allowed choices are conveyors, append/],
    [[], /name/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await cliHere(["bench", "paper", ...args]);
    assert.is(code, 2, args.join(" "));
    assert.is(stdout, "");
    assert.match(stderr, message);
  }
});

const rate = (by: Carrier, predicted: number, more: Partial<Rate> = {}): Rate => ({
  ...{ figure: 5, by, itemBytes: 8, nodes: 64, nodeSize: 32, load: 2 ** 28, hops: 1, bufferBytes: 4096 },
  ...{ predicted, simulated: null },
  ...more,
});

/** As the paper has it: rates in any unit. */
function likeThePaper(): ConveyorsPaper {
  const items = [8, 16, 32, 128];
  const curves = ([5, 6, 7] as const).flatMap((figure) =>
    items.flatMap((itemBytes, i) =>
      [2, 64, 512, 2048].flatMap((nodes, j) => {
        const more = { figure, itemBytes, nodes };
        const dip = figure === 5 && nodes === 64 ? 0.5 : 1;
        return [
          rate("tensor", dip * (10 + i - j), { ...more, hops: 3 }),
          rate("simple", dip * ((5 + i) / (j + 1)), more),
        ];
      }),
    ),
  );
  const idiom = [
    ...[rate("messages", 1), rate("tensor", 20)],
    ...[rate("messages", 1, { nodes: 2, simulated: 1 }), rate("tensor", 20, { nodes: 2, simulated: 20 })],
  ];
  return {
    ...{ assumed: {}, curves, checked: [], histogram: idiom, indexGather: idiom },
    sparse: [rate("messages", 1), rate("simple", 1.1), rate("tensor", 9)],
    memory: [
      ...([32, 2048] as const).flatMap((nodes) => [
        { nodes, hops: 1 as const, bytes: nodes * 2 ** 19 },
        { nodes, hops: 2 as const, bytes: (nodes * 2 ** 19) / 20 },
        { nodes, hops: 3 as const, bytes: 2 ** 18 },
      ]),
    ],
    synchronous: items.flatMap((itemBytes) =>
      [2 ** 12, 2 ** 24].flatMap((load) => {
        const isTight = itemBytes <= 16 && load > 2 ** 12;
        const more = { itemBytes, load };
        return [
          rate("simple", isTight ? 6 : 2, more),
          rate("simple, two hops", 5, more),
          rate("tensor, two hops", 7, more),
        ];
      }),
    ),
    free: [
      ...[rate("tensor", 3), rate("tensor", 6, { itemBytes: 128 })],
      ...[rate("tensor, free items", 5.5), rate("tensor, free items", 6, { itemBytes: 128 })],
    ],
    natural: [rate("tensor, three hops", 4), rate("grid of TRAM", 3)],
    large: [1024, 4096, 8192].map((nodes, i) => rate("tensor", [5, 4.1, 3.5][i], { nodes })),
  };
}

test("sentences: all agree with rates that are as in the paper, and each differs where its own do, and no other", () => {
  const before = conveyorsClaims(likeThePaper());
  for (const { claim, agrees, numbers } of before) assert.ok(agrees, `${claim}: ${numbers}`);
  const { curves, histogram, indexGather, sparse, memory, synchronous, free, natural, large } = likeThePaper();
  /** Some rates times a factor. */
  const times = (points: readonly Rate[], which: (one: Rate) => boolean, factor: number): Rate[] =>
    points.map((one) => {
      const simulated = one.simulated === null ? null : one.simulated * factor;
      return which(one) ? { ...one, predicted: one.predicted * factor, simulated } : one;
    });
  const isTensor = ({ by }: Rate) => by === "tensor";
  const cases: [other: Partial<ConveyorsPaper>, claims: RegExp[]][] = [
    [{ histogram: times(histogram, (one) => isTensor(one) && one.nodes === 2, 0.4) }, [/^histogram/]],
    [{ indexGather: times(indexGather, (one) => isTensor(one) && one.nodes === 64, 0.4) }, [/^index-gather/]],
    [{ natural: times(natural, ({ by }) => by === "grid of TRAM", 2) }, [/TRAM's grid/]],
    [{ sparse: times(sparse, ({ by }) => by === "simple", 2) }, [/gain little or nothing/]],
    [
      { memory: memory.map((one) => (one.nodes === 2048 ? { ...one, bytes: one.bytes / 2 } : one)) },
      [/takes a gigabyte/],
    ],
    [{ memory: memory.map((one) => (one.hops === 2 ? { ...one, bytes: one.bytes * 2 } : one)) }, [/16 to 32 times/]],
    [
      { memory: memory.map((one) => (one.hops === 3 ? { ...one, bytes: one.bytes * 512 } : one)) },
      [/the least memory/],
    ],
    [
      {
        synchronous: times(
          synchronous,
          ({ by, itemBytes, load }) => by === "simple" && itemBytes === 8 && load < 2 ** 20,
          2,
        ),
      },
      [/improve the rate greatly/],
    ],
    [
      { synchronous: times(synchronous, ({ by, itemBytes }) => by === "simple" && itemBytes === 128, 3) },
      [/^of large items/],
    ],
    [
      {
        synchronous: times(
          synchronous,
          ({ by, itemBytes, load }) => by === "simple" && itemBytes === 8 && load > 2 ** 20,
          0.5,
        ),
      },
      [/^of items of 8 or 16 B/],
    ],
    [{ synchronous: times(synchronous, ({ by }) => by === "tensor, two hops", 0.5) }, [/^two asynchronous hops/]],
    [{ curves: curves.map((one) => ({ ...one, hops: one.figure === 5 ? 3 : 2 })) }, [/generally the fastest/]],
    ...([5, 6, 7] as const).flatMap((figure): [Partial<ConveyorsPaper>, RegExp[]][] => {
      const own = (one: Rate) => one.figure === figure && one.nodes === 512;
      return [
        [{ curves: times(curves, (one) => own(one) && !isTensor(one), 10) }, [/^tensor conveyors are ahead/]],
        [
          { curves: times(curves, (one) => own(one) && isTensor(one) && one.itemBytes === 32, 0.8) },
          [/^many small items/],
        ],
      ];
    }),
    [{ free: times(free, ({ by, itemBytes }) => by !== "tensor" && itemBytes === 8, 0.7) }, [/work of the CPU/]],
    [{ curves: times(curves, ({ figure, nodes }) => figure === 5 && nodes === 64, 2) }, [/in one group of cabinets/]],
    [
      { curves: times(curves, (one) => one.figure === 7 && one.nodes === 2048 && !isTensor(one), 2.4) },
      [/scale poorly/],
    ],
    [{ large: times(large, ({ nodes }) => nodes === 8192, 1.2) }, [/^XC30/]],
  ];
  for (const [other, claims] of cases) {
    const found = conveyorsClaims({ ...likeThePaper(), ...other }).filter(({ agrees }) => !agrees);
    assert.is(found.length, claims.length, `${claims.join(", ")}: ${found.map(({ claim }) => claim).join("; ")}`);
    for (const [i, claim] of claims.entries()) assert.match(found[i].claim, claim);
  }
  // each of the 3 networks has two sentences of the same words but for its name
  assert.is(cases.length, before.length);
});

test("append: all agree with figure 3, and each differs where its sizes do", () => {
  const rates = (factors: readonly number[]): AppendRate[] =>
    [8, 512, 1024, 65_536, 1_048_576].map((bytes, i) => ({ bytes, push: factors[i], baseline: 1, factor: factors[i] }));
  const judged = (...factors: number[]) => appendClaims(rates(factors)).map(({ agrees }) => agrees);
  assert.equal(judged(5.5, 5.1, 1.6, 1.2, 1.02), [true, true, true]);
  assert.equal(judged(5.5, 4.9, 1.6, 1.2, 1.02), [false, true, true]);
  assert.equal(judged(5.5, 5.1, 1.9, 1.2, 1.02), [true, false, true]);
  assert.equal(judged(5.5, 5.1, 1.6, 1.2, 1.15), [true, true, false]);
  assert.equal(judged(5.5, 5.1, 1.6, 1.8, 1.02), [true, true, false]);
});

test.run();
