/** `tundish bench latency` from end to end, with few items: shape and sense, not speed; its histogram beside a sorted list. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LatencyHistogram } from "../../../packages/tundish-bench/src/latency/histogram.ts";
import {
  type LatencyBench,
  type MeasuredLatency,
  summed,
} from "../../../packages/tundish-bench/src/latency/latency.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";
import { testUnless } from "../../support/skip.ts";
import { SHORT } from "../short.ts";

const alone = usableCpus(await readTopology()).length < 2 ? "fewer than two usable CPUs" : null;
const test = suite("cli bench latency");

/** A rate of which a period is 50 ms, two that are reached where there is time, and one that is not. */
const [SLOW, FAST] = [20, 1_000_000_000];
const RATES = [SLOW, 2000, 50_000, FAST];
/** What one run has measured, by the tests below. */
let all: readonly MeasuredLatency[] = [];
const at = (rate: number): readonly MeasuredLatency[] => all.filter((one) => one.rate === rate);

testUnless(test, alone, "all contenders at each rate; what was sent is received", async () => {
  const { code, stdout, stderr } = await cli(["bench", "latency", ...SHORT, "--rates", RATES.join(), "--json"]);
  assert.is(code, 0, stderr);
  const { schema, measured, distances, bytes } = JSON.parse(stdout) as LatencyBench & { schema: string };
  assert.equal([schema, bytes, measured.length, distances.length], ["tundish/bench-latency@1", 40, 16, 5]);
  all = measured;
  const reached = measured.filter(({ rate }) => rate !== SLOW && rate !== FAST);
  assert.is(reached.length, 8);
  for (const one of reached) {
    assert.is(one.received, one.sent);
    // 50 ms, two threads
    if (!one.isBehind) assert.is(one.sent, (2 * one.rate) / 20);
    // threads that get hardly any CPU in all of the time give up: they have no rate
    if (one.isBehind && one.reached === 0) continue;
    assert.ok(one.reached > 0 && one.itemsEach > 0);
    assert.ok(one.p50 <= one.p90 && one.p90 <= one.p99 && one.p99 <= one.p999 && one.p999 <= one.most);
  }
  const each = reached.filter(({ name }) => name === "postMessage, each item");
  assert.equal(
    each.map(({ itemsEach }) => itemsEach),
    [1, 1],
  );
  assert.is(new Set(reached.map(({ name }) => name)).size, 4);
});

testUnless(test, alone, "an item is due when it may be sent: not a period of its rate before", async () => {
  // a period is 50 ms, and the limit of the conveyors 1 ms: below a period at least once, however busy the machine is
  const isEarly = ({ received, p50 }: MeasuredLatency) => received > 0 && p50 < 50e6;
  assert.is(at(SLOW).length, 4);
  let left = at(SLOW).filter((one) => !isEarly(one));
  for (let turn = 0; turn < 9 && left.length > 0; turn++) {
    const { code, stdout, stderr } = await cli(["bench", "latency", ...SHORT, "--rates", `${SLOW}`, "--json"]);
    assert.is(code, 0, stderr);
    const early = (JSON.parse(stdout) as LatencyBench).measured.filter(isEarly).map(({ name }) => name);
    left = left.filter(({ name }) => !early.includes(name));
  }
  assert.equal(left, []);
});

testUnless(test, alone, "a rate that nobody reaches: all give up, and say so", () => {
  assert.is(at(FAST).length, 4);
  for (const { name, isBehind, sent, received } of at(FAST)) {
    assert.ok(isBehind && sent < 5e7, `${name}: ${sent} sent`);
    assert.is(received, sent, name);
  }
});

test("percentiles of the histogram are those of the sorted list, to a bucket", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1, max: 1e10, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.nat(200),
      (values, part, cut) => {
        // in two, as of two threads
        const [seen, other] = [new LatencyHistogram(), new LatencyHistogram()];
        for (const [i, value] of values.entries()) (i < cut ? seen : other).add(value);
        seen.merge(other);
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(part * values.length) - 1];
        const found = seen.percentile(part);
        assert.is(seen.total, values.length);
        assert.ok(found >= exact * 0.9999 && found <= exact * 2 ** (1 / 16) * 1.0001, `${found}, ${exact}`);
      },
    ),
  );
  assert.is(new LatencyHistogram().percentile(0.5), 0);
});

test("who gives up, or is slower, is behind", () => {
  const seen = new LatencyHistogram();
  seen.add(1000);
  const part = { sent: 1000, received: 1000, took: 1000, messages: 10, counts: seen.counts, most: seen.most };
  const pace = { rate: 1000, ms: 1000 };
  const one = summed("x", pace, [part, part]);
  assert.equal([one.isBehind, one.reached, one.itemsEach, one.sent, one.most], [false, 1000, 100, 2000, 1000]);
  assert.ok(summed("x", pace, [part, { ...part, sent: 999 }]).isBehind);
  assert.ok(summed("x", pace, [part, { ...part, took: 1500 }]).isBehind);
});

test("rates that cannot be", async () => {
  for (const rates of ["0", "5-1", "fast"]) {
    const { code, stderr } = await cliHere(["bench", "latency", "--quick", "--rates", rates]);
    assert.is(code, 2, stderr);
    assert.match(stderr, /rates/);
  }
});

test.run();
