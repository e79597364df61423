/** What conveyors over nodes choose and number, without MPI. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  LINK_SPACE,
  linkTag,
  MAX_NODE_PES,
  mailboxTag,
  rendezvousTag,
} from "../../src/links/transport/messages/tags.ts";
import { remoteLinks } from "../../src/links/transport/mpi/remote-links.ts";
import { rootedAtFirst } from "../../src/links/transport/mpi/vote.ts";
import { BY_MPI } from "../../src/links/transport/nodes.ts";
import { choose } from "../../src/route/geometry/conveyor-choice.ts";
import { groupNodes, nodesLayout } from "../../src/route/geometry/nodes.ts";
import { friendsOf } from "../../src/route/geometry/route.ts";
import { mix } from "../facilities/conveyor/support/payloads.ts";

const choices = suite("conveyors over nodes: choices");

/** The nodes of a world, seen from one of them, and its PEs. */
function world(pes: readonly number[], node = 0) {
  const starts = [0];
  for (const n of pes) starts.push((starts.at(-1) as number) + n);
  const members = Array.from({ length: starts.at(-1) as number }, (_, rank) => rank);
  return { nodes: { node, starts }, members };
}

function chosen(pes: readonly number[], options: object = {}) {
  const { nodes, members } = world(pes);
  const among = groupNodes(nodes, members);
  const nodeLayout = nodesLayout(among);
  return choose(options, members.length, 8, { levels: [among.nodeOf], nodeLayout });
}

choices("hops: as few as leave buffers their size", () => {
  const hopsFor = (pes: readonly number[], options?: object) => chosen(pes, options).route.hops;
  assert.is(hopsFor([1, 1]), 1);
  assert.is(hopsFor([4, 4, 4, 4]), 1);
  assert.is(hopsFor(new Array(8).fill(16)), 2);
  assert.is(hopsFor(new Array(8).fill(16), { hops: 1 }), 1);
  assert.is(hopsFor(new Array(8).fill(16), { type: "simple" }), 1);
  assert.is(hopsFor([...new Array(8).fill(16), 7]), 1, "nodes differ");
  const { route, bufferBytes } = chosen(new Array(8).fill(16));
  assert.equal([route.groupSize, bufferBytes], [16, 32_768]);
});

choices("buffers that are sent by MPI are larger, as far as the budget allows", () => {
  assert.is(chosen([1, 1]).bufferBytes, 131_072);
  assert.is(chosen([8, 8]).bufferBytes, 65_536);
  assert.is(chosen([1, 1], { bufferBytes: 1000 }).bufferBytes, 1000);
  assert.is(chosen([1, 1], { maxBytes: 2 ** 18 }).bufferBytes, 16_384);
  const { nodes, members } = world([1, 1, 1]);
  const heaps = [0, 2 ** 30, BY_MPI];
  const sizeAmong = (some: readonly number[]) => nodesLayout(groupNodes({ ...nodes, heaps }, some)).bufferBytes;
  assert.is(sizeAmong([1, 0]), 16_384, "nothing is sent by MPI");
  assert.is(sizeAmong(members), 131_072);
});

choices("a budget holds for every PE", () => {
  for (const pes of [
    [1, 3],
    [2, 2, 2],
    [8, 8, 8, 8],
    [5, 1, 2],
  ]) {
    for (const hops of [1, 2, 3] as const) {
      const { nodes, members } = world(pes);
      const among = groupNodes(nodes, members);
      const { route } = chosen(pes, { hops });
      const nodeLayout = nodesLayout(among);
      const buffers = { bytes: 1024, perLink: 2 };
      const most = nodeLayout.bytesOf(route, 1, buffers);
      for (const rank of members) {
        const own = { ...nodes, node: among.nodeOf[rank] };
        const remote = friendsOf(route, rank).flatMap((hop) => remoteLinks(hop, members, own));
        assert.ok(remote.length * (256 + 4 * 1152) < most);
        assert.ok(remote.every(({ peer, node }) => node === among.nodeOf[peer] && node !== own.node));
      }
    }
  }
});

choices("links have the same number at both ends", () => {
  const { nodes, members } = world([3, 1, 2]);
  const among = groupNodes(nodes, members);
  for (const hops of [1, 2, 3] as const) {
    const { route } = chosen([3, 1, 2], { hops });
    const all = members.map((rank) =>
      friendsOf(route, rank).map((hop) => remoteLinks(hop, members, { ...nodes, node: among.nodeOf[rank] })),
    );
    for (const [rank, lists] of all.entries()) {
      for (const [hop, list] of lists.entries()) {
        for (const { link, theirs, peer } of list) {
          const back = all[peer][hop].find((other) => other.link === theirs);
          assert.equal([back?.peer, back?.theirs], [rank, link]);
        }
      }
    }
  }
});

choices("a tree that is turned has the same branches", () => {
  const branches = (children: Readonly<Record<number, readonly number[]>>) =>
    Object.entries(children)
      .flatMap(([parent, list]) => list.map((child) => [Number(parent), child].sort().join("-")))
      .sort();
  for (let seed = 0; seed < 50; seed++) {
    const n = 1 + (mix(seed) % 12);
    const names = Array.from({ length: n }, (_, i) => (i + (seed % n)) % n);
    const children: Record<number, number[]> = {};
    for (let i = 1; i < n; i++) {
      const parent = names[mix(seed, i) % i];
      children[parent] = [...(children[parent] ?? []), names[i]];
    }
    const turned = rootedAtFirst({ root: names[0], children });
    assert.is(turned.root, 0);
    assert.equal(branches(turned.children), branches(children));
    const seen = [0];
    for (const pe of seen) seen.push(...(turned.children[pe] ?? []));
    assert.equal(
      seen.toSorted((a, b) => a - b),
      names.toSorted((a, b) => a - b),
    );
  }
});

choices("tags do not meet", () => {
  const most = 2 ** 32 - LINK_SPACE;
  assert.ok(linkTag(most) + 1 < 2 ** 23 && linkTag(0) > rendezvousTag(2 ** 22 - MAX_NODE_PES - 2));
  assert.ok(rendezvousTag(0) > mailboxTag(MAX_NODE_PES - 1));
  for (let i = 0; i < 1000; i++) {
    const at = (mix(i) % (2 ** 25 - 64)) * 128;
    assert.ok(linkTag(at + LINK_SPACE) >= linkTag(at) + 2);
    assert.ok(rendezvousTag(mix(i)) < linkTag(0));
  }
});

choices.run();
