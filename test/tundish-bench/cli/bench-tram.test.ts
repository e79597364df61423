/** `tundish bench tram` with few points: its document, figures and misuse; and that each sentence can come out either way. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Claim } from "../../../packages/tundish-bench/src/claims/claim.ts";
import { claimsOf } from "../../../packages/tundish-bench/src/tram/claims.ts";
import {
  FIGURES,
  type FigureName,
  gridOf,
  type TramCurve,
  type TramFigures,
  type TramPoint,
} from "../../../packages/tundish-bench/src/tram/figures.ts";
import { leanMD, runProgram } from "../../../packages/tundish-bench/src/tram/programs.ts";
import { runTram } from "../../../packages/tundish-bench/src/tram/run.ts";
import { runUpdates } from "../../../packages/tundish-bench/src/tram/updates.ts";
import { cliHere, emptyFolder } from "../../interface/cli/support/cli.ts";
import { fixture } from "../../support/paths.ts";

const test = suite("bench tram");

interface Document extends TramFigures {
  readonly schema: string;
  readonly claims: readonly Claim[];
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
  const { drawn, switched } = figures;
  // what is switched is another run, of fewer or cheaper messages
  for (const [i, { time }] of switched.cheap.entries()) assert.ok(time < drawn["5.1"][i].time);
  assert.equal(
    switched.narrow.map(({ curve, perBuffer }) => `${curve} ${perBuffer <= 10}`),
    ["1D true", "2D false"],
  );
  for (const { curve, time } of switched.sparse)
    assert.ok(time < (drawn["5.9"].findLast((one) => one.curve === curve)?.time ?? 0), curve);
  assert.equal(
    drawn["5.5"].map(({ curve, pes }) => `${curve} ${pes}`),
    [...["without 2", "1D 2", "without 4", "1D 4", "2D 4"], ...["without 8", "1D 8", "2D 8", "3D 8"]],
  );
  for (const [name, alpha, ends] of [
    ["5.5", 2000, 200],
    ["5.6", 4386, 0],
  ] as const) {
    for (const { curve, perBuffer, perMessage, mesh } of drawn[name]) {
      assert.is(curve === "without", mesh === null);
      assert.is(perBuffer === 1, mesh === null);
      // alpha, by the clock of the CPU, and what is done with a message; on Stampede2 the thread sends meanwhile
      if (mesh === null)
        assert.ok(perMessage > alpha + ends - 50 && perMessage < 1.15 * (alpha + ends), `${name}: ${perMessage}`);
    }
  }
  const names = Object.keys(FIGURES) as FigureName[];
  const folder = join(cwd, "new", "drawn");
  assert.equal(readdirSync(folder).sort(), names.map((name) => `tram-figure${name}.svg`).sort());
  for (const name of names) {
    const svg = readFileSync(join(folder, `tram-figure${name}.svg`), "utf8");
    assert.is(svg.match(/<polyline /g)?.length, new Set(drawn[name].map(({ curve }) => curve)).size);
    assert.ok(svg.includes(`Figure ${name}.`) && svg.includes(FIGURES[name].machine), name);
    assert.ok(!/NaN|undefined|Infinity/.test(svg), name);
  }
});

test("--quick as text: all tables, and that messages are few", async () => {
  const { code, stdout, stderr } = await cliHere(["bench", "tram", "--quick", "--alpha", "1000"]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^(agrees|differs) {2}5\.7: 2D is faster than 1D at every effective buffer size$/m);
  assert.match(stdout, /^ +8( +[\d.]+ x){3}( +[\d.]+ (us|ms)){4}( +[\d.]+){3}$/m);
  assert.match(stdout, /^ +8 KiB +16 KiB +0\.5 /m);
  assert.match(stdout, /^\d+ of \d+ agree$/m);
  assert.match(stdout, /^Figure 5\.12: LeanMD, 16 cells a PE, Summit/m);
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

test("a communication thread costs what a PE would pay, and takes turns; LeanMD checks itself", async () => {
  const one = { pes: 2, mesh: null, messages: 100, alpha: 2000 };
  const [pe, thread] = (["Summit", "Stampede2"] as const).map((machine) => runTram({ ...one, machine }));
  // a clock of 1.4 GHz, not of 3.07; what the ends of a message have to do is not the thread's
  const slower = 3.07 / 1.4;
  const expected = slower * (pe.time - 2 * 100 * one.messages);
  assert.ok(Math.abs(thread.time / expected - 1) < 0.1, `${thread.time}, ${pe.time}`);
  // the PE works while its thread sends
  const aggregated = { ...one, mesh: [2], bufferBytes: 2048, window: 100 };
  const [slow, fast] = (["Summit", "Stampede2"] as const).map((machine) => runTram({ ...aggregated, machine }));
  assert.ok(fast.time < slower * slow.time, `${fast.time}, ${slow.time}`);
  const program = leanMD({ pes: 4, mesh: [4] }, 0);
  const together = await runProgram(program);
  const apart = await runProgram({ ...program, mesh: null });
  // the messages that end a session have none
  assert.ok(apart.perBuffer > 0.9 && apart.perBuffer <= 1, `${apart.perBuffer}`);
  assert.ok(together.perBuffer > 1 && together.buffers < apart.buffers && together.time < apart.time);
});

test("RandomAccess: nobody knows which update is the last, so what is left in buffers waits for its time", () => {
  const log2 = 8;
  const updates = (4 * 2 ** log2) / 4;
  const place = { pes: 4, mesh: [2, 2], timeout: 0.2 };
  const [waiting, hasty] = [place, { ...place, timeout: 0.02 }].map((one) => runUpdates(one, log2));
  assert.is(waiting.late, 1);
  // each hop has half of it
  assert.ok(waiting.time > 0.2e6 && waiting.time < 0.3e6, `${waiting.time} ns`);
  assert.ok(hasty.time < waiting.time - 0.1e6, `${hasty.time} ns`);
  const apart = runUpdates({ ...place, mesh: null }, log2);
  assert.is(apart.perBuffer, 1);
  assert.is(apart.perMessage, apart.time / updates);
  assert.ok(apart.buffers > 0.6 * updates && apart.buffers <= updates, `${apart.buffers}`);
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
  // ten buffers of ten messages, whose heads do not count: 2 us and an acknowledgement of 2 us for each hundred
  const one = { pes: 4, mesh: [4], messages, bufferBytes: 2000, alpha: 2000 };
  const { perBuffer, late, perMessage } = runTram(one);
  assert.equal([perBuffer, late], [10, 0]);
  // and what its maker and its handler do
  assert.ok(perMessage > 2000 / 10 + 2000 / 100 + 200 && perMessage < 700, String(perMessage));
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
  ...{ curve, pes: 64, mesh: null, bytes: 100, bufferBytes: curve === "without" ? 0 : 20_480, threshold: 0.5 },
  ...{ cutoff: null, timeout: 0.2, time, perMessage: time, perBuffer: 1, buffers: 1, late: 0 },
  ...more,
});

/** As the thesis has it: times in any unit. */
function likeTheThesis(): TramFigures {
  const grids = (times: readonly [number, number], more: Partial<TramPoint>): TramPoint[] => [
    point("1D", times[0], more),
    point("2D", times[1], more),
  ];
  const all = (times: readonly [number, number, number], more: Partial<TramPoint>): TramPoint[] => [
    point("without", times[0], more),
    ...grids([times[1], times[2]], more),
  ];
  const perMessage = 100_000;
  const stream = (gain: (bytes: number) => number) =>
    [50, 100, 400, 1000, 1400].flatMap((bytes) => [
      point("without", 100, { pes: 2, bytes }),
      point("1D", 100 / gain(bytes), { pes: 2, bytes }),
    ]);
  const twice = stream(() => 2);
  const crossed = stream((bytes) => (bytes < 1000 ? 2 : bytes === 1000 ? 1.05 : 0.9));
  const byBuffer = [2048, 8192, 32_768].flatMap((bufferBytes, i) =>
    grids([[8, 6, 9][i], [5, 4, 7][i]], { bufferBytes }),
  );
  /** Buffers of a PE grow with P, or its root. */
  const access = (times: (pes: number) => readonly [number, number, number]) =>
    [4, 16, 64].flatMap((pes) =>
      all(times(pes), { pes }).map((one) => ({ ...one, buffers: one.curve === "2D" ? 2 * Math.sqrt(pes) : pes })),
    );
  return {
    ...{ messages: 200, messageBytes: 100, window: 100, alpha: 2000, assumed: {} },
    drawn: {
      "5.1": stream((bytes) => (bytes <= 100 ? 2 : 0.8)),
      "5.2": twice,
      "5.3": crossed,
      "5.4": twice,
      "5.5": [16, 32, 64].flatMap((pes) => [
        point("without", 10 * pes ** 2, { pes, perMessage }),
        ...grids([3 * pes, 2 * pes], { pes }),
      ]),
      "5.6": [8, 16, 64].flatMap((pes) => all([pes ** 2, pes, pes], { pes })),
      "5.7": byBuffer,
      "5.8": byBuffer,
      "5.9": access((pes) => [1000, 500, 300].map((time) => time / pes) as [number, number, number]),
      "5.10": access((pes) => [1000, 600 / pes, 660 / pes]),
      "5.11": [512, 2048, 8192, 32_768].flatMap((bufferBytes, i) => grids([5 + i, 6 + i], { bufferBytes })),
      "5.12": [4, 64].flatMap((pes) => all([15, 10, 11], { pes })),
    },
    byThreshold: [0.25, 0.5].flatMap((threshold) => grids([3, 2], { threshold, bufferBytes: 4096 / threshold })),
    byCutoff: [...grids([90, 80], { cutoff: 0.001 }), ...[0.1, 0.5].flatMap((cutoff) => grids([3, 2], { cutoff }))],
    byTimeout: [0.01, 1].flatMap((timeout) => grids([3, 2], { timeout })),
    patient: { Summit: crossed, Stampede2: twice },
    switched: { cheap: twice, narrow: grids([3, 2], {}), sparse: grids([3, 2], {}) },
    larger: { Summit: all([1000, 250, 150], {}), Stampede2: all([100_000, 600, 660], {}) },
  };
}

/** The sentences of which other figures say something else. */
function changed(other: Partial<TramFigures>): string[] {
  const before = claimsOf(likeTheThesis());
  return claimsOf({ ...likeTheThesis(), ...other }).flatMap(({ place, claim, agrees }, i) => {
    assert.is(claim, before[i].claim);
    return agrees === before[i].agrees ? [] : [`${place}: ${claim}`];
  });
}

test("sentences: all agree with figures that are as in the thesis", () => {
  for (const { place, claim, agrees, numbers } of claimsOf(likeTheThesis()))
    assert.ok(agrees, `${place}: ${claim}: ${numbers}`);
});

test("sentences: each differs where its figure does, and no other", () => {
  const { drawn, byThreshold, byCutoff, byTimeout, larger } = likeTheThesis();
  /** A figure of which a curve has other times. */
  const timed = (name: FigureName, curve: TramCurve, time: (one: TramPoint) => number): Partial<TramFigures> => ({
    drawn: {
      ...drawn,
      [name]: drawn[name].map((one) => (one.curve === curve ? { ...one, time: time(one) } : one)),
    },
  });
  const edited = (name: FigureName, edit: (one: TramPoint) => TramPoint): Partial<TramFigures> => ({
    drawn: { ...drawn, [name]: drawn[name].map(edit) },
  });
  const cases: [other: Partial<TramFigures>, claims: RegExp[]][] = [
    [
      timed("5.1", "without", ({ bytes, time }) => (bytes > 1000 ? 1.3 * time : time)),
      [/changes little/, /visibly slower/],
    ],
    [timed("5.1", "1D", ({ bytes, time }) => (bytes > 1000 ? 95 : time)), [/visibly slower/]],
    [timed("5.1", "1D", ({ bytes, time }) => (bytes < 100 ? 95 : time)), [/very small messages/]],
    [timed("5.2", "1D", () => 70), [/^5\.2: aggregation is significantly/]],
    [timed("5.2", "1D", () => 101), [/^5\.2: aggregation is significantly/, /across the board/]],
    [timed("5.3", "1D", ({ bytes, time }) => (bytes === 50 ? 95 : time)), [/small messages, below/]],
    [
      timed("5.3", "1D", ({ bytes, time }) => (bytes >= 400 ? 105 : time)),
      [/small messages, below/, /curves cross/, /^3: messages of up to 1000/],
    ],
    [timed("5.3", "1D", () => 50), [/curves cross/]],
    [timed("5.4", "1D", ({ bytes }) => (bytes === 1000 ? 95 : 50)), [/beyond doubt/]],
    [timed("5.4", "1D", ({ bytes }) => (bytes === 1400 ? 30 : 50)), [/around 2 x/]],
    [timed("5.5", "without", ({ pes, time }) => (pes === 16 ? 1 : time)), [/is the slowest at every number/]],
    [timed("5.5", "2D", ({ pes }) => 3 * pes), [/2D is best/]],
    [timed("5.5", "2D", ({ pes }) => pes ** 1.25 / 2), [/2D scales well/]],
    [timed("5.5", "1D", ({ pes }) => 3 * pes ** 1.3), [/1D scales well/]],
    [timed("5.5", "without", ({ pes }) => 100 * pes), [/grows faster/]],
    [edited("5.5", (one) => (one.pes === 32 ? { ...one, perMessage: 1000 } : one)), [/more than half an hour/]],
    [timed("5.6", "2D", ({ pes, time }) => (pes === 8 ? 60 : time)), [/^5\.6: aggregation is significantly/]],
    [timed("5.6", "without", ({ pes }) => 4 * pes), [/drastic slowdowns/]],
    [timed("5.7", "1D", ({ time }) => time / 2), [/^5\.7: 2D is faster than 1D/, /^5\.8: the results agree/]],
    [
      timed("5.7", "2D", ({ bufferBytes }) => 20_000 / bufferBytes),
      [/^5\.7: 2D is faster than 1D/, /^5\.7: 2D: a smaller/, /^5\.8: the results agree/],
    ],
    [timed("5.8", "1D", ({ bufferBytes, time }) => (bufferBytes <= 4096 ? 3000 : time)), [/^5\.8: a lot of the gain/]],
    [edited("5.9", (one) => ({ ...one, buffers: one.pes })), [/^2\.1/]],
    [timed("5.9", "2D", ({ pes }) => 550 / pes), [/^5\.9: 2D is best/]],
    [timed("5.9", "1D", ({ pes }) => (pes === 4 ? 900 : 500) / pes), [/^5\.9: 1D and 2D are significantly/]],
    [timed("5.10", "without", ({ pes }) => 2000 / pes), [/^5\.10: aggregation scales better/]],
    [timed("5.10", "2D", ({ pes }) => (pes === 4 ? 1000 : 660) / pes), [/very similar/]],
    [timed("5.10", "2D", ({ pes }) => 590 / pes), [/1D is faster as/]],
    [
      timed("5.7", "1D", ({ bufferBytes }) => (bufferBytes === 2048 ? 5.5 : 9)),
      [/^5\.7: 1D: a smaller/, /^5\.8: the results agree/],
    ],
    [
      timed("5.10", "2D", ({ pes }) => (pes === 4 ? 990 : 660 / pes)),
      [/across/, /5\.10: aggregation is faster/, /very similar/],
    ],
    [{ larger: { ...larger, Summit: drawn["5.9"] } }, [/Summit: with a larger table/]],
    [timed("5.11", "2D", ({ time }) => 20 - time), [/^5\.11: 2D/]],
    [{ larger: { ...larger, Stampede2: larger.Summit } }, [/Stampede2: with a larger table/]],
    [timed("5.11", "1D", ({ time }) => 20 - time), [/^5\.11: 1D/]],
    [timed("5.12", "without", () => 11), [/^5\.12: 1D and 2D are faster/]],
    [timed("5.12", "without", () => 21), [/the gain is modest/]],
    [timed("5.12", "2D", () => 10), [/1D is slightly faster/]],
    [{ byThreshold: byThreshold.map((one, i) => ({ ...one, time: 2 + i })) }, [/what counts is the effective/]],
    [{ byCutoff: byCutoff.map((one, i) => ({ ...one, time: 2 + i })) }, [/the cutoff is mostly irrelevant/]],
    [{ byTimeout: byTimeout.map((one, i) => ({ ...one, time: 2 + i })) }, [/the timeout is relevant only/]],
  ];
  const seen = new Set<string>();
  for (const [other, claims] of cases) {
    const found = changed(other);
    assert.is(found.length, claims.length, `${claims.join(", ")}: ${found.join("; ")}`);
    for (const [i, claim] of claims.entries()) assert.match(found[i], claim);
    for (const one of found) seen.add(one);
  }
  const left = claimsOf(likeTheThesis()).filter(({ place, claim }) => !seen.has(`${place}: ${claim}`));
  assert.equal(
    left.map(({ place, claim }) => `${place}: ${claim}`),
    [],
  );
});

test.run();
