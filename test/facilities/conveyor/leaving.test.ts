/** A PE that leaves in the middle of a session is an error, also when all leave and nobody is left who waits for it. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyor as conveyorOf } from "../../../src/conveyor.ts";
import { sessionOf } from "../../../src/facilities/conveyor/faces/session.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { createWorld, join, RankLostError, u32 } from "../../../src/index.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { type Part, parts } from "./programs/leaving.program.ts";

const program = sibling("./programs/leaving.program.js", import.meta.url);
const play = (part: Part) => launch(program, { pes: 2, args: part, timeout: 60_000 });

const leaving = suite("leaving");

async function failure(part: Part): Promise<string> {
  try {
    return `nothing: ${await play(part)}`;
  } catch (error) {
    assert.instance(error, RankLostError);
    return (error as Error).message;
  }
}

const wordsOf = (conveyor: string, state: string): RegExp =>
  new RegExp(`^PE [01] has returned .* session: the ${conveyor} is in state ${state} .*until advance returns DONE`);

leaving("all return", async () => {
  assert.match(await failure("working"), wordsOf("conveyor of u32", "working"));
  assert.match(await failure("batches"), wordsOf("conveyor of u32", "working"));
});

for (const [part, conveyor, state] of [
  ["working", "conveyor of u32", "working"],
  ["endgame", "conveyor of u32", "endgame"],
  ["elastic", "conveyor of items of any length", "working"],
  ["replies", "biconveyor of queries of u32", "cleanup"],
  ["handlers", "conveyor of mailbox ask", "working"],
] as const) {
  leaving(`one leaves a world of its own: ${part}`, async () => {
    using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
    const pe = await join(host.ticket(0));
    parts[part](pe);
    assert.throws(() => pe.leave(), wordsOf(conveyor, state));
  });
}

leaving("the first error stays the first", async () => {
  assert.match(await failure("failed"), /^PE 1 threw TypeError: the first error/);
});

leaving("who has finished may go", async () => {
  assert.equal(await play("proper"), [10, 0]);
});

leaving("a thread that has joined", async () => {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24 });
  const [first, second] = [await join(host.ticket(0)), await join(host.ticket(1))];
  sessionOf(conveyorOf(first, u32)).beginning(false).next();
  const words = /^PE 0 has returned from its main, or left, .*the conveyor of u32/;
  assert.throws(
    () => first.leave(),
    (error: Error) => error instanceof RankLostError && words.test(error.message),
  );
  // it has left, and the others learn why; they may go
  first.leave();
  assert.throws(() => second.barrier(), words);
  second.leave();
});

leaving("virtual PEs", () => {
  const message = /^PE [012] has returned .*the conveyor of u32 is in state working/;
  assert.throws(
    () =>
      simulate({ pes: 3 }, function* (pe) {
        const c = pe.conveyor(u32);
        yield* c.begin();
        c.push(0, 1);
      }),
    message,
  );
});

leaving.run();
