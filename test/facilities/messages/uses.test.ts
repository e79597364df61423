/** Channels as programs use and misuse them (programs/uses.program.ts), on threads and over nodes. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { channel } from "../../../src/messages.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { open } from "../../../src/running/launch/open.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import type { Args } from "./programs/uses.program.ts";

const program = sibling("./programs/uses.program.js", import.meta.url);
const test = suite("channels, uses");
const NUMBERS = rounds(100_000, 1_000_000);

for (const backend of ["ump", "fastforward"] as const) {
  test(`numbers each way, in order, ${backend}`, async () => {
    const args: Args = { part: "in order", count: NUMBERS, backend };
    assert.equal(await launch(program, { pes: 2, args, timeout: 60_000 }), [0, 0]);
  });
}

const MISUSE = (rank: number): readonly RegExp[] => [
  new RegExp(`^channel: expected the rank of another PE, from 0 to 1 and not ${rank}, got ${rank} .*_RANGE`),
  /^channel: expected the rank of another PE, .*got 2 .*_RANGE/,
  /^channel: expected the rank of another PE, .*got "1" .*_RANGE/,
  /^backend: expected one of "ump", "fastforward", got "tcp"/,
  /^slots: expected a power of two from 2 to 2\^20, got 3/,
  /^partBytes: expected a whole number from 64 to 2\^24, got 1/,
  /^item: expected an item type .*got "u32"/,
  /^partBytes: not allowed for a channel of items/,
  /^channel: unknown option 'slot'; did you mean 'slots'\?/,
  /^send: expected \{ at: u32, value: f64 \}, got \(1\) .*_USAGE/,
  /^trySend: expected \{ at: u32, value: f64 \}, got \("1", 2\) .*_USAGE/,
  /^send: expected a typed array or a DataView that is not detached, got \[ 1 \] .*_USAGE/,
  /^send: expected a typed array or a DataView that is not detached, got Uint8Array/,
  /^trySend: expected at most 128 bytes, the longest part .*got 129; use send or sendAsync.*_USAGE/,
  /^timeout: expected milliseconds >= 0, got -1/,
  /^receive: unknown option 'time'; did you mean 'timeout'\?/,
  new RegExp(
    `^PE ${rank} waited for PE ${1 - rank} for \\d+ ms, .*No message came in the channel to PE ${1 - rank}: it must send one.*_TIMEOUT`,
  ),
  new RegExp(`No message came in the channel "points" to PE ${1 - rank}: it must send one.*_TIMEOUT`),
  /^false,,false,$/,
  /^7 0.5$/,
  /^send: this channel "points" was freed; make another.*_STATE/,
  /^receive: this channel was freed; make another.*_STATE/,
  /^canSend: this channel was freed; make another.*_STATE/,
];

type Said = readonly [misuse: string[], freed: string[], meanwhile: string[], async: string[], groups: number];

const STEPS: readonly Args[] = (["misuse", "freed", "freed meanwhile", "async", "groups"] as const).map((part) => ({
  part,
}));

/** @param all by PE */
function check(all: readonly Said[], text = ""): void {
  assert.is(all.length, 2, text);
  for (const [rank, [misuse, freed, meanwhile, later, groups]] of all.entries()) {
    assert.is(misuse.length, MISUSE(rank).length);
    for (const [i, expected] of MISUSE(rank).entries()) assert.match(misuse[i] as string, expected);
    if (rank === 1) {
      assert.is(freed[0], "0,1,2");
      assert.match(
        freed[1] as string,
        /^receive: PE 0 has freed its end of the channel: no further message comes.*_STATE/,
      );
      assert.match(
        freed[2] as string,
        /^send: PE 0 has freed its end of the channel, and receives nothing more.*_STATE/,
      );
      for (const one of freed.slice(3)) assert.match(one, /^(try|can)Receive: PE 0 has freed its end of the channel/);
      for (const one of meanwhile)
        assert.match(one, /^receive(Async)?: PE 0 has freed its end of the channel: no further message/);
      assert.is(meanwhile.length, 2);
      assert.is(later[0], "8");
      for (const one of later.slice(1))
        assert.match(one, /^(send|sendAsync|trySend): (sendAsync has not settled yet|expected at most 8192 bytes)/);
    } else {
      for (const one of later.slice(0, 3))
        assert.match(one, /: receiveAsync has not settled yet; await it first.*_STATE/);
      assert.is(later[3], "5");
      assert.match(later[4] as string, /waited for PE 1 longer than it was given\. .*No message came.*_TIMEOUT/);
      assert.match(later[5] as string, /aborted: "enough".*_ABORTED/);
      assert.is(later[6], "4000000 9");
    }
    assert.is(groups, 0);
  }
}

test("misuse, and ends that are freed, on threads", async () => {
  check(await launch<Said>(program, { pes: 2, args: STEPS, timeout: 60_000 }));
});

eachMpi(
  test,
  "the same over two nodes",
  async (kind) => {
    const { said, code, text } = await job(kind, {
      program: program.href,
      pes: [1, 1],
      args: STEPS,
      byMpi: true,
      timeout: 60_000,
    });
    assert.is(code, 0, text);
    check(
      said.toSorted((a, b) => a.node - b.node).flatMap(({ results }) => results as unknown as Said[]),
      text,
    );
  },
  inTurn(1),
);

test("all slots are room, whatever the receiver waits for, on threads", async () => {
  assert.equal(await launch(program, { pes: 4, args: { part: "all slots" }, timeout: 60_000 }), [0, 0, 0, 0]);
});

// memory that both nodes have mapped is the same under either MPI
for (const [byMpi, kinds] of [
  [true, inTurn(1, "all slots")],
  [false, inTurn(0, "all slots")],
] as const) {
  eachMpi(
    test,
    `all slots are room over two nodes, ${byMpi ? "by MPI" : "through mapped memory"}`,
    async (kind) => {
      const order = { program: program.href, pes: [2, 2], args: { part: "all slots" }, byMpi, timeout: 60_000 };
      const { said, code, text } = await job(kind, order);
      assert.is(code, 0, text);
      assert.equal(
        said.flatMap(({ results }) => results),
        [0, 0, 0, 0],
      );
    },
    kinds,
  );
}

const FAULTS = [
  ["mismatch", undefined, /with items (u32|f64), slots 64|items|the same/, "ERR_TUNDISH_MISMATCH"],
  ["peer throws", undefined, /^PE 1 threw RangeError: out of messages/, "ERR_TUNDISH_RANK_LOST"],
  [
    "peer returns",
    undefined,
    /PE 1 has returned from its main, or left, with the channel open/,
    "ERR_TUNDISH_(RANK_LOST|STATE)",
  ],
  [
    "detached",
    undefined,
    /sendAsync: the array was detached, or changed its length, while it was sent/,
    "ERR_TUNDISH_(USAGE|RANK_LOST)",
  ],
  ["cut off", 500, /There was no room in the channel to PE 1: it must receive/, "ERR_TUNDISH_TIMEOUT"],
] as const;
for (const [part, waitTimeout, message, code] of FAULTS) {
  test(`on threads: ${part}`, async () => {
    try {
      // an error of its own, not that of the time
      await launch(program, { pes: 2, args: { part }, timeout: 30_000, ...(waitTimeout && { waitTimeout }) });
      assert.unreachable();
    } catch (error) {
      const { code: got, message: text } = error as Error & { code: string };
      assert.match(text, message);
      assert.match(`${got} ${text}`, new RegExp(code));
    }
  });
  eachMpi(
    test,
    `over two nodes: ${part}`,
    async (kind) => {
      const order = { program: program.href, pes: [1, 1], args: { part }, byMpi: true, timeout: 30_000 };
      const ended = await job(kind, { ...order, ...(waitTimeout && { waitTimeout }) });
      assert.is.not(ended.code, 0, ended.text);
      const [error] = ended.said.flatMap((one) => (one.error ? [one.error] : []));
      assert.match(String(error?.message), message, ended.text);
      assert.match(`${error?.code} ${error?.message}`, new RegExp(code));
    },
    inTurn(FAULTS.findIndex(([name]) => name === part)),
  );
}

test("in an open world: a PE that has returned from its main with the channel open", async () => {
  const world = await open({ pes: 2, timeout: 30_000 });
  try {
    for (let i = 0; i < 5; i++) {
      const why = await world.run(program, { args: { part: "peer returns" }, timeout: 30_000 }).then(String, String);
      assert.match(why, /receive: PE 1 has returned from its main, or left, with the channel open/);
    }
  } finally {
    await world.close();
  }
});

const NO_MESSAGE = /No message came.*_TIMEOUT/;

test("on threads: nothing disturbs a send, results stay, one side is enough to end", async () => {
  const play = (part: Args["part"]) => launch<unknown>(program, { pes: 2, args: { part }, timeout: 30_000 });
  const [said, length] = await play("undisturbed");
  assert.match(String(said), NO_MESSAGE);
  assert.is(length, 5000);
  assert.equal(await play("result"), [Uint8Array.of(0), Uint8Array.of(0)]);
  assert.equal(await play("one-sided"), [1, 1]);
});

eachMpi(
  test,
  "over two nodes: nothing disturbs a send, results stay, one side is enough to end",
  async (kind) => {
    const args = (["undisturbed", "result", "one-sided"] as const).map((part): Args => ({ part }));
    const order = { program: program.href, pes: [1, 1], args, byMpi: true, timeout: 60_000 };
    const { said, code, text } = await job(kind, order);
    assert.is(code, 0, text);
    const [first, second] = said
      .toSorted((a, b) => a.node - b.node)
      .flatMap(({ results }) => results as [unknown, object, number][]);
    assert.match(String(first?.[0]), NO_MESSAGE);
    assert.equal(
      [second?.[0], ...[first, second].flatMap((one) => Object.values(one?.[1] ?? {})), first?.[2], second?.[2]],
      [5000, 0, 0, 1, 1],
    );
  },
  inTurn(0),
);

const HEAP_BYTES = 2 ** 25;
const NO_ROOM = /^(alloc: |appendBuffer: )?.*(the heap|The heap|Cannot allocate|no contiguous|no room).*_HEAP/;

test("no room in the heap, on threads: both are told, and the world goes on", async () => {
  const all = await launch<[string, string, number]>(program, {
    ...{ pes: 2, args: { part: "no room" }, heapBytes: HEAP_BYTES, timeout: 30_000 },
  });
  for (const [rank, [said, large, got]] of all.entries()) {
    assert.match(said, NO_ROOM);
    assert.match(large, NO_ROOM);
    assert.is(got, 1 - rank);
  }
});

eachMpi(
  test,
  "no room in the heap, over two nodes",
  async (kind) => {
    const order = {
      program: program.href,
      pes: [1, 1],
      args: { part: "no room" },
      byMpi: true,
      timeout: 30_000,
    };
    const { said, code, text } = await job(kind, { ...order, heapBytes: HEAP_BYTES });
    assert.is(code, 0, text);
    for (const { node, results } of said) {
      const [[, large, got]] = results as [string, string, number][];
      assert.match(large, NO_ROOM, text);
      assert.is(got, 1 - node);
    }
  },
  inTurn(2),
);

test("virtual PEs: blocking forms say what to await", async () => {
  await simulateAsync({ pes: 2 }, async (pe) => {
    const c = channel(pe, 1 - pe.rank);
    assert.throws(() => c.send(Uint8Array.of(1)), /send.*sendAsync\(\)/);
    assert.throws(() => c.receive(), /receive.*receiveAsync\(\)/);
    await c.sendAsync(Uint8Array.of(pe.rank));
    assert.is((await c.receiveAsync())[0], 1 - pe.rank);
    c.free();
  });
});

test("virtual PEs: a mismatch ends the world", async () => {
  try {
    await simulateAsync({ pes: 2 }, async (pe) => {
      const c = channel(pe, 1 - pe.rank, { slots: pe.rank === 0 ? 2 : 4 });
      await c.sendAsync(Uint8Array.of(1));
      await c.receiveAsync();
    });
    assert.unreachable();
  } catch (error) {
    const { message } = error as Error;
    assert.match(message, /Both PEs must make theirs in the same order, with the same options/, message);
  }
});
test.run();
