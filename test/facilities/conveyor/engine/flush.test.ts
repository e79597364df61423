/** flush and urgent items: they arrive though nobody is done. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankRangeError, StateError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { bytes, u32 } from "../../../../src/ground/item/item-type.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";

const sending = suite("flush");

const itemOf = (c: object): Uint8Array =>
  (c as { bytes?: Uint8Array; item?: Uint8Array }).bytes ?? ((c as { item?: Uint8Array }).item as Uint8Array);

const ROUTES = [
  { hops: 1 },
  { hops: 2 },
  { hops: 3 },
  { hops: 3, maxBufferedBytes: 300 },
  { mesh: [2, 2, 2] },
  { mesh: [2, 1, 4], maxBufferedBytes: 300 },
  { hops: 2, discipline: "token" },
  { type: "simple" },
  { type: "simple", hops: 2 },
] as const;

for (const options of ROUTES) {
  for (const how of ["flush", "flush of each", "urgent"] as const) {
    sending(`${how} delivers without the end of the session: ${JSON.stringify(options)}`, () => {
      simulate({ pes: 8, nodes: 2, timeout: 1000 }, function* (pe: SimulatedPE) {
        for (const isElastic of [false, true]) {
          const c = isElastic ? pe.elasticConveyor(options) : pe.conveyor(bytes(4), options);
          yield* c.begin();
          const rounds = new Uint8Array(pe.size);
          const pull = (): void => {
            while (c.pull()) {
              const [round, from, to] = itemOf(c);
              assert.equal([round, from, to], [rounds[c.from]++, c.from, pe.rank]);
            }
          };
          for (let round = 0; round < 3; round++) {
            for (let dest = 0; dest < pe.size; dest++) {
              const item = Uint8Array.of(round, pe.rank, dest, 0);
              while (!(how === "urgent" ? c.pushUrgent(dest, item) : c.push(dest, item))) {
                yield* c.advance();
                pull();
              }
            }
            if (how === "flush") c.flush();
            if (how === "flush of each") for (let dest = 0; dest < pe.size; dest++) c.flush(dest);
            // nobody is done, and nobody goes on before it has everything
            while (rounds.some((count) => count <= round)) {
              yield* c.advance();
              pull();
            }
          }
          while (yield* c.advance(true)) while (c.pull());
          yield* c.reset();
          const { sentFor } = c.stats();
          if (!("type" in options)) assert.ok(sentFor.flush > 0);
          c.free();
        }
      });
    });
  }
}

sending("flush of one PE sends its buffer alone; of an empty one nothing", () => {
  simulate({ pes: 4 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32);
    assert.throws(
      () => c.flush(),
      (error: unknown) => error instanceof StateError && /flush/.test(error.message),
    );
    yield* c.begin();
    c.flush();
    for (let dest = 0; dest < 4; dest++) c.push(dest, 1);
    c.flush(2);
    c.flush(2);
    assert.equal([c.stats().buffers, c.stats().sentFor.flush], [1, 1]);
    assert.throws(
      () => c.flush(4),
      (error: unknown) => error instanceof RankRangeError && /^flush: /.test(error.message),
    );
    assert.throws(
      () => c.flush("1" as never),
      (error: unknown) => error instanceof RankRangeError,
    );
    while (yield* c.advance(true)) while (c.pull());
    c.flush(); // nothing waits
    yield* c.reset();
    assert.throws(
      () => c.flush(),
      (error: unknown) => error instanceof StateError,
    );
  });
});

sending("on threads: a stream with pauses, urgent items, and flushes while the receiver waits", async () => {
  const results = await launch<{ delay: number; flush: number; got: number }>(
    sibling("../programs/sending.program.js", import.meta.url),
    { pes: 3, timeout: 60_000 },
  );
  for (const { delay, flush, got } of results) {
    assert.is(got, 3 * 200);
    assert.ok(delay > 0 && flush > 0, `${delay} ${flush}`);
  }
});

sending.run();
