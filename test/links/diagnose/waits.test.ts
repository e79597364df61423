/** Each wait says in which call it is, of what, and for whom it waits: in diagnoses, and in the error of its limit. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { type PE, spmd, TimeoutError, u32 } from "../../../src/index.ts";
import { channel, messenger, orderedBroadcast } from "../../../src/messages.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/simulate.ts";
import { openStore } from "../../../src/store.ts";
import { patiently } from "../../support/patiently.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import { CASES, type Seen } from "./programs/waits.program.ts";

const program = sibling("./programs/waits.program.js", import.meta.url);

const test = suite("what waits say");

test("on threads: who looks on sees the call and the PE, and the circle; the error of a limit says them, too", async () => {
  const [, errors, seen] = (await launchPooled(program, { pes: 3 })) as [unknown, string[], Seen];
  for (const [i, { told, release }] of CASES.entries()) {
    const [line, circle] = seen[i] as Seen[number];
    assert.ok(line.startsWith(`  PE 1: waits for PE 0 in ${told}`), line);
    if (release !== undefined) continue;
    assert.match(
      circle,
      /^PE 0 waits in a circle: for PE 1 in barrier in the group of PE 0, 1, which waits for PE 0 in /,
    );
    const error = errors.shift() as string;
    assert.match(error, /PE 1 waited (for )?.*\d+ ms/);
    assert.ok(error.includes(`in ${told}`) && error.includes("PE 0"), error);
  }
  assert.is(errors.length, 0);
});

/** By name: PE 1 waits in it for ever. */
const ASYNC: Readonly<Record<string, (pe: PE) => Promise<unknown>>> = {
  'receiveAsync of the channel "pipe" to PE 0': (pe) => channel(pe, 0, { name: "pipe" }).receiveAsync(),
  "receiveAsync (tag 7) of the messenger": (pe) => messenger(pe).receiveAsync({ tag: 7 }),
  "deliverAsync of the ordered broadcast": (pe) => orderedBroadcast(pe, { item: u32 }).deliverAsync(),
  barrier: (pe) => pe.group([0, 1]).barrierAsync(),
};

for (const [told, call] of Object.entries(ASYNC)) {
  test(`on virtual PEs, which come to an end when nothing can happen any more: ${told}`, async () => {
    const main = (pe: PE) => (pe.rank === 0 ? pe.barrierAsync() : call(pe));
    const error = await simulateAsync({ pes: 2, memoryBytes: 2 ** 22 }, spmd(main)).catch((e: unknown) => e);
    assert.instance(error, TimeoutError);
    const { message } = error as Error;
    assert.match(
      message,
      /not finished: PE 0, 1\. PE 0 waits in a circle: for PE 1 in barrier, which waits for PE 0 in /,
    );
    assert.ok(message.includes(`PE 1 waits for PE 0 in ${told}`), message);
  });
}

test("on virtual PEs: the limit of a store's call", async () => {
  const main = async (pe: PE) => {
    const store = openStore(pe, { agreement: { suspectAfter: 1e6 } });
    const error = pe.rank === 0 ? "" : await store.setAsync("a", "1", { timeout: 5 }).catch(String);
    await pe.barrierAsync();
    await store.closeAsync();
    return error;
  };
  const { results } = await simulateAsync({ pes: 2, memoryBytes: 2 ** 22 }, spmd(main));
  assert.match(
    String(results[1]),
    /^TimeoutError: .*PE 1 waited for PE 0 in setAsync of "a" in the store for \d+ ms\./,
  );
});

test("the error of a run that took too long says in what calls its PEs are", async () => {
  await patiently(1500, async (timeout) => {
    const error = await launch(program, { pes: 3, args: "stuck", timeout }).catch((e: unknown) => e);
    assert.match(
      (error as Error).message,
      /not finished: PE 0, 1, 2\..* PE 0 waits for PE 1, 2 in barrier, for \d+\.\d s\. PE 1 waits for PE 0 in receive of the channel to PE 0, for \d+\.\d s\. PE 2 is in no call that waits\. Where they were: PE 0: barrier at \S+; PE 1: receive at \S+; PE 2: in no call.*\. \[/,
    );
  });
});

test.run();
