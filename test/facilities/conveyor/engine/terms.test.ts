/**
 * What PEs begin with is compared: where sessions begin with votes as a hash in parts, one in each vote, so that a difference in any
 * of them is seen; else by every buffer.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashInParts } from "../../../../src/facilities/conveyor/engine/terms.ts";
import { MismatchError } from "../../../../src/ground/base/errors.ts";
import { describeItem, f32, struct, u32 } from "../../../../src/ground/item/item-type.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";

const terms = suite("terms of a session");

/** Its sessions begin with votes. */
const VOTING = { type: "simple" } as const;

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
          const c = pe.conveyor(u32, VOTING);
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
        const c = pe.conveyor(itemOf(a), VOTING);
        yield* c.begin(pe.rank === 1 ? itemOf(b) : undefined);
      }),
    /the PEs do not agree/,
  );
});

for (const options of [{}, { hops: 2 }, { type: "trivial" }] as const) {
  for (const session of [1, 3]) {
    terms(`without a vote: session ${session} with ${JSON.stringify(options)}`, () => {
      assert.throws(
        () =>
          simulate({ pes: 4, timeout: 1e9 }, function* (pe) {
            const c = pe.conveyor(u32, options);
            for (let k = 1; ; k++) {
              yield* c.begin(k === session && pe.rank === 1 ? f32 : u32);
              while (yield* c.advance(true));
              yield* c.reset();
            }
          }),
        (error: Error) =>
          error instanceof MismatchError && /the PEs do not agree .* has (u32|f32)\. All/.test(error.message),
      );
    });
  }
}

terms.run();
