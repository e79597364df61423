/** Active messages: answered at once, over the network that buffers take. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError, RankRangeError, UsageError } from "../../../src/ground/base/errors.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { near } from "./support/traffic.ts";

/** When PE 0 has the answer of PE 1 to a request that it sends at 0; and when their first turns end. */
function roundTrip(options: Partial<SimulationOptions>, work = 0): { answer: number; ends: readonly number[] } {
  let answer = 0;
  const { results } = simulate({ pes: 2, nodes: 2, costs: { advance: 0, byte: 0 }, ...options }, function* (pe) {
    const port = pe.activeMessages((from, words) => {
      if (words[0] > 0) port.send(from, [0, words[0]]);
      else {
        assert.equal(words, [0, 7]);
        answer = pe.now;
      }
    });
    if (pe.rank === 0) port.send(1, [7]);
    if (pe.rank === 1) pe.work(work);
    yield* pe.turn();
    const end = pe.now;
    while (answer === 0) yield* pe.turn();
    return end;
  });
  return { answer, ends: results };
}

const active = suite("active messages");

active("a request is answered at once, also while its receiver computes, which takes so much longer", () => {
  const network = { alpha: 1000, beta: 1, receiver: 200 };
  // 16 bytes there, 24 back; 50 ns each to send and to receive
  const expected = 50 + 1016 + 200 + 50 + 50 + 1024 + 200 + 50;
  near(roundTrip({ network }).answer, expected, 1e-6);
  const { answer, ends } = roundTrip({ network }, 1e6);
  near(answer, expected, 1e-6);
  near(ends[1], 1e6 + 100, 1e-6);
  // within a node
  near(roundTrip({ nodes: 1 }).answer, 4 * 50, 1e-6);
});

active("it passes the servers of the network", () => {
  const network = {
    ...{ alpha: 1000, beta: 0, receiver: 0 },
    ...{ injection: { byte: 10 }, ejection: { message: 30, byte: 1 } },
  };
  near(roundTrip({ network }).answer, 200 + 40 * 11 + 2 * 1030, 1e-6);
});

active("a PE that stalls answers when it goes on, in its own node and over any network", () => {
  const faults = [{ pe: 1, at: 0, kind: "stall", lasting: 1e6 }] as const;
  for (const options of [{ nodes: 1 }, {}, { network: { queue: 1 } }]) {
    const { answer } = roundTrip({ ...options, faults });
    assert.ok(answer > 1e6 && answer < 1.01e6, String(answer));
  }
});

active("what comes before its receiver has a port is answered when it has one", () => {
  const { results } = simulate({ pes: 3 }, function* (pe) {
    if (pe.rank > 0) {
      pe.work(1e5 * pe.rank);
      yield* pe.turn();
    }
    const got: number[] = [];
    const port = pe.activeMessages((from, [word]) => got.push(10 * from + word));
    for (let to = 0; to < pe.size; to++) port.send(to, [to]);
    while (got.length < pe.size) yield* pe.turn();
    return got.sort((a, b) => a - b).join(" ");
  });
  assert.equal(results, ["0 10 20", "1 11 21", "2 12 22"]);
});

active("words are those that were sent, and ports are apart", () => {
  simulate({ pes: 2 }, function* (pe) {
    const got: string[] = [];
    const one = pe.activeMessages((_, words) => got.push(`one ${words}`));
    const two = pe.activeMessages((_, words) => got.push(`two ${words}`));
    const words = [1, 2];
    if (pe.rank === 0) {
      two.send(1, words);
      words[0] = 9;
      one.send(1, []);
    }
    for (let i = 0; i < 9; i++) yield* pe.turn();
    assert.equal(got, pe.rank === 0 ? [] : ["two 1,2", "one "]);
  });
});

active("a handler that throws ends the world with its PE's rank", () => {
  try {
    simulate({ pes: 2 }, function* (pe) {
      const port = pe.activeMessages(() => {
        throw new TypeError("no such request");
      });
      if (pe.rank === 0) port.send(1, [1]);
      for (;;) yield* pe.turn();
    });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, RankLostError);
    assert.is((error as RankLostError).rank, 1);
    assert.instance((error as Error).cause, TypeError);
  }
});

active("wrong arguments are refused", () => {
  simulate({ pes: 2 }, function* (pe) {
    for (const handler of [undefined, null, "answer"]) {
      assert.throws(
        () => pe.activeMessages(handler as never),
        (error: Error) => error instanceof UsageError && /activeMessages: expected a function/.test(error.message),
      );
    }
    const port = pe.activeMessages(() => {});
    for (const dest of [-1, 2, 0.5, "1", undefined]) {
      assert.throws(
        () => port.send(dest as never, []),
        (error: Error) => error instanceof RankRangeError && /expected a rank from 0 to 1/.test(error.message),
      );
    }
    for (const words of [undefined, 5, "5", ["5"], Array<number>(9).fill(0)]) {
      assert.throws(
        () => port.send(0, words as never),
        (error: Error) => error instanceof UsageError && /at most 8 numbers/.test(error.message),
      );
    }
    yield* pe.turn();
  });
});

active.run();
