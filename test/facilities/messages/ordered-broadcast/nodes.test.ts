/** Ordered broadcasts over several nodes: as within one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { eachMpi, type Kind } from "../../../machine/mpi/launchers.ts";
import { job } from "../../../nodes/jobs.ts";
import { inTurn } from "../../../nodes/some-of.ts";
import { rounds } from "../../../support/long.ts";
import type { Args } from "./programs/play.program.ts";
import { checkSame } from "./support/check.ts";
import { checkUses, type Said, STEPS } from "./support/expected.ts";
import { FAULTS, seedOf } from "./support/faults.ts";
import type { Delivered } from "./support/play.ts";

const playing = sibling("./programs/play.program.js", import.meta.url).href;
const using = sibling("./programs/uses.program.js", import.meta.url).href;
const test = suite("ordered broadcasts over nodes");
const first = seedOf();

/** What the PEs of all nodes gave, by rank. */
const resultsOf = <T>(said: readonly { readonly node: number; readonly results?: unknown }[]): T[] =>
  said.toSorted((a, b) => a.node - b.node).flatMap(({ results }) => results as T[]);

for (const [number, [pes, forms, count]] of (
  [
    [[1, 2], "try", rounds(3, 60)],
    [[1, 1], "blocking", rounds(4, 60)],
    [[2, 1, 2], "async", rounds(2, 20)],
  ] as const
).entries()) {
  const play = async (kind: Kind) => {
    const args: Args = { first, count, more: { forms } };
    const { said, code, text } = await job(kind, { program: playing, pes, args, timeout: 80_000 });
    assert.is(code, 0, `seed ${first}: ${text}`);
    const all = resultsOf<Delivered[]>(said);
    assert.is(
      all.length,
      pes.reduce<number>((sum, one) => sum + one, 0),
    );
    assert.ok(checkSame(all, `seed ${first}`) > 0, `seed ${first}`);
  };
  eachMpi(test, `nodes with ${pes.join(", ")} PEs, ${forms} forms`, play, inTurn(number, "play"));
}

const numbers = async (kind: Kind) => {
  const args = { part: "in order", count: rounds(500, 50_000), seed: first };
  const order = { program: using, pes: [2, 1], args, timeout: 80_000 };
  const { said, code, text } = await job(kind, order);
  assert.is(code, 0, `seed ${first}: ${text}`);
  const all = resultsOf<[number, number, boolean]>(said);
  for (const one of all) assert.equal(one, [all[0]?.[0], 0, true], `seed ${first}`);
};
eachMpi(test, "numbers of all members, who stop now and then", numbers, inTurn(3, "play"));

eachMpi(
  test,
  "misuse, ends that are freed, groups, lengths",
  async (kind) => {
    const { said, code, text } = await job(kind, {
      ...{ program: using, pes: [2, 1], args: STEPS, byMpi: true, timeout: 80_000 },
    });
    assert.is(code, 0, text);
    checkUses(resultsOf<Said>(said), 3, text);
  },
  inTurn(1),
);

eachMpi(
  test,
  "a member that returns ends it for all, at the same place",
  async (kind) => {
    const order = { program: using, pes: [2, 2], args: { part: "member returns" }, byMpi: true };
    const { said, code, text } = await job(kind, { ...order, timeout: 60_000 });
    assert.is(code, 0, text);
    for (const [delivered, why] of resultsOf<[string, string]>(said).slice(0, 3)) {
      assert.is(delivered, "0:3:1 1:3:2", text);
      assert.match(why, /^deliver: PE 3 has freed its end of the ordered broadcast/);
    }
  },
  inTurn(0),
);

for (const [number, { part, waitTimeout, message, code }] of FAULTS.entries()) {
  eachMpi(
    test,
    `${part}: the world ends`,
    async (kind) => {
      const order = { program: using, pes: [1, 1], args: { part }, byMpi: true, timeout: 30_000 };
      const ended = await job(kind, { ...order, ...(waitTimeout && { waitTimeout }) });
      assert.is.not(ended.code, 0, ended.text);
      const [error] = ended.said.flatMap((one) => (one.error ? [one.error] : []));
      assert.match(String(error?.message), message, ended.text);
      assert.match(`${error?.code} ${error?.message}`, new RegExp(code));
    },
    inTurn(number),
  );
}
test.run();
