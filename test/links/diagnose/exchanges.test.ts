/** What a diagnosis says of exchanges: who holds up the others, and nothing while nobody waits. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemsOf } from "../../../src/links/diagnose/problems.ts";
import type { DiagnosedConveyor, DiagnosedPE } from "../../../src/links/diagnose/read.ts";

/** A PE in phase 1 of an exchange. */
function seat(rank: number, state: "working" | "endgame", more: Partial<DiagnosedConveyor> = {}): DiagnosedPE {
  const exchange: DiagnosedConveyor = {
    ...{ id: 1, name: "exchange", rank, size: 3, here: 3, session: 1, state, stateFor: 5000 },
    ...{
      done: state === "endgame",
      advanced: 0,
      moved: 5000,
      waiting: 0,
      arrived: 0,
      keeps: false,
      pulled: 5000,
    },
    ...{ unpulls: 0, inside: null, awaits: false },
    ...more,
  };
  return { rank, departed: false, joined: true, waits: [], collective: null, conveyors: [exchange] };
}

const test = suite("diagnoses of exchanges");

test("a PE that makes no call, while others do", () => {
  const still = { advanced: 2000 };
  assert.equal(problemsOf([seat(0, "endgame"), seat(1, "working", still), seat(2, "endgame")], 1000), [
    "PE 1 holds up the others: it has not called serviceQueue or finish of the exchange for 2.0 s. It is in its own code.",
  ]);
});

test("nobody makes a call, so nobody waits", () => {
  const still = { advanced: 2000 };
  assert.equal(
    problemsOf(
      [0, 1, 2].map((rank) => seat(rank, "working", still)),
      1000,
    ),
    [],
  );
});

test("a PE that does not finish", () => {
  assert.equal(problemsOf([seat(0, "endgame"), seat(1, "working"), seat(2, "endgame")], 1000), [
    "PE 1 holds up the others: it calls serviceQueue of the exchange, in which it has moved nothing for 5.0 s, but has not called finish for 5.0 s, and PE 0, 2 are done.",
  ]);
});

test("a PE that is in the phase before", () => {
  const before = seat(1, "working", { session: 0, state: "dormant" });
  assert.equal(problemsOf([seat(0, "endgame"), before, seat(2, "working")], 1000), [
    "PE 1 holds up the others: it has not called finish of the exchange, where PE 0, 2 have waited for 5.0 s. It is in its own code.",
  ]);
});

test("an exchange with a name", () => {
  const name = { name: "rows (exchange)" };
  const [problem] = problemsOf(
    [seat(0, "endgame", name), seat(1, "working", { ...name, advanced: 2000 }), seat(2, "endgame", name)],
    1000,
  );
  assert.match(problem, /finish of the exchange rows for/);
});

test("a PE that is in another exchange", () => {
  const a = { id: 1, name: "a (exchange)" };
  const b = { id: 2, name: "b (exchange)" };
  const both = (rank: number, first: typeof a, second: typeof a) => {
    const { conveyors, ...pe } = seat(rank, "endgame", first);
    const other = seat(rank, "working", { ...second, advanced: 3000 });
    return { ...pe, conveyors: [...conveyors, ...other.conveyors] };
  };
  const problems = problemsOf([both(0, a, b), both(1, b, a)], 1000);
  assert.equal(problems, [
    "PE 1 holds up the others: it has not called serviceQueue or finish of the exchange a for 3.0 s. It calls serviceQueue or finish of the exchange b.",
    "PE 0 holds up the others: it has not called serviceQueue or finish of the exchange b for 3.0 s. It calls serviceQueue or finish of the exchange a.",
  ]);
});

test.run();
