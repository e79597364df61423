/** What a diagnosis says of PEs that are slow: nothing, as long as they advance their conveyor. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemsOf } from "../../../src/links/diagnose/problems.ts";
import type { DiagnosedConveyor, DiagnosedPE } from "../../../src/links/diagnose/read.ts";

/** A PE in a session of three, which has advanced it so long ago. @param inside of which function it is */
function seat(rank: number, advanced: number, inside: DiagnosedConveyor["inside"] = null): DiagnosedPE {
  const conveyor: DiagnosedConveyor = {
    ...{
      id: 1,
      name: "u32",
      rank,
      size: 3,
      here: 3,
      session: 1,
      state: "working",
      stateFor: 5000,
      done: false,
    },
    ...{
      advanced,
      moved: 50,
      waiting: 0,
      arrived: 0,
      keeps: false,
      pulled: 50,
      unpulls: 0,
      inside,
      awaits: false,
    },
  };
  return { rank, departed: false, joined: true, waits: [], collective: null, conveyors: [conveyor] };
}

const test = suite("diagnoses of slow PEs");

test("a PE that was in advance a moment ago breaks no rule, however short the patience", () => {
  assert.equal(problemsOf([seat(0, 10), seat(1, 300), seat(2, 10)], 100), []);
});

test("one that is in its sink since then, or has not advanced for long, does", () => {
  const [sink] = problemsOf([seat(0, 10), seat(1, 300, "sink"), seat(2, 10)], 100);
  assert.match(sink as string, /^PE 1 breaks K3: .* for 0\.3 s\. It is inside its sink/);
  const [own] = problemsOf([seat(0, 10), seat(1, 3000), seat(2, 10)], 100);
  assert.match(own as string, /^PE 1 breaks K3: .* for 3\.0 s\. It is in its own code\.$/);
});

test.run();
