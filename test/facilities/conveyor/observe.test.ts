/** Events, histograms and traces: what they say is what was sent. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BufferReceived, BufferSent, SessionEnded } from "../../../src/facilities/conveyor/engine/observe.ts";
import { RankLostError, UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { testUnless } from "../../support/skip.ts";

const PES = 4;
const ITEMS = 250;

/** Every PE sends 250 items to its neighbour: 15 buffers of 16, and one of 10. */
function session(options: ConveyorOptions): readonly { histograms: unknown; buffers: number; bytes: number }[] {
  const { results } = simulate({ pes: PES }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32, { bufferBytes: 64, ...options });
    yield* c.begin();
    let i = 0;
    while (yield* c.advance(i === ITEMS)) {
      while (i < ITEMS && c.push((pe.rank + 1) % PES, i)) i++;
      while (c.pull());
    }
    yield* c.reset();
    const { buffers, bytes } = c.stats();
    return { histograms: c.histograms(), buffers, bytes };
  });
  return results;
}

const observed = suite("observed conveyors");

observed("an observed conveyor counts how full its buffers were and how long they took", () => {
  for (const { histograms, buffers } of session({ observe: true })) {
    const { fill, latency } = histograms as { fill: number[]; latency: number[] };
    assert.is(buffers, 16);
    assert.equal(fill, [0, 0, 0, 0, 0, 0, 1, 0, 0, 15]);
    assert.is(
      latency.reduce((a, b) => a + b, 0),
      16,
    );
  }
});

observed("another one does not", () => {
  for (const { histograms } of session({})) assert.is(histograms, null);
  assert.throws(
    () => session({ observe: 1 as never }),
    (error: unknown) => String((error as Error).message).includes("observe: expected true or false"),
  );
});

observed("events go to those who have subscribed", () => {
  const seen = { sent: [] as BufferSent[], received: [] as BufferReceived[], session: [] as SessionEnded[] };
  const listeners = (["sent", "received", "session"] as const).map((kind) => {
    const listener = (message: unknown) => void seen[kind].push(message as never);
    subscribe(`tundish:conveyor:${kind}`, listener);
    return [kind, listener] as const;
  });
  const results = session({ hops: 2, groupSize: 2 });
  for (const [kind, listener] of listeners) unsubscribe(`tundish:conveyor:${kind}`, listener);
  assert.is(
    seen.sent.length,
    results.reduce((sum, { buffers }) => sum + buffers, 0),
  );
  assert.is(seen.received.length, seen.sent.length);
  assert.is(
    seen.sent.reduce((sum, { bytes }) => sum + bytes, 0),
    results.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  // over two hops each item is sent twice
  assert.is(
    seen.sent.reduce((sum, { items }) => sum + items, 0),
    2 * PES * ITEMS,
  );
  assert.equal([...new Set(seen.sent.map(({ hop }) => hop))].sort(), [0, 1]);
  for (const { sent, opened, fill, conveyor } of seen.sent) {
    assert.ok(sent >= opened && fill > 0 && fill <= 1 && conveyor === "u32");
  }
  for (const { latency } of seen.received) assert.ok(latency >= 0);
  assert.is(seen.session.length, PES);
  for (const { began, ended, counts } of seen.session) {
    assert.ok(ended > began);
    assert.is(counts.pushes, ITEMS);
  }
});

const folder = mkdtempSync(join(tmpdir(), "tundish-trace-"));
observed.after(() => rmSync(folder, { recursive: true }));

interface TraceEntry {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly tid: number;
  readonly id?: string;
}

observed("a trace of real PEs has every session, and an arrow for every buffer", async () => {
  const trace = join(folder, "trace.json");
  const program = sibling("./programs/run.program.js", import.meta.url);
  await launch(program, { pes: 2, args: { part: "histogram", items: 3000 }, timeout: 60_000, trace });
  const { traceEvents, otherData } = JSON.parse(readFileSync(trace, "utf8"));
  const entries = traceEvents as TraceEntry[];
  assert.is(otherData.dropped, 0);
  assert.is(entries.filter(({ cat }) => cat === "session").length, 6);
  assert.equal(
    entries
      .filter(({ name }) => name === "thread_name")
      .map(({ tid }) => tid)
      .sort(),
    [0, 1],
  );
  const ids = (ph: string) =>
    entries
      .filter((entry) => entry.ph === ph)
      .map(({ id }) => id)
      .sort();
  assert.ok(ids("s").length >= 3 * 4);
  assert.equal(ids("f"), ids("s"));
  assert.is(new Set(ids("s")).size, ids("s").length);
});

observed("a run that fails leaves its trace as well; a file that cannot be written is refused", async () => {
  const program = sibling("./programs/run.program.js", import.meta.url);
  const trace = join(folder, "failed.json");
  await launch(program, { pes: 2, args: { part: "throwingSink" }, timeout: 60_000, trace }).catch(() => {});
  const { traceEvents } = JSON.parse(readFileSync(trace, "utf8"));
  assert.ok((traceEvents as TraceEntry[]).some(({ cat }) => cat === "sent"));
  for (const bad of [join(folder, "none", "x.json"), "", 5 as never]) {
    try {
      await launch(program, { pes: 2, args: { part: "histogram" }, trace: bad });
      assert.unreachable();
    } catch (error) {
      assert.ok(error instanceof UsageError, String(error));
    }
  }
});

const noFullDisk = existsSync("/dev/full") ? null : "no /dev/full here";
testUnless(observed, noFullDisk, "a trace that cannot be written hides neither results nor errors", async () => {
  const warned: (string | undefined)[] = [];
  const onWarning = ({ code }: Error & { code?: string }) => warned.push(code);
  process.on("warning", onWarning);
  const program = sibling("./programs/run.program.js", import.meta.url);
  const options = { pes: 2, timeout: 60_000, trace: "/dev/full" };
  const results = await launch(program, { ...options, args: { part: "histogram", items: 3000 } });
  assert.is(results.length, 2);
  const error = await launch(program, { ...options, args: { part: "throwingSink" } }).catch((error) => error);
  assert.ok(error instanceof RankLostError, String(error));
  await new Promise(setImmediate); // warnings come in a turn of their own
  process.off("warning", onWarning);
  assert.equal(warned, ["TUNDISH_TRACE", "TUNDISH_TRACE"]);
});

observed.run();
