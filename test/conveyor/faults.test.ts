/** Whatever goes wrong at one PE in the middle of a session, all PEs are told, soon and rightly. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { LaunchOptions } from "../../src/run/options.ts";
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

async function run(pes: number, args: Omit<Args, "notes">, more: LaunchOptions = {}): Promise<Outcome> {
  const notes = new SharedArrayBuffer(pes * NOTE_BYTES);
  const started = performance.now();
  const error = await launch(program, {
    pes,
    args: { ...args, notes },
    timeout: 4 * SOON,
    waitTimeout: 3 * SOON,
    ...more,
  }).then(
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

const FRONTS: readonly Front[] = ["tensor", "simple", "elastic", "bi"];

const faults = suite("a conveyor's session that goes wrong");

/** What all PEs but the culprit see, and the launcher; and what the launcher's error says. */
const told: readonly [fault: Fault, code: string, message: RegExp, more?: LaunchOptions][] = [
  ["throw", "RANK_LOST", /^PE \d threw TypeError: something broke/],
  ["exit", "RANK_LOST", /^PE \d ended with exit code 3/],
  ["return early", "RANK_LOST", /^PE \d has returned from its main, or left, in the middle of a conveyor/],
  [
    "return after DONE",
    "RANK_LOST",
    /^PE \d has returned from its main, or left, in the middle of a conveyor/,
  ],
  ["stall", "TIMEOUT", /longer than/, { waitTimeout: 400 }],
  ["stall beside another", "TIMEOUT", /longer than/, { waitTimeout: 400 }],
  ["never begin", "TIMEOUT", /longer than/, { waitTimeout: 400 }],
  ["stall", "TIMEOUT", /longer than 1500 ms/, { timeout: 1500 }],
  ["abort", "ABORTED", /^PE \d aborted the conveyor's session: Error: enough/],
  ["session timeout", "TIMEOUT", /session took longer than 400 ms/],
  ["other options", "MISMATCH", /bufferBytes|another/],
  ["other item at make", "MISMATCH", /items of|another|differ/],
];

for (const [i, [fault, code, message, more]] of told.entries()) {
  for (const front of FRONTS) {
    // items have no types there
    if (fault === "other item at make" && front === "elastic") continue;
    for (const pes of front === "tensor" ? [2, 4] : [3]) {
      const culprit = i % pes;
      faults(`${fault}: PE ${culprit} of ${pes}, ${front}`, async () => {
        const { error, notes } = await run(pes, { fault, front, culprit }, more);
        assert.is(error.code, `ERR_TUNDISH_${code}`, error.stack);
        assert.match(error.message, message);
        for (const [rank, note] of notes.entries()) {
          if (rank === culprit) continue;
          // its thread may not have come so far before the end
          if (code === "MISMATCH" && note === null) continue;
          assert.is(note?.code, `ERR_TUNDISH_${code}`, JSON.stringify(note));
          if (code === "RANK_LOST") assert.is(note?.rank, culprit);
        }
      });
    }
  }
}

faults("one PE never says that it is done: the run ends at its timeout", async () => {
  const { error } = await run(3, { fault: "never done", front: "tensor", culprit: 1 }, { timeout: 1000 });
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
