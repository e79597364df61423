/** What PEs begin with is compared as a hash in parts, one in each vote: a difference in any of them is seen. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MismatchError } from "../../../src/base/errors.ts";
import { hashInParts } from "../../../src/conveyor/engine/terms.ts";
import { describeItem, struct, u32 } from "../../../src/item/types.ts";
import { simulate } from "../../../src/simulate/simulate.ts";

const terms = suite("terms of a session");

const itemOf = (name: string) => struct({ [name]: u32 });
const template = describeItem(itemOf("X"));

/** Two field names whose items have a hash that is the same in the first `parts` parts, and another one in the next. */
function alikeIn(parts: number): readonly [string, string] {
  const known = new Map<string, string>();
  for (let i = 0; ; i++) {
    const name = `f${i}`;
    const first = hashInParts(template.replace("X", name)).slice(0, parts + 1);
    const next = first.pop();
    const same = known.get(first.join());
    if (same === undefined) known.set(first.join(), name);
    else if (hashInParts(template.replace("X", same))[parts] !== next) return [same, name];
  }
}

for (const parts of [0, 1, 2, 3]) {
  terms(`items whose hash differs in part ${parts + 1} first`, () => {
    const names = alikeIn(parts);
    const begin = (rank: number) => itemOf(names[rank] as string);
    assert.throws(
      () =>
        simulate({ pes: 2 }, function* (pe) {
          const c = pe.conveyor(u32);
          yield* c.begin(begin(pe.rank));
        }),
      (error: Error) => error instanceof MismatchError && /the PEs do not agree/.test(error.message),
    );
  });
}

terms("items that are new to one PE only", () => {
  const [a, b] = alikeIn(1);
  assert.throws(
    () =>
      simulate({ pes: 3 }, function* (pe) {
        const c = pe.conveyor(itemOf(a));
        yield* c.begin(pe.rank === 1 ? itemOf(b) : undefined);
      }),
    /the PEs do not agree/,
  );
});

terms.run();
