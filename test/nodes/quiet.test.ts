/** Small sessions between two nodes, where MPI is played: their messages, and whom a PE waits for. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError } from "../../src/ground/base/errors.ts";
import { LAST } from "../../src/links/transport/contract.ts";
import type { NodesSite } from "../../src/links/transport/mpi/site.ts";
import { type RemotePE, TwoNodes } from "./two-nodes.ts";

/** Turns in which all that is on its way arrives. */
const TURNS = 20;
/** Turns after which a PE has looked twice for those that have departed. */
const MANY_TURNS = 1000;

const turns = (sites: readonly NodesSite[], count: number = TURNS): void => {
  for (let n = 0; n < count; n++) for (const site of sites) site.look(false, 1);
};

/** Sends a buffer with a number to the other PE; -1 if there is none free. */
function send(site: NodesSite, number: number, isLast: boolean): number {
  const [porter] = site.porters;
  const start = porter.open(1 - site.rank);
  if (start < 0) return -1;
  site.views.i32[start / 4] = number;
  porter.send(1 - site.rank, start, 4, 1 | (isLast ? LAST : 0), 1);
  return start;
}

/** Reads the next buffer; returns its number, -1 if there is none. */
function read(site: NodesSite): number {
  const [porter] = site.porters;
  if (!porter.borrow()) return -1;
  const number = site.views.i32[porter.start / 4];
  porter.release();
  return number;
}

interface Pair {
  readonly pes: readonly [RemotePE, RemotePE];
  readonly sites: readonly [NodesSite, NodesSite];
  /** Messages sent so far. */
  messages(): number;
}

/** A conveyor of both, after the vote in which its first session begins. */
function pairOf(perLink: 1 | 2): Pair {
  const job = new TwoNodes();
  const pes = job.world();
  let messages = 0;
  const { network } = job;
  const deliver = network.send.bind(network);
  network.send = (dest, sent) => {
    messages++;
    deliver(dest, sent);
  };
  const [a, b] = pes;
  const sites = [a.site(undefined, perLink), b.site(undefined, perLink)] as const;
  for (const { vote } of sites) vote.cast(0);
  const results = [-1, -1];
  for (let n = 0; n < TURNS; n++)
    for (const [i, { vote }] of sites.entries()) if (results[i] < 0) results[i] = vote.poll();
  assert.equal(results, [0, 0]);
  return { pes, sites, messages: () => messages };
}

const quiet = suite("small sessions between nodes");

quiet("each takes one message in each direction, and nobody waits for another", () => {
  const { sites, messages } = pairOf(2);
  const [a, b] = sites;
  for (let session = 1; session <= 600; session++) {
    const before = messages();
    for (const site of sites) {
      site.session.begin(session, "u32");
      assert.ok(send(site, session, true) >= 0);
    }
    turns(sites);
    assert.is(read(a), session);
    assert.ok(a.porters[0].handedOver(), "b has not read it, which does not matter");
    assert.is(read(b), session);
    assert.ok(b.porters[0].handedOver());
    turns(sites);
    assert.is(messages() - before, 2);
  }
  for (const site of sites) assert.ok(site.close());
});

quiet("what is more than one short buffer is waited for, until it was read", () => {
  for (const perLink of [1, 2] as const) {
    const { sites } = pairOf(perLink);
    const [a, b] = sites;
    for (let session = 1; session <= 20; session++) {
      for (const site of sites) site.session.begin(session, "u32");
      assert.ok(send(a, 1, perLink === 1) >= 0);
      if (perLink === 2) assert.ok(send(a, 2, true) >= 0);
      turns(sites);
      assert.is(send(a, 3, true), -1, "all buffers of the link are with b");
      assert.not(a.porters[0].handedOver());
      for (let number = 1; number <= perLink; number++) assert.is(read(b), number);
      turns(sites);
      assert.ok(a.porters[0].handedOver());
      assert.ok(send(b, 9, true) >= 0);
      turns(sites);
      assert.is(read(a), 9);
      turns(sites);
      assert.ok(b.porters[0].handedOver());
    }
  }
});

quiet("a PE that has left is missed by one whose session it has not ended, and by no other", () => {
  const { pes, sites } = pairOf(2);
  const [a, b] = sites;
  for (const site of sites) {
    site.session.begin(1, "u32");
    send(site, 1, true);
  }
  turns(sites);
  read(b);
  pes[0].wakers.depart(1);
  turns([a], MANY_TURNS);
  assert.is(read(a), 1);
  a.session.begin(2, "u32");
  send(a, 2, true);
  assert.throws(
    () => turns([a], MANY_TURNS),
    (error: unknown) => error instanceof RankLostError && error.rank === 1,
  );
});

quiet.run();
