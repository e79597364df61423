/** What is tried for the conveyors of a program, and what the measured times come to: without running anything. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planConveyor } from "../../../src/plan/conveyor/plan.ts";
import { type Candidate, type Forced, haveSameWays } from "../../../src/plan/model/cost-model.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import { closeOnes, judge } from "../../../src/running/tune/judge.ts";
import { promising } from "../../../src/running/tune/promising.ts";
import { areSame } from "../../../src/running/tune/sessions.ts";
import { entriesIn, type Trial, TunedEntry } from "../../../src/running/tune/trials.ts";

const test = suite("judging tuned plans");

test("another choice wins only if its quartiles are apart from those of the predicted best", () => {
  const predicted = { times: [9, 10, 10, 11] };
  const slow = { times: [20, 21, 22, 23] };
  const fast = { times: [6, 7, 7, 8] };
  const close = { times: [7, 9, 10, 10] };
  const of = { predicted };
  assert.equal(judge([predicted, slow]), {
    ...of,
    ...{ kept: predicted, fastest: predicted, verdict: "predicted" },
  });
  assert.equal(judge([predicted, slow, fast]), { ...of, kept: fast, fastest: fast, verdict: "fastest" });
  assert.equal(judge([predicted, close]), {
    ...of,
    ...{ kept: predicted, fastest: close, verdict: "no difference" },
  });
  assert.equal(closeOnes([predicted, slow, close]), [predicted, close]);
  assert.equal(closeOnes([predicted, slow, fast]), [fast]);
});

test("one run or two tell nothing apart: the predicted best is run again", () => {
  const predicted = { times: [10] };
  const fast = { times: [5] };
  assert.is(judge([predicted, fast]).verdict, "no difference");
  assert.is(judge([predicted, fast]).kept, predicted);
  assert.equal(closeOnes([predicted, { times: [20] }, fast]), [predicted, fast]);
  assert.is(judge([{ times: [10, 11, 10] }, { times: [5, 6, 5] }]).verdict, "fastest");
});

const model = costModelOf(undefined, { itemBytes: 16, pes: 16, nodes: 4 });
const workload = { itemBytes: 16, load: 2000 };

test("the promising choices: the plan first, no two alike, and as many as wished", () => {
  const all = promising(model, workload, {}, 6);
  assert.is(all.length, 6);
  assert.ok(areSame(all[0] as Candidate, planConveyor(model, workload)?.expected as Candidate));
  for (const [i, a] of all.entries()) {
    for (const b of all.slice(0, i)) {
      const isOther = a.type !== b.type || !haveSameWays(a, b);
      const ratio = a.bufferBytes / b.bufferBytes;
      assert.ok(isOther || ratio >= 4 || ratio <= 1 / 4, JSON.stringify([a, b]));
    }
  }
  assert.ok(promising(model, workload, { hops: 2, type: "tensor" }, 4).every(({ hops }) => hops === 2));
  // nothing has room for one item
  assert.equal(promising(model, { ...workload, maxBytes: 16 }, {}, 4), []);
});

const now: Candidate = { type: "tensor", hops: 1, groupSize: 16, bufferBytes: 16_384, buffersPerLink: 2 };
const seen = { name: "edges", sessions: 3, time: 500, workload, share: 1, choices: [now] };

test("what a program fixes itself is found out, and the rest is tuned", () => {
  const entry = new TunedEntry(seen, undefined, model, {}, 4);
  assert.ok(entry.trials.some(({ prediction }) => areSame(prediction, now)));
  const other = entry.trials.find(({ prediction }) => prediction.hops > 1) as Trial;
  entry.note(other, { ...seen, choices: [{ ...now, bufferBytes: other.prediction.bufferBytes }] });
  assert.is(other.times.length, 0);
  assert.is(entry.fixed.hops, 1);
  assert.ok(entry.isOpen);
  assert.ok(entry.trials.every(({ prediction }) => prediction.hops === 1));
  const [first] = entry.trials as [Trial];
  entry.note(first, { ...seen, time: 700, choices: [first.prediction] });
  assert.equal(first.times, [700]);
});

test("each choice has its turns, and close ones twice as many", () => {
  const entry = new TunedEntry(seen, undefined, model, {}, 3);
  const [a, b, ...rest] = entry.trials as [Trial, Trial, ...Trial[]];
  assert.equal(entry.wanted(2, false), entry.trials);
  for (const trial of rest) trial.times.push(90, 91);
  a.times.push(10, 12);
  assert.equal(entry.wanted(2, true), [b]);
  b.times.push(11, 12);
  assert.equal(entry.wanted(2, false), [a, b]);
  assert.equal(entry.wanted(2, true), []);
  a.times.push(10, 12);
  assert.equal(entry.wanted(2, false), [b]);
  assert.is(entry.best, a);
});

test("what is tried keeps to the memory that the program gives a conveyor", () => {
  const maxBytes = 2 ** 14;
  const entry = new TunedEntry({ ...seen, workload: { ...workload, maxBytes } }, undefined, model, {}, 6);
  assert.ok(entry.isOpen);
  assert.ok(entry.trials.every(({ prediction }) => prediction.memory <= maxBytes || areSame(prediction, now)));
  const less = new TunedEntry({ ...seen, workload: { ...workload, maxBytes } }, 2 ** 13, model, {}, 6);
  assert.is(less.workload.maxBytes, 2 ** 13);
  // a part of it is for the buffers; what was given is told, and compared
  const shared = { ...seen, workload: { ...workload, maxBytes }, share: 0.25 };
  const part = new TunedEntry(shared, 2 ** 15, model, {}, 6);
  assert.is(part.workload.maxBytes, maxBytes);
  assert.ok(part.trials.every(({ prediction }) => prediction.memory <= maxBytes / 4 || areSame(prediction, now)));
});

test("limits that leave nothing open are named", () => {
  const closing = (maxBytes: number | undefined, forced: Forced) =>
    new TunedEntry(seen, maxBytes, model, forced, 4).closing;
  assert.equal(closing(undefined, {}), []);
  assert.equal(closing(16, {}), ["maxBytes"]);
  assert.equal(closing(2 ** 20, { groupSize: 5 }), ["groupSize"]);
  const shape = { type: "tensor", hops: 1, groupSize: 16, bufferBytes: 512, buffersPerLink: 1 } as const;
  assert.equal(closing(undefined, shape), Object.keys(shape));
  const settled = new TunedEntry(seen, undefined, model, { hops: 1 }, 4);
  settled.fixed = shape;
  assert.equal(settled.closing, []);
});

test("the sessions of all PEs by name: those of the slowest PE, the largest items", () => {
  const own = {
    ...{ name: "*", sessions: 2, pushes: 20, itemBytes: 8, packetBytes: 0 },
    ...{ maxBytes: null, share: 1, scratch: 3, choices: [now] },
  };
  const sessions = [
    [{ ...own, time: 100 }],
    [
      { ...own, time: 300, pushes: 40 },
      { ...own, name: "a", time: 4000, itemBytes: 4, packetBytes: 700, maxBytes: 9000, share: 0.5 },
    ],
    [{ ...own, name: "a", time: 4000, itemBytes: 4, packetBytes: 500, maxBytes: 8000 }],
  ];
  const [a, all] = entriesIn({ sessions });
  assert.is(a?.name, "a");
  assert.equal([all?.name, all?.sessions, all?.time], ["*", 2, 150]);
  assert.equal(all?.workload, { itemBytes: 8, load: 20, scratch: 3 });
  assert.equal([a?.share, all?.share], [0.5, 1]);
  // of any length: 1200 bytes of 40 items, not the 4 bytes that were planned for
  assert.equal(a?.workload, { itemBytes: 30, load: 10, scratch: 3, maxBytes: 8000 });
});

test.run();
