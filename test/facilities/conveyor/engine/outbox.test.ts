/** The outbox by itself: its buffers from one session to the next. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Outbox } from "../../../../src/facilities/conveyor/engine/outbox.ts";
import { roundUp } from "../../../../src/ground/item/item-type.ts";
import { viewsOf } from "../../../../src/ground/item/views.ts";
import type { Porter } from "../../../../src/links/transport/contract.ts";
import type { LinkOrder } from "../../../../src/route/geometry/link-order.ts";
import { linkTables, tableBytes } from "../../../../src/route/geometry/link-table.ts";
import { packingOf } from "../../../../src/route/geometry/packing.ts";

const BUFFER_BYTES = 1024;

/** Links with one buffer each, which nobody ever gives back, and what was sent. */
function site(
  links: number,
  order: LinkOrder = { links: Int32Array.from({ length: links }, (_, link) => link), start: 0 },
): { outbox: Outbox; sent: number[][]; give: (another: boolean) => void } {
  const sent: number[][] = [];
  const used = new Set<number>();
  /** Whether buffers are given back at once, and whether there is another one beside; null: they never are. */
  let another: boolean | null = null;
  const porter = {
    links,
    open: (link: number) => (another === null && used.has(link) ? -1 : (link + 1) * BUFFER_BYTES),
    hasAnother: () => another === true,
    send: (link: number, ...rest: number[]) => {
      used.add(link);
      sent.push([link, ...rest]);
    },
  } as Partial<Porter> as Porter;
  const [table] = linkTables(viewsOf(new ArrayBuffer(roundUp(tableBytes(links), 8))), 0, [links]);
  const outbox = new Outbox(porter, table, new Uint8Array(links).fill(1), order);
  const give = (one: boolean) => {
    another = one;
  };
  return { outbox, sent, give };
}

const places = ({ at, end, tagAt }: Outbox) => [[...at], [...end], [...tagAt]];

const outboxes = suite("outbox");

outboxes("a buffer that was opened and left empty is laid out anew for the items of the next session", () => {
  const packings = [packingOf(8, 4, BUFFER_BYTES), packingOf(24, 0, BUFFER_BYTES), packingOf(1, 2, BUFFER_BYTES)];
  const { outbox, sent } = site(2);
  outbox.begin(packings[0]);
  assert.ok(outbox.open(1));
  for (const packing of packings) {
    outbox.begin(packing);
    const fresh = site(2).outbox;
    fresh.begin(packing);
    assert.ok(fresh.open(1));
    assert.equal(places(outbox), places(fresh));
    assert.is(outbox.pending, 0);
    // it stays open, and nothing of it is sent
    outbox.flush();
    assert.equal(sent, []);
  }
  const { stride, tagBytes } = packings[2];
  outbox.at[1] += 3 * stride;
  outbox.flush();
  const base = 2 * BUFFER_BYTES + packings[2].base;
  assert.equal(sent, [[1, base - 3 * tagBytes, 3 * (stride + tagBytes), 3, 3]]);
});

outboxes("a buffer that is not sent is not opened again: what is in it stays", () => {
  const { outbox } = site(1);
  outbox.begin(packingOf(8, 0, BUFFER_BYTES));
  assert.ok(outbox.open(0));
  outbox.at[0] += 8;
  assert.not(outbox.open(0));
  assert.is(outbox.pending, 1);
});

outboxes(
  "a buffer that pushes have filled leaves with the next item, or the next advance; where it is held, later",
  () => {
    for (const next of ["item", "advance", "held"]) {
      const { outbox, sent } = site(2);
      outbox.begin(packingOf(8, 0, BUFFER_BYTES));
      outbox.hold = next === "held";
      assert.ok(outbox.open(0) && outbox.open(1));
      for (let left = BUFFER_BYTES / 8; left > 0; left--) outbox.at[1] += 8;
      // a link of this site has one buffer
      if (next === "item") assert.not(outbox.open(1));
      else assert.ok(outbox.sendFull());
      assert.equal(
        sent,
        next === "held" ? [] : [[1, 2 * BUFFER_BYTES, BUFFER_BYTES, BUFFER_BYTES / 8, BUFFER_BYTES / 8]],
      );
      assert.equal([outbox.at[1] === 0, outbox.overflow], next === "held" ? [false, true] : [true, false]);
      assert.not(outbox.sendFull() && next === "advance", "nothing was added since");
      if (next === "held") assert.not(outbox.open(1), "it is kept");
    }
  },
);

outboxes("a partial buffer leaves at its third visit, an empty one never", () => {
  const { outbox, sent } = site(2);
  outbox.begin(packingOf(8, 0, BUFFER_BYTES));
  assert.ok(outbox.open(0) && outbox.open(1));
  outbox.at[1] += 8;
  const visits = Array.from({ length: 8 }, () => outbox.visit());
  assert.equal(visits, [false, false, false, false, false, true, false, false]);
  assert.equal(
    sent.map(([link]) => link),
    [1],
  );
});

outboxes("links are served in their order, from its start on: flushed, ended, visited", () => {
  const order = { links: Int32Array.of(2, 0, 3, 1), start: 2 };
  const expected = [3, 1, 2, 0];
  const filled = () => {
    const { outbox, sent } = site(4, order);
    outbox.begin(packingOf(8, 0, BUFFER_BYTES));
    for (let link = 0; link < 4; link++) {
      assert.ok(outbox.open(link));
      outbox.at[link] += 8;
    }
    return { outbox, links: () => sent.map(([link]) => link) };
  };
  const flushed = filled();
  flushed.outbox.flush();
  assert.equal(flushed.links(), expected);
  const ended = filled();
  assert.ok(ended.outbox.finish());
  assert.equal(ended.links(), expected);
  const visited = filled();
  for (let visit = 0; visit < 12; visit++) visited.outbox.visit();
  assert.equal(visited.links(), expected);
});

outboxes("a buffer that is to be sent early goes on being filled while its link has no other one", () => {
  for (const margin of [undefined, 100]) {
    const { outbox, sent, give } = site(1);
    const packing = packingOf(margin === undefined ? 8 : 1, 0, BUFFER_BYTES);
    const room = packing.capacity * packing.stride;
    outbox.begin(packing, margin);
    outbox.fillTo(64);
    give(true);
    assert.ok(outbox.open(0));
    outbox.at[0] += 72;
    outbox.sendFull();
    assert.is(sent.length, 1, "there is another one");

    give(false);
    assert.ok(outbox.open(0, 8));
    outbox.at[0] += 72;
    outbox.sendFull();
    assert.is(sent.length, 1, "there is none");
    // who pushes finds room up to the whole
    outbox.filled(0);
    assert.ok(outbox.open(0, 8));
    assert.is(outbox.end[0], outbox.at[0] - 72 + room);
    // nor is it sent by its age yet
    assert.is(outbox.sendOld(5, 0, Number.POSITIVE_INFINITY, 3), 6);
    assert.is(outbox.sendOld(5, 0, 5.5, 3), 5.5);
    assert.is(sent.length, 1);
    give(true);
    outbox.sendOld(5, 0, 7, 3);
    assert.is(sent.length, 2, "it has become old enough, and there is another one");

    give(false);
    assert.ok(outbox.open(0, 8));
    outbox.at[0] += 72;
    assert.is(outbox.sendOld(6, 0, Number.POSITIVE_INFINITY, 3), Number.POSITIVE_INFINITY);
    assert.is(sent.length, 3, "after twice that in any case");

    // one that is whole is sent, too
    assert.ok(outbox.open(0, 8));
    outbox.at[0] += room;
    outbox.sendFull();
    assert.is(sent.length, 4);
  }
});

outboxes("links are looked at until the last buffers of all are sent, and in the next session again", () => {
  const { outbox, sent } = site(3);
  const packing = packingOf(8, 0, BUFFER_BYTES);
  outbox.begin(packing);
  for (const link of [0, 1, 2]) assert.ok(outbox.open(link));
  outbox.at[1] += packing.stride;
  assert.equal([outbox.sendFull(), outbox.sendFull()], [true, false]);
  assert.ok(outbox.finish());
  assert.equal([sent.length, outbox.sendFull(), outbox.sendFull()], [3, true, false]);
  // no push is admitted any more: this shows only what is looked at
  outbox.at[2] += packing.stride;
  assert.not(outbox.sendFull());
  outbox.at[2] = 0;
  outbox.begin(packing);
  assert.ok(outbox.sendFull());
  outbox.at[2] += packing.stride;
  assert.ok(outbox.sendFull());
});

outboxes.run();
