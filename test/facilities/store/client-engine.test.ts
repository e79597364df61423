/** The numbers of a client's writes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MemberMessage, Members } from "../../../src/facilities/messages/members.ts";
import { ClientEngine } from "../../../src/facilities/store/client-engine.ts";
import { decodeChange, YES } from "../../../src/facilities/store/command.ts";
import { Leaving } from "../../../src/facilities/store/leaving.ts";
import { decodeRequest, encodeReply, openMessage, WRITE } from "../../../src/facilities/store/messages.ts";

const test = suite("client of a store");

/** A client with a replica that answers when it is told to. */
function stage() {
  /** By id: the oldest write without an answer, and the write's own number. */
  const sent: { id: number; oldest: number; at: number }[] = [];
  const answers: MemberMessage[] = [];
  const members = {
    ...{ rank: 1, size: 2, now: 0 },
    post(_to: number, bytes: Uint8Array) {
      const { from } = openMessage(bytes);
      const { id, command } = decodeRequest(WRITE, from);
      const { oldest, at } = decodeChange(command).session as { oldest: number; at: number };
      sent.push({ id, oldest, at });
    },
    tryReceive: () => answers.shift(),
    isLost: () => false,
  } as unknown as Members;
  const engine = new ClientEngine(members, new Leaving(members), {
    ...{ replicas: [0], switchAfter: 1000, newSession: () => 1 },
  });
  const write = () => engine.write({ kind: "set", key: "a", value: "" });
  const answer = (id: number) => {
    answers.push({ from: 0, bytes: encodeReply({ id, applied: 0, answer: { outcome: YES } }) });
    engine.advance();
  };
  return { sent, write, answer };
}

test("each write tells the oldest one without an answer", () => {
  const { sent, write, answer } = stage();
  for (let i = 0; i < 3; i++) write();
  answer(2);
  write();
  answer(1);
  write();
  answer(3);
  answer(4);
  answer(5);
  write();
  assert.equal(
    sent.map(({ at, oldest }) => [at, oldest]),
    [
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [5, 3],
      [6, 6],
    ],
  );
});

test("many writes at a time: a late one takes as long as an early one", () => {
  const { sent, write } = stage();
  const times = Array.from({ length: 30 }, () => {
    const started = performance.now();
    for (let i = 0; i < 1000; i++) write();
    return performance.now() - started;
  });
  const [early, late] = [Math.min(...times.slice(0, 6)), Math.min(...times.slice(-6))];
  assert.ok(late < 6 * early, `${early} ms, then ${late} ms`);
  assert.is(sent.length, 30_000);
});

test.run();
