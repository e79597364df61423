/** Selectors on real PEs. */
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { LONG, rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args, Part } from "./selector.program.ts";

const program = sibling("./selector.program.js", import.meta.url);
const play = (pes: number, args: Args) => launchPooled(program, { pes, args, waitTimeout: 30_000 });

const selectors = suite("selectors");

/** Other conveyors below. */
const others = [
  { type: "simple" },
  { type: "simple", hops: 2 },
  { type: "trivial" },
  { hops: 2 },
  { hops: 2, compress: true },
  { mesh: [2, 2], compress: true },
  { maxBytes: 100_000 },
] as const;

for (const pes of [1, 2, 4]) {
  const whole: readonly Part[] = [
    "ping",
    "pingAsync",
    "chain",
    "parents",
    "independent",
    "triangles",
    "sessions",
    "silent",
  ];
  testInTurn<Args>(selectors, program, pes, [
    ...whole.map((part) => [part, { part }, 0] as const),
    ["handlers that send to their own mailbox", { part: "recursive" }, `0 true true ${(4 ** 7 - 1) / 3}`],
    ["what has no room stays where it is", { part: "pressure", items: rounds(20, 60) }, "0 true true 0"],
    ["done before its time", { part: "doneEarly" }, "STATE STATE 100"],
    // each of them over half of these in a plain run
    ...(pes < 4 ? [] : others).flatMap((options, i) =>
      (
        [
          [`ping with ${JSON.stringify(options)}`, { part: "ping", items: 300, options }, 0],
          [`no room with ${JSON.stringify(options)}`, { part: "pressure", items: 20, options }, "0 true true 0"],
        ] as const
      ).filter((_, k) => LONG || (i + k + drawn(2, "selectors")) % 2 === 0),
    ),
  ]);
}

selectors("in groups", async () => {
  assert.equal(await play(3, { part: "pingInGroups", items: 1000 }), [0, 0, 0]);
});

selectors("what cannot be is refused, and nothing is lost", async () => {
  const [errors, others] = (await play(2, { part: "refused" })) as string[][];
  assert.equal(errors, others);
  const expected = [
    /^ERR_TUNDISH_USAGE selector: expected mailboxes/,
    /^ERR_TUNDISH_USAGE selector: expected mailboxes.* got null/,
    /^ERR_TUNDISH_USAGE selector: expected an item type .* for mailbox a, got 5/,
    /^ERR_TUNDISH_USAGE selector: a mailbox cannot be called 1/,
    /^ERR_TUNDISH_USAGE selector: after: unknown mailbox 'b'. Known mailboxes: a/,
    /^ERR_TUNDISH_USAGE selector: after\.a: unknown mailbox 'b'. Known mailboxes: a/,
    /^ERR_TUNDISH_USAGE selector: after\.a: expected a list of mailboxes, got "a"/,
    /^ERR_TUNDISH_USAGE selector: after: expected no cycle, got a after a: /,
    /^ERR_TUNDISH_USAGE selector: after: expected no cycle, got a after d after c after b after a: /,
    /^ERR_TUNDISH_USAGE steady: /,
    /^ERR_TUNDISH_USAGE selector: unknown option 'hop'; did you mean 'hops'\? /,
    /^ERR_TUNDISH_USAGE itemBytes: this option is for elastic conveyors/,
    /^ERR_TUNDISH_USAGE maxBytes: expected at least \d+ bytes for 3 conveyors .* got 1000\./,
    /^ERR_TUNDISH_USAGE hops: a simple conveyor has one or two hops, got 3/,
    /^ERR_TUNDISH_USAGE run: expected a function/,
    /^ERR_TUNDISH_USAGE run: expected a function .* for mailbox b/,
    /^ERR_TUNDISH_USAGE run: unknown mailbox 'c'. Known mailboxes: a, b/,
    /^ERR_TUNDISH_USAGE run: expected a function .* for mailbox b, one that does not await/,
    /^ERR_TUNDISH_USAGE done: unknown mailbox 'c'. Known mailboxes: a, b/,
    /^ERR_TUNDISH_RANGE /,
    /^ERR_TUNDISH_USAGE push: expected a rank and u32/,
    /^ERR_TUNDISH_USAGE push: expected a rank and \{ x: u32 \}/,
    /^ERR_TUNDISH_STATE free: /,
    /^ERR_TUNDISH_STATE run: this selector is in a session/,
    /^ERR_TUNDISH_RANGE /,
    /^ERR_TUNDISH_USAGE push: expected a rank and \{ x: u32 \}/,
    /^ERR_TUNDISH_USAGE push: expected a rank and \{ x: u32 \}/,
    /^true$/,
  ];
  assert.is(errors?.length, expected.length);
  for (const [i, pattern] of expected.entries()) assert.match(errors?.[i] as string, pattern);
});

const endings: readonly [part: Part, ending: RegExp][] = [
  ["throwingHandler", /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: seven/],
  ["caught", /^ERR_TUNDISH_RANK_LOST PE 0 threw TypeError: seven/],
  ["throwingSource", /^ERR_TUNDISH_RANK_LOST PE 1 threw TypeError: no source/],
  ["doneLate", /^ERR_TUNDISH_RANK_LOST PE 0 threw StateError: send\.a: this PE is done with mailbox a/],
  [
    "waitingHandler",
    /^ERR_TUNDISH_RANK_LOST PE 0 threw StateError: turn: expected a call from the source, got one from a handler/,
  ],
  ["asyncSource", /UsageError: run: the source returned a promise/],
  ["sendOfSource", /StateError: send: an asynchronous source must send by its argument/],
  ["differ", /^ERR_TUNDISH_MISMATCH .*mailbox b/],
  ["endless", /^ERR_TUNDISH_TIMEOUT .* 300 ms/],
  ["aborted", /^ERR_TUNDISH_ABORTED PE 0 aborted .*enough/],
];

for (const [part, ending] of endings) {
  selectors(`ends everywhere: ${part}`, async () => {
    let text = "nothing";
    try {
      await play(2, { part });
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      text = `${code} ${message}`;
    }
    assert.match(text, ending, text);
  });
}

for (const [part, sentence] of [
  ["stuck", /PE 1 breaks K3: .* It is inside its sink of the conveyor of mailbox b\.$/],
  [
    "unending",
    /^PE 0 breaks K3: it advances the conveyor of mailbox a, in which it has moved nothing for [^,]*, but has not called advance\(true\) [^:]* PE 1 is done\.$/,
  ],
] as const) {
  selectors(`who lets the others wait is named: ${part}`, async () => {
    const run = launch(program, { pes: 2, args: { part }, timeout: 30_000 });
    const over = run.catch(() => {});
    let text = "";
    for (let tries = 0; tries < 100 && !sentence.test(text); tries++) {
      await delay(100);
      text = run.diagnose(300).problems.join(" ");
    }
    await run.close();
    await over;
    assert.match(text, sentence);
  });
}

selectors("nobody is named as long as there is progress in one mailbox", async () => {
  const run = launch(program, { pes: 2, args: { part: "slow" }, timeout: 30_000 });
  const named: string[] = [];
  // on a busy machine a PE may begin late
  const look = () => named.push(...run.diagnose(700).problems.filter((problem) => !/ breaks K1: /.test(problem)));
  const timer = setInterval(look, 50);
  assert.equal(await run, ["over", "over"]);
  clearInterval(timer);
  assert.equal(named, []);
});

selectors.run();
