/** What two nodes say to each other, where MPI is played: what comes late, too late, or not at all. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RECEIVE } from "../../src/collectives/hierarchy/schedule.ts";
import { RankLostError } from "../../src/ground/base/errors.ts";
import { LOST } from "../../src/ground/wait/layout.ts";
import type { Envelope } from "../../src/links/transport/messages/mailbox.ts";
import { type RemotePE, TwoNodes } from "./two-nodes.ts";

const envelope = (stream: number): Envelope => ({ stream, tag: 0, word: 1, count: 1, root: -1 });
/** More looks than all that is on its way takes. */
const LOOKS = 500;

const look = (...pes: readonly RemotePE[]): void => {
  for (let n = 0; n < LOOKS; n++) for (const { mailbox } of pes) mailbox.poll();
};

const nodes = suite("two nodes");

for (const epoch of [1, 8, 2 ** 20]) {
  nodes(`what nobody has received in world 0 is not taken in world ${epoch}`, () => {
    const job = new TwoNodes();
    const [a, b] = job.world(0);
    b.mailbox.close();
    a.mailbox.sendNumber(1, envelope(7), 13);
    a.mailbox.sendProbe(1, envelope(7), 1);
    look(a);
    a.mailbox.close();
    const [c, d] = job.world(epoch);
    d.mailbox.probes.watch(7, () => {
      throw new Error("a probe of world 0");
    });
    look(c, d);
    d.mailbox.probes.look();
    assert.is(d.mailbox.unexpected.take(7, 0), undefined);
    c.mailbox.sendNumber(1, envelope(7), 14);
    look(c, d);
    assert.is(d.mailbox.unexpected.take(7, 0)?.number, 14);
  });
}

nodes("content that nobody has fetched in a world is not taken for that of the next", () => {
  const job = new TwoNodes();
  const bytes = 3000;
  const send = ({ heap, mailbox }: RemotePE, x: number): void => {
    const address = heap.allocate(bytes);
    heap.u8.fill(x, address, address + bytes);
    mailbox.send(1, envelope(7), address, bytes);
  };
  const [a, b] = job.world(0);
  send(a, 1);
  look(a, b);
  for (const { mailbox } of [a, b]) mailbox.close();
  const [c, d] = job.world(1);
  send(c, 2);
  look(c, d);
  const message = d.mailbox.unexpected.take(7, 0);
  assert.ok(message);
  const into = d.heap.allocate(bytes);
  const transfer = d.mailbox.fetch(message, into);
  look(d);
  assert.ok(transfer.over);
  assert.equal(new Set(d.heap.u8.slice(into, into + bytes)), new Set([2]));
});

nodes("conveyors that are freed before the other node has made its own leave no handshakes behind", () => {
  const [a, b] = new TwoNodes().world();
  const late = Array.from({ length: 40 }, (_, n): [number, number] => [100 + 2 * n, 101 + 2 * n]);
  for (const streams of late) a.site(streams).free();
  for (const streams of late) b.site(streams).free();
  look(a, b);
  for (const [stream] of late) assert.is(a.mailbox.unexpected.count(stream, 1), 0);
  // there is still room for content, in place of an array for each
  assert.ok(b.mailbox.canSend(0, 8));
  b.mailbox.sendNumber(0, envelope(7), 5);
  look(a, b);
  const message = a.mailbox.unexpected.take(7, 1);
  assert.is(message?.number, 5);
  assert.is(message?.aside, null);
  // both have had their handshakes: a third that comes is of a conveyor of now
  b.mailbox.sendNumber(0, envelope(100), 6);
  look(a, b);
  assert.is(a.mailbox.unexpected.take(100, 1)?.number, 6);
});

nodes("a conveyor is given up where MPI does not let go of its memory", () => {
  const job = new TwoNodes();
  const [a] = job.world();
  const site = a.site();
  job.network.hangs = true;
  assert.not(site.close(), "its time is up");
  a.termination.adopt({ ending: LOST, rank: 1, account: "" });
  assert.not(site.close(), "the world has failed");
  job.network.hangs = false;
  assert.not(site.close(), "what was cancelled once is not cancelled again");
});

for (const queued of [0, 100, 5000]) {
  nodes(`a number of a PE that has departed is found behind ${queued} messages`, async () => {
    const [a, b] = new TwoNodes().world();
    const send = (stream: number, x: number): void => {
      while (!b.mailbox.canSend(0, 8));
      b.mailbox.sendNumber(0, envelope(stream), x);
    };
    for (let n = 0; n < queued; n++) send(7, n);
    send(1, 21);
    for (let n = 0; n < queued; n++) send(7, n);
    send(1, 22);
    look(b);
    b.mailbox.close();
    a.wakers.depart(1);
    const receive = [{ kind: RECEIVE, peer: 1 }] as const;
    assert.is(a.scalars.run(receive, 0, Math.max), 21);
    const watcher = { call: "", where: "", verify() {}, absent: () => "" };
    const limits = { deadline: Number.POSITIVE_INFINITY, signal: undefined, watcher };
    const { scalars } = a;
    scalars.begin(receive, 0, Math.max);
    for (let wait = scalars.advance(); wait !== null; wait = scalars.advance()) await a.async.until(wait, limits);
    assert.is(scalars.result, 22);
    assert.is(a.mailbox.unexpected.count(7, 1), 2 * queued);
    assert.throws(
      () => scalars.run(receive, 0, Math.max),
      (error: unknown) => error instanceof RankLostError && error.rank === 1,
    );
  });
}
nodes.run();
