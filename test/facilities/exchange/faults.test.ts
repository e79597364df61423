/** What goes wrong in an exchange: every wait ends, with an error that says why, and nothing is lost before. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Chunk } from "../../../src/facilities/exchange/incoming.ts";
import {
  AbortedError,
  MismatchError,
  RankLostError,
  RankRangeError,
  StateError,
  TimeoutError,
  UsageError,
} from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { DISCIPLINES } from "../../../src/route/disciplines/options.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { type SimulatedProgram, simulate } from "../../../src/running/simulate/simulate.ts";
import { rounds } from "../../support/long.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Fault } from "./programs/faults.program.ts";

const faults = sibling("./programs/faults.program.js", import.meta.url);
const ignore = (): void => {};

const run = <T>(program: SimulatedProgram<T>, options: Partial<SimulationOptions> = {}) =>
  simulate({ pes: 4, nodes: 2, timeout: 1000, ...options }, program);

function failure(program: SimulatedProgram, options?: Partial<SimulationOptions>): Error {
  try {
    run(program, options);
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

const test = suite("faults in exchanges");

for (const discipline of DISCIPLINES) {
  test(`${discipline}: a PE that crashes ends all waits`, () => {
    for (let k = 0; k < rounds(10, 500); k++) {
      const error = failure(
        function* (pe) {
          const x = pe.exchange({ discipline, chunkBytes: 1000 });
          for (;;) {
            for (let to = 0; to < pe.size; to++) x.schedule(to, new Uint8Array(3000));
            yield* x.finish(ignore);
          }
        },
        { seed: k, faults: [{ kind: "crash", pe: k % 4, at: 1000 + 3777 * k }] },
      );
      assert.instance(error, RankLostError);
      assert.match(error.message, /crashed/);
    }
  });

  test(`${discipline}: a PE that leaves ends all waits`, () => {
    const error = failure(function* (pe) {
      const x = pe.exchange({ discipline });
      if (pe.rank === 2) return;
      x.schedule((pe.rank + 1) % pe.size, new Uint8Array(10));
      yield* x.finish(ignore);
    });
    assert.instance(error, RankLostError);
    assert.match(
      error.message,
      /^PE 2 has returned from its program in the middle of an exchange's phase that PE \d has begun \((control of )?exchange\)\. Every PE must call finish/,
    );
  });
}

test("what serviceQueue throws loses nothing; what finish throws ends the phase", () => {
  const { results } = run(function* (pe) {
    const x = pe.exchange({ chunkBytes: 100 });
    for (let i = 0; i < 20; i++) x.schedule((pe.rank + (i % 2)) % pe.size, Uint8Array.of(i), i);
    const tags: number[] = [];
    let calls = 0;
    const take = ({ tag, from }: Chunk) => {
      if (++calls % 3 === 0) throw new Error("not now");
      if (from !== pe.rank) tags.push(tag);
    };
    for (let turn = 0; turn < 200; turn++) {
      try {
        yield* x.serviceQueue(take);
      } catch (error) {
        assert.is((error as Error).message, "not now");
      }
    }
    yield* x.finish(assert.unreachable as () => void);
    return tags;
  });
  const odd = Array.from({ length: 10 }, (_, i) => 2 * i + 1);
  assert.equal(results, [odd, odd, odd, odd]);
  const error = failure(function* (pe) {
    const x = pe.exchange();
    x.schedule(3, Uint8Array.of(1));
    yield* x.finish(() => {
      throw new RangeError("too much");
    });
  });
  assert.instance(error, RankLostError);
  assert.match(error.message, /^PE 3 threw RangeError: too much/);
});

test("limits of a phase", () => {
  const error = failure(function* (pe) {
    const x = pe.exchange({ timeout: 1, discipline: "token" });
    if (pe.rank === 1) while (x.state !== "closed") yield* pe.turn();
    yield* x.finish(ignore);
  });
  assert.instance(error, TimeoutError);
  assert.match(error.message, /^The exchange's phase took longer than 1 ms \(timeout\); PE \d is closed/);
  const signal = AbortSignal.abort("enough");
  const aborted = failure(function* (pe) {
    yield* pe.exchange({ signal }).finish(ignore);
  });
  assert.instance(aborted, AbortedError);
  assert.match(aborted.message, /aborted the exchange's phase: "?enough/);
});

test("calls that are refused change nothing", () => {
  run(function* (pe) {
    const x = pe.exchange();
    const data = new Uint8Array(1);
    const refused = (call: () => unknown, type: new (message: string) => Error, message: RegExp) => {
      try {
        call();
      } catch (error) {
        assert.instance(error, type);
        assert.match((error as Error).message, message);
        return;
      }
      assert.unreachable(`expected ${message}`);
    };
    for (const rank of [4, -1, 0.5, "0"]) {
      refused(() => x.schedule(rank as number, data), RankRangeError, /expected a rank from 0 to 3, got/);
    }
    refused(() => x.schedule(0, [1] as never), UsageError, /expected a typed array or a DataView, got/);
    refused(() => x.schedule(0, data, 2 ** 31), UsageError, /expected a tag from/);
    refused(() => x.finish(null as never).next(), UsageError, /finish: expected a function/);
    refused(() => x.all([data]).next(), UsageError, /all: expected a list of 4 typed arrays/);
    refused(
      () => x.all([data, new Float32Array(1), data, data]).next(),
      UsageError,
      /all: expected typed arrays of one type, got .*, after a Uint8Array/,
    );
    assert.is(x.state, "dormant");
    x.schedule(pe.rank, data);
    assert.is(x.state, "open");
    refused(() => x.free(), StateError, /free: the exchange's phase is open at this PE; call finish/);
    refused(() => x.all([data, data, data, data]).next(), StateError, /all: the exchange's phase is open/);
    let count = 0;
    yield* x.finish(() => {
      count++;
      refused(() => x.schedule(0, data), StateError, /schedule: this PE has called finish/);
      refused(() => x.finish(ignore).next(), StateError, /finish: not allowed inside onChunk/);
      refused(() => x.serviceQueue(ignore).next(), StateError, /serviceQueue: not allowed inside onChunk/);
    });
    assert.is(count, 1);
    x.free();
    x.free();
    refused(() => x.schedule(0, data), StateError, /schedule: this exchange was freed/);
  });
  for (const options of [{ discipline: "dinamic" }, { chunkBytes: 0 }, { window: 32 }, { colour: 1 }]) {
    assert.instance(
      failure(function* (pe) {
        pe.exchange(options as never);
        yield;
      }).cause,
      UsageError,
    );
  }
});

test("exchanges that differ", () => {
  const error = failure(function* (pe) {
    pe.exchange({ discipline: pe.rank === 1 ? "token" : "eager" });
    yield;
  });
  assert.instance(error, MismatchError);
  assert.match(error.message, /an exchange, discipline (token|eager)/);
});

const REAL: readonly (readonly [Fault, string, RegExp])[] = [
  ["throws", "RANK_LOST", /^PE 1 threw RangeError: too much/],
  ["returns", "RANK_LOST", /^PE 1 has returned from its main, or left, in the middle of an exchange's phase/],
  // what they say of PE 1: links/diagnose/exchanges.test.ts
  ["never finishes", "TIMEOUT", /^PE [02] waited .*longer than/],
  ["computes", "TIMEOUT", /^PE [02] waited .*longer than/],
  [
    "never closes",
    "TIMEOUT",
    /^PE [02] waited in a session of the exchange, in state closed, longer than the limit of 500 ms/,
  ],
  ["differs", "MISMATCH", /discipline/],
  ["crashes", "RANK_LOST", /PE 1/],
];

for (const [fault, code, message] of REAL) {
  test(`on threads: PE 1 ${fault}`, async () => {
    for (const discipline of ["token", "dynamic"]) {
      const args = { fault, discipline };
      try {
        // on a busy machine it takes some time until a lost PE is noticed
        const waitTimeout = code === "TIMEOUT" ? 500 : 30_000;
        await launchPooled(faults, { pes: 3, args, waitTimeout });
      } catch (error) {
        assert.is((error as { code?: string }).code, `ERR_TUNDISH_${code}`);
        assert.match((error as Error).message, message);
        continue;
      }
      assert.unreachable("nothing was thrown");
    }
  });
}

test.run();
