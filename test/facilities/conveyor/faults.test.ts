/** Whatever goes wrong at one PE in the middle of a session, all PEs are told, soon and rightly. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { grace } from "../../../src/running/run/running-world.ts";
import { patiently } from "../../support/patiently.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { type Args, type Fault, type Front, NOTE_BYTES } from "./programs/faults.program.ts";

const program = sibling("./programs/faults.program.js", import.meta.url);
/** For a run that nothing holds up, on a busy machine. */
const SOON = 10_000;

interface Note {
  readonly code?: string;
  readonly rank?: number;
  readonly message: string;
}

interface Outcome {
  readonly error: Error & { code?: string; rank?: number };
  readonly notes: readonly (Note | null)[];
}

// no PE's thread is ended before it has run: one that is never told lets its run take longer than SOON
grace.ms = 3 * SOON;

/** On threads of the pool, but for one kind of conveyors and for limits of a run: those are for launch. */
async function run(pes: number, args: Omit<Args, "notes">, more: LaunchOptions = {}): Promise<Outcome> {
  const notes = new SharedArrayBuffer(pes * NOTE_BYTES);
  const started = performance.now();
  const world = { pes, args: { ...args, notes }, waitTimeout: 3 * SOON, ...more };
  const ended =
    args.front === "tensor" || more.timeout !== undefined
      ? launch(program, { timeout: 4 * SOON, ...world })
      : launchPooled(program, world);
  const error = await ended.then(
    () => assert.unreachable("the run ended well"),
    (error: unknown) => error as Outcome["error"],
  );
  assert.ok(performance.now() - started < SOON, `took ${performance.now() - started} ms`);
  const read = (rank: number): Note | null => {
    const bytes = new Uint8Array(notes, rank * NOTE_BYTES, NOTE_BYTES).slice();
    const end = bytes.indexOf(0);
    return end > 0 ? (JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as Note) : null;
  };
  return { error: error as Outcome["error"], notes: Array.from({ length: pes }, (_, rank) => read(rank)) };
}

const FRONTS: readonly Front[] = ["tensor", "simple", "elastic", "bi", "values"];
/** Of values: the rest is the same code as of elastic conveyors. */
const VALUE_FAULTS: readonly Fault[] = ["throw", "exit", "stall", "other item at make"];

const faults = suite("a conveyor's session that goes wrong");

/** Which limit is to end it, and how long it is at first, ms. */
type Limit = readonly [name: "waitTimeout" | "timeout" | "sessionTimeout", ms: number];

/** What all PEs but the culprit see, and the launcher; and what the launcher's error says. */
const told: readonly [fault: Fault, code: string, message: RegExp, limit?: Limit][] = [
  ["throw", "RANK_LOST", /^PE \d threw TypeError: something broke/],
  ["exit", "RANK_LOST", /^PE \d(?:'s thread)? ended with exit code 3/],
  ["return early", "RANK_LOST", /^PE \d has returned from its main, or left, in the middle of a conveyor/],
  ["return after DONE", "RANK_LOST", /^PE \d has returned from its main, or left, in the middle of a conveyor/],
  ["stall", "TIMEOUT", /longer than/, ["waitTimeout", 250]],
  ["stall beside another", "TIMEOUT", /longer than/, ["waitTimeout", 250]],
  ["never begin", "TIMEOUT", /longer than/, ["waitTimeout", 250]],
  ["stall", "TIMEOUT", /The run took longer than \d+ ms/, ["timeout", 800]],
  ["abort", "ABORTED", /^PE \d aborted the conveyor's session: Error: enough/],
  ["session timeout", "TIMEOUT", /session took longer than \d+ ms/, ["sessionTimeout", 250]],
  ["other options", "MISMATCH", /bufferBytes|another/],
  ["other item at make", "MISMATCH", /items of|[Aa]nother|differ/],
];

for (const [i, [fault, code, message, limit]] of told.entries()) {
  for (const [k, front] of FRONTS.entries()) {
    // items have no types there
    if (fault === "other item at make" && front === "elastic") continue;
    if (front === "values" && !VALUE_FAULTS.includes(fault)) continue;
    const pes = (front === "tensor" ? [4, 2] : [2, 3])[(i + k) % 2];
    const culprit = i % pes;
    const isTold = async (options: LaunchOptions, sessionTimeout?: number) => {
      const { error, notes } = await run(pes, { fault, front, culprit, sessionTimeout }, options);
      assert.is(error.code, `ERR_TUNDISH_${code}`, error.stack);
      assert.match(error.message, message);
      for (const [rank, note] of notes.entries()) {
        if (rank === culprit) continue;
        // its thread may not have come so far before the end
        if (code === "MISMATCH" && note === null) continue;
        assert.is(note?.code, `ERR_TUNDISH_${code}`, JSON.stringify(note));
        if (code === "RANK_LOST") assert.is(note?.rank, culprit);
      }
    };
    const name = `${fault}: PE ${culprit} of ${pes}, ${front}${limit ? `, ${limit[0]}` : ""}`;
    faults(name, async () => {
      if (limit === undefined) return isTold({});
      const [which, ms] = limit;
      // one that strikes before all threads are there tells nothing
      await patiently(ms, (ms) => (which === "sessionTimeout" ? isTold({}, ms) : isTold({ [which]: ms })));
    });
  }
}

faults("one PE never says that it is done: the run ends at its timeout", async () => {
  const { error } = await run(3, { fault: "never done", front: "tensor", culprit: 1 }, { timeout: 700 });
  assert.is(error.code, "ERR_TUNDISH_TIMEOUT");
});

for (const pes of [2, 5]) {
  faults(`another item at begin: all of ${pes} PEs are told`, async () => {
    const { error, notes } = await run(pes, { fault: "other item at begin", front: "tensor", culprit: 1 });
    assert.is(error.code, "ERR_TUNDISH_MISMATCH");
    assert.match(error.message, /do not agree about this conveyor/);
    for (const note of notes) assert.is(note?.code, "ERR_TUNDISH_MISMATCH");
  });
}

faults("a codec that returns nonsense: its PE throws, and the others are told", async () => {
  const { error, notes } = await run(4, { fault: "codec", front: "tensor", culprit: 0 });
  assert.is(error.code, "ERR_TUNDISH_RANK_LOST");
  assert.match(error.message, /PE 0 threw UsageError: compress: expected the codec/);
  assert.equal(
    notes.map((note) => note?.code),
    ["ERR_TUNDISH_USAGE", ...new Array(3).fill("ERR_TUNDISH_RANK_LOST")],
  );
});

faults.run();
