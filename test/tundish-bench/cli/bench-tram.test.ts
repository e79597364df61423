/** `tundish bench tram` with few points: its document, figures and misuse; and that each sentence can come out either way. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { claimsOf, type TramClaim } from "../../../packages/tundish-bench/src/tram/claims.ts";
import {
  gridOf,
  type TramCurve,
  type TramFigures,
  type TramPoint,
} from "../../../packages/tundish-bench/src/tram/figures.ts";
import { runTram } from "../../../packages/tundish-bench/src/tram/run.ts";
import { cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";
import { fixture } from "../../support/paths.ts";

const test = suite("bench tram");

interface Document extends TramFigures {
  readonly schema: string;
  readonly claims: readonly TramClaim[];
}

test("--quick --figures --json: one document, an SVG for each figure in a new folder", async () => {
  const cwd = emptyFolder();
  const { code, stdout, stderr } = await cliHere(["bench", "tram", "--quick", "--figures", "new/drawn", "--json"], {
    cwd,
  });
  assert.is(code, 0, stderr);
  const { schema, claims, ...figures } = JSON.parse(stdout) as Document;
  assert.is(schema, "tundish/bench-tram@1");
  assert.equal([figures.messages, figures.messageBytes, figures.alpha], [100, 100, 2000]);
  assert.equal(claims, claimsOf(figures));
  for (const { numbers } of claims) assert.ok(/\d/.test(numbers) && !/NaN|undefined/.test(numbers), numbers);
  assert.equal(
    figures.byPes.map(({ curve, pes }) => `${curve} ${pes}`),
    [...["without 2", "1D 2", "without 8", "1D 8", "2D 8", "3D 8"], ...["without 16", "1D 16", "2D 16", "3D 16"]],
  );
  for (const { curve, perBuffer, perMessage, mesh } of figures.byPes) {
    assert.is(curve === "without", mesh === null);
    assert.is(perBuffer === 1, mesh === null);
    // alpha, and what is done with a message
    if (mesh === null) assert.ok(perMessage > 2050 && perMessage < 2200, String(perMessage));
  }
  assert.equal(readdirSync(join(cwd, "new", "drawn")).sort(), ["tram-figure5.5.svg", "tram-figure5.7.svg"]);
  for (const [number, curves] of [
    ["5.5", 4],
    ["5.7", 2],
  ] as const) {
    const svg = readFileSync(join(cwd, "new", "drawn", `tram-figure${number}.svg`), "utf8");
    assert.is(svg.match(/<polyline /g)?.length, curves);
    assert.ok(svg.includes(`Figure ${number}.`) && !/NaN|undefined|Infinity/.test(svg));
  }
});

test("--quick as text: all tables, and that messages are few", async () => {
  const { code, stdout, stderr } = await cliHere(["bench", "tram", "--quick", "--alpha", "1000"]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^(agrees|differs) {2}5\.7: 2D is faster than 1D at every effective buffer size$/m);
  assert.match(stdout, /^ 16( +[\d.]+ x){3}( +[\d.]+ (us|ms)){4}$/m);
  assert.match(stdout, /^ +8 KiB +16 KiB +0\.5 /m);
  assert.match(stdout, /^messages: 100 of each pair, not 10\^6/m);
  assert.match(stdout, /^alpha: 1 us of a message/m);
});

test("wrong usage", async () => {
  const cases: [args: string[], message: RegExp][] = [
    [["--figures", "/dev/null/x"], /--figures expected a file in a folder that can be written to/],
    [["--alpha", "0"], /Expected a number of nanoseconds above 0/],
    [["--seed", "1"], /unknown option '--seed'/],
    [["--caches", "--machine", "m.json"], /'--caches' cannot be used with option '--machine <file>'/],
    [["--machine", fixture("machines", "c2c-aws-graviton3.json")], /expected a model with items\.open/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await cliHere(["bench", "tram", "--quick", ...args]);
    assert.is(code, 2, args.join(" "));
    assert.is(stdout, "");
    assert.ok(stderr.startsWith("error ERR_TUNDISH_USAGE: "), stderr);
    assert.match(stderr, message);
  }
});

test("a grid is as square as possible, and has no dimension of one PE", () => {
  assert.equal(gridOf(64, 1), [64]);
  assert.equal(gridOf(64, 2), [8, 8]);
  assert.equal(gridOf(32, 2), [4, 8]);
  assert.equal(gridOf(32, 3), [2, 4, 4]);
  assert.equal([gridOf(2, 2), gridOf(4, 3)], [null, null]);
});

test("a run: a full buffer, a timeout and acknowledgements cost what they should", () => {
  const messages = 100;
  // ten buffers of ten messages: 2 us and an acknowledgement of 2 us for each hundred
  const one = { pes: 4, mesh: [4], messages, bufferBytes: 2048, alpha: 2000 };
  const { perBuffer, late, perMessage } = runTram(one);
  assert.equal([perBuffer, late], [10, 0]);
  assert.ok(perMessage > 2000 / 10 + 2000 / 100 && perMessage < 500, String(perMessage));
  // one buffer that never becomes full
  const waiting = { ...one, bufferBytes: 2 ** 17 };
  const [short, long] = [0.1, 5].map((timeout) => runTram({ ...waiting, timeout }));
  assert.equal([short.late, long.late, long.perBuffer], [1, 1, messages]);
  assert.ok(Math.abs(long.time - short.time - 4.9e6) < 0.05e6, `${long.time - short.time}`);
  assert.equal(runTram(one), runTram(one));
});

test("2D is best once a push takes enough more where many buffers are open, as the thesis has it", () => {
  /** @param ns more from 9 open buffers on: a row of 16 PEs has 16, a grid of 4 x 4 three and four */
  const ratio = (ns: number) => {
    const open = { look: 0, buffers: [1, 8, 9], sizes: [{ bytes: 512, push: [0, 0, ns] }] };
    const [one, two] = [[16], [4, 4]].map((mesh) => runTram({ pes: 16, mesh, messages: 100, open }).time);
    return two / one;
  };
  assert.ok(ratio(0) > 1.2 && ratio(300) < 0.9, `${ratio(0)} ${ratio(300)}`);
});

/** Points whose times are as given. */
const point = (curve: TramCurve, time: number, more: Partial<TramPoint> = {}): TramPoint => ({
  ...{ curve, pes: 64, mesh: null, bufferBytes: curve === "without" ? 0 : 20_480, threshold: 0.5 },
  ...{ cutoff: null, timeout: 0.2, time, perMessage: time, perBuffer: 1, late: 0 },
  ...more,
});

/** As the thesis has it: times in any unit. */
function likeTheThesis(): TramFigures {
  const grids = (times: readonly [number, number], more: Partial<TramPoint>): TramPoint[] => [
    point("1D", times[0], more),
    point("2D", times[1], more),
  ];
  const perMessage = 100_000;
  return {
    ...{ messages: 200, messageBytes: 100, window: 100, alpha: 2000, assumed: {} },
    byPes: [16, 32, 64].flatMap((pes) => [
      point("without", 10 * pes ** 2, { pes, perMessage }),
      ...grids([3 * pes, 2 * pes], { pes }),
    ]),
    byBuffer: [2048, 8192, 32_768].flatMap((bufferBytes, i) => grids([[8, 6, 9][i], [5, 4, 7][i]], { bufferBytes })),
    byThreshold: [0.25, 0.5].flatMap((threshold) => grids([3, 2], { threshold, bufferBytes: 4096 / threshold })),
    byCutoff: [...grids([90, 80], { cutoff: 0.001 }), ...[0.1, 0.5].flatMap((cutoff) => grids([3, 2], { cutoff }))],
    byTimeout: [0.01, 1].flatMap((timeout) => grids([3, 2], { timeout })),
  };
}

/** The sentences of which other figures say something else. */
function changed(other: Partial<TramFigures>): string[] {
  const before = claimsOf(likeTheThesis());
  return claimsOf({ ...likeTheThesis(), ...other }).flatMap(({ claim, agrees }, i) => {
    assert.is(claim, before[i].claim);
    return agrees === before[i].agrees ? [] : [claim];
  });
}

test("sentences: all agree with figures that are as in the thesis", () => {
  for (const { claim, agrees, numbers } of claimsOf(likeTheThesis())) assert.ok(agrees, `${claim}: ${numbers}`);
});

test("sentences: each differs where its figure does, and no other", () => {
  const { byPes, byBuffer, byThreshold, byCutoff, byTimeout } = likeTheThesis();
  /** Those of a curve, with other times. */
  const timed = (points: readonly TramPoint[], curve: TramCurve, time: (one: TramPoint) => number) =>
    points.map((one) => (one.curve === curve ? { ...one, time: time(one) } : one));
  const cases: [other: Partial<TramFigures>, claims: RegExp[]][] = [
    [
      { byPes: timed(byPes, "without", ({ pes, time }) => (pes === 16 ? 1 : time)) },
      [/is the slowest at every number/],
    ],
    [{ byPes: timed(byPes, "2D", ({ pes }) => 3 * pes) }, [/^2D is best/]],
    [{ byPes: timed(byPes, "2D", ({ pes }) => pes ** 1.25 / 2) }, [/^2D scales well/]],
    [{ byPes: timed(byPes, "1D", ({ pes }) => 3 * pes ** 1.3) }, [/^1D scales well/]],
    [{ byPes: timed(byPes, "without", ({ pes }) => 100 * pes) }, [/grows faster/]],
    [{ byPes: byPes.map((one) => (one.pes === 32 ? { ...one, perMessage: 1000 } : one)) }, [/more than half an hour/]],
    [{ byBuffer: timed(byBuffer, "1D", ({ time }) => time / 2) }, [/^2D is faster than 1D at every/]],
    [
      { byBuffer: timed(byBuffer, "2D", ({ bufferBytes }) => 20_000 / bufferBytes) },
      [/^2D is faster than 1D at every/, /^2D: a smaller/],
    ],
    [{ byThreshold: byThreshold.map((one, i) => ({ ...one, time: 2 + i })) }, [/what counts is the effective/]],
    [{ byCutoff: byCutoff.map((one, i) => ({ ...one, time: 2 + i })) }, [/^the cutoff is mostly irrelevant/]],
    [{ byTimeout: byTimeout.map((one, i) => ({ ...one, time: 2 + i })) }, [/^the timeout is relevant only/]],
  ];
  for (const [other, claims] of cases) {
    const found = changed(other);
    assert.is(found.length, claims.length, `${claims.join(", ")}: ${found.join("; ")}`);
    for (const [i, claim] of claims.entries()) assert.match(found[i], claim);
  }
});

test.run();
