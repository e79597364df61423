/** Routes: every item arrives, in few hops, by one way, and who sent it is known. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linksByHop } from "../../../src/route/geometry/conveyor-choice.ts";
import { makeMesh, makeRoute } from "../../../src/route/geometry/make-route.ts";
import { fillWays, firstLinks, type Ways, wayOn } from "../../../src/route/geometry/mesh-ways.ts";
import { type ConveyorRoute, friendsOf, type Hops, originOf } from "../../../src/route/geometry/route.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { rounds } from "../../support/long.ts";

/** Follows an item from hop to hop, as engines do; the PEs it is at, and who the last one thinks has sent it. */
function follow(
  route: ConveyorRoute,
  friendsAt: (rank: number) => ReturnType<typeof friendsOf>,
  from: number,
  to: number,
): { readonly path: number[]; readonly origin: number } {
  const path = [from];
  let link = route.link[to];
  let tag = route.tag[to];
  let at = from;
  let source = 0;
  for (const [hop, { turn, tagBytes }] of route.each.entries()) {
    assert.ok(tag < 2 ** (8 * tagBytes), `tag ${tag} in ${tagBytes} bytes`);
    const { friends: mine, self } = friendsAt(at)[hop];
    const next = mine[link];
    assert.ok(next >= 0 && next < route.size, `hop ${hop} leads to ${next}`);
    source = self;
    // over the link that it came by the receiver finds the sender
    assert.is(friendsAt(next)[hop].friends[source], at);
    at = next;
    path.push(at);
    if (turn === null) break;
    const { linkShift, linkMask, sourceShift, keepShift, keepMask } = turn;
    link = (tag >>> linkShift) & linkMask;
    tag = ((source << sourceShift) | ((tag >>> keepShift) & keepMask)) >>> 0;
  }
  return { path, origin: originOf(route, source, tag) };
}

/** As many links as the paper says: n + P/n for two hops, 2n and the planes for three. */
function checkFriends(
  { size, hops, groupSize: n }: ConveyorRoute,
  rank: number,
  all: ReturnType<typeof friendsOf>,
): void {
  const links = all.map(({ friends }) => friends.length);
  if (hops === 1) assert.equal(links, [size]);
  if (hops === 2) assert.equal(links, [n, size / n]);
  if (hops === 3) assert.equal(links, [n, 1 + Math.floor((size - 1) / (n * n)), n]);
  for (const { friends } of all) {
    const there = friends.filter((friend) => friend >= 0);
    assert.is(new Set(there).size, there.length, `PE ${rank} has a friend twice`);
  }
}

/** Checks the ways from some PEs to some. */
function check(size: number, groupSize: number, hops: Hops, ranks: Int32Array | undefined, pairs: number): void {
  const route = makeRoute(size, groupSize, hops, ranks);
  assert.ok(route.hops <= hops);
  assert.is(route.each.length, route.hops);
  const known = new Map<number, ReturnType<typeof friendsOf>>();
  const friendsAt = (rank: number) => {
    let all = known.get(rank);
    if (all === undefined) {
      all = friendsOf(route, rank);
      known.set(rank, all);
      checkFriends(route, rank, all);
    }
    return all;
  };
  const n = route.groupSize;
  const group = (rank: number) => Math.floor(route.places[rank] / n);
  const every = size * size <= pairs;
  for (let i = 0; i < (every ? size * size : pairs); i++) {
    const from = every ? Math.floor(i / size) : mix(size, n, i) % size;
    const to = every ? i % size : mix(n, size, i, 1) % size;
    const { path, origin } = follow(route, friendsAt, from, to);
    assert.is(path.at(-1), to);
    assert.is(origin, from, `${from} to ${to} among ${size} in groups of ${n}`);
    for (const [hop, { remote }] of route.each.entries()) {
      if (route.hops > 1 && !remote) assert.is(group(path[hop]), group(path[hop + 1]), "a local hop leaves its group");
    }
  }
}

const permuted = (size: number): Int32Array => {
  const ranks = Int32Array.from({ length: size }, (_, i) => i);
  for (let i = size - 1; i > 0; i--) {
    const j = mix(size, i) % (i + 1);
    [ranks[i], ranks[j]] = [ranks[j], ranks[i]];
  }
  return ranks;
};

const routes = suite("routes");

const ALL_PAIRS = rounds(30, 48);

routes(`all pairs of up to ${ALL_PAIRS} PEs, every group and number of hops, in order and permuted`, () => {
  for (let size = 1; size <= ALL_PAIRS; size++) {
    for (let n = 1; n <= size; n++) {
      if (size % n !== 0) continue;
      for (const hops of [1, 2, 3] as const) {
        check(size, n, hops, undefined, 48 * 48);
        check(size, n, hops, permuted(size), 48 * 48);
      }
    }
  }
});

routes("numbers of PEs up to 1024 with every group, some pairs of each", () => {
  for (let size = ALL_PAIRS + 1; size <= 1024; size += rounds(5, 1)) {
    for (let n = 2; n < size; n++) {
      if (size % n !== 0) continue;
      check(size, n, 2, undefined, 16);
      if (n <= 256) check(size, n, 3, mix(size, n) % 2 ? permuted(size) : undefined, 16);
    }
  }
});

routes("1024 PEs in groups of 512: the last tag holds a rank in a group, and has room for it", () => {
  check(1024, 512, 2, undefined, rounds(50_000, 200_000));
});

routes("fewer hops where more would do nothing", () => {
  const hopsOf = (size: number, n: number, hops: Hops) => makeRoute(size, n, hops).hops;
  assert.equal([hopsOf(9, 3, 3), hopsOf(12, 4, 3), hopsOf(27, 3, 3)], [2, 2, 3]);
  assert.equal([hopsOf(7, 7, 2), hopsOf(7, 1, 3), hopsOf(1, 1, 3)], [1, 1, 1]);
});

routes("groups that do not divide, or are too large for three hops, are refused", () => {
  for (const [size, n, hops] of [
    [10, 3, 2],
    [10, 4, 3],
  ] as const) {
    assert.throws(() => makeRoute(size, n, hops), /groupSize: expected a divisor/);
  }
  assert.throws(() => makeRoute(512 * 1024, 512, 3), /at most 256 PEs in a group/);
});

routes("tags are as narrow as they can be", () => {
  const widths = (size: number, n: number, hops: Hops) => makeRoute(size, n, hops).each.map(({ tagBytes }) => tagBytes);
  assert.equal(widths(100, 10, 1), [0]);
  assert.equal(widths(256, 16, 2), [1, 1]);
  assert.equal(widths(1024, 512, 2), [1, 2]);
  assert.equal(widths(1024, 2, 2), [2, 1]);
  assert.equal(widths(1024, 8, 3), [4, 1, 4]);
  assert.equal(widths(1200, 20, 3), [4, 2, 4]);
});

const sizeOf = (mesh: readonly number[]): number => mesh.reduce((all, one) => all * one, 1);

/** The coordinates of a position, the greatest dimension first; dimensions of one PE are left out. */
function coordinates(place: number, mesh: readonly number[]): number[] {
  let rest = place;
  const all = mesh.map((size) => {
    const own = rest % size;
    rest = (rest - own) / size;
    return own;
  });
  return all.filter((_, i) => (mesh[i] as number) > 1).reverse();
}

/**
 * Follows an item through a mesh, as engines do: it enters at the hop of its link, and goes on over the next one along which
 * its coordinate is another.
 */
function followMesh(
  route: ConveyorRoute,
  all: readonly ReturnType<typeof friendsOf>[],
  ways: readonly Pick<Ways, "link" | "tag">[],
  from: number,
  to: number,
): { readonly path: number[]; readonly hops: number[]; readonly origin: number } {
  const first = firstLinks(route.dims ?? []);
  const entered = ways[from].link[to];
  let hop = first.findLastIndex((one) => entered >= one);
  let link = entered - first[hop];
  let tag = ways[from].tag[to];
  const [path, hops] = [[from], [] as number[]];
  for (;;) {
    const { turn, tagBytes } = route.each[hop];
    assert.ok(tag < 2 ** (8 * tagBytes), `tag ${tag} in ${tagBytes} bytes`);
    const { friends, self } = all[path.at(-1) as number][hop];
    const next = friends[link];
    assert.ok(next >= 0 && next < route.size, `hop ${hop} leads to ${next}`);
    assert.is(all[next][hop].friends[self], path.at(-1));
    path.push(next);
    hops.push(hop);
    if (turn === null) return { path, hops, origin: originOf(route, self, tag) };
    const [shift, end] = fieldOf(route, hop);
    const low = 2 ** shift - 1;
    const coordinates = ((tag & ~low) << (end - shift)) | (self << shift) | (tag & low);
    [link, tag] = wayOn(route.fields, coordinates, route.tag[next], end);
    hop = first.findLastIndex((one) => link >= one);
    link -= first[hop];
  }
}

/** The first bit of a hop's coordinate, and the one after its last. */
function fieldOf({ dims }: ConveyorRoute, hop: number): [number, number] {
  const bits = (dims ?? []).map(({ size }) => Math.ceil(Math.log2(size)));
  const sum = (count: number) => bits.slice(0, count).reduce((all, one) => all + one, 0);
  return [sum(hop), sum(hop + 1)];
}

/** Checks the ways between all pairs of PEs of a mesh. */
function checkMesh(mesh: readonly number[], isPermuted: boolean): void {
  const size = sizeOf(mesh);
  const route = makeMesh(size, mesh, isPermuted ? permuted(size) : undefined);
  const dims = mesh.filter((n) => n > 1).reverse();
  assert.is(route.hops, Math.max(1, dims.length));
  const all = Array.from({ length: size }, (_, rank) => friendsOf(route, rank));
  const ways = all.map((_, rank) => {
    const own = { link: new Uint32Array(size), tag: new Uint32Array(size) };
    fillWays(route, rank, own);
    return own;
  });
  const links = dims.map((n, hop) => n - (hop < dims.length - 1 ? 1 : 0));
  if (dims.length > 1) {
    for (const [rank, hops] of all.entries()) {
      const friends = hops.map((hop) => Array.from(hop.friends).filter((pe) => pe >= 0));
      assert.equal(
        friends.map((some) => some.length),
        links,
      );
      // of the PE itself one, at the last hop
      assert.equal(friends.flat().filter((pe) => pe === rank).length, 1);
      assert.is(friends.at(-1)?.includes(rank), true);
    }
    assert.equal(linksByHop(route), links);
  }
  const at = Array.from({ length: size }, (_, rank) => coordinates(route.places[rank], mesh));
  for (let from = 0; from < size; from++) {
    for (let to = 0; to < size; to++) {
      const what = `${from} to ${to} in ${mesh.join(" x ")}`;
      if (dims.length < 2) {
        assert.equal(
          follow(route, (rank) => all[rank], from, to),
          { path: [from, to], origin: from },
          what,
        );
        continue;
      }
      const { path, hops, origin } = followMesh(route, all, ways, from, to);
      assert.is(origin, from, what);
      assert.is(path.at(-1), to, what);
      // a hop along each dimension that differs, the greatest first, after which one more coordinate is that of the destination
      const differing = dims.flatMap((_, d) => (at[from][d] === at[to][d] ? [] : [d]));
      const moves = hops.filter((_, i) => path[i] !== path[i + 1]);
      assert.equal(moves, differing, what);
      for (const [i, hop] of hops.entries()) {
        const expected = dims.map((_, d) => (d <= hop ? at[to][d] : at[from][d]));
        assert.equal(at[path[i + 1]], expected, `${what}: hop ${hop}`);
      }
      // and what is at its destination then takes the PE's link to itself
      assert.is(hops.at(-1), dims.length - 1, what);
      assert.is(hops.length, moves.length + (differing.at(-1) === dims.length - 1 ? 0 : 1), what);
    }
  }
}

routes("meshes: all pairs of any shape, each coordinate in its turn, the greatest first, in order and permuted", () => {
  for (const mesh of [
    [1],
    [7],
    [1, 1, 1],
    [3, 5, 7],
    [7, 5, 3],
    [2, 3],
    [1, 3, 2],
    [2, 1, 5],
    [3, 2, 2, 5],
    new Array(8).fill(2),
  ]) {
    checkMesh(mesh, false);
    checkMesh(mesh, true);
  }
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }).filter((mesh) => sizeOf(mesh) <= 220),
      fc.boolean(),
      checkMesh,
    ),
    { numRuns: rounds(40, 400) },
  );
});

routes("meshes: rows of groups are the mesh whose hops are taken in the other order", () => {
  for (const [n, rows] of [
    [3, 4],
    [5, 2],
  ] as const) {
    const [grid, mesh] = [makeRoute(n * rows, n, 2), makeMesh(n * rows, [n, rows])];
    for (let rank = 0; rank < n * rows; rank++) {
      const [between, within] = friendsOf(grid, rank).reverse();
      // without the link to the PE itself
      const others = between.friends.map((pe) => (pe === rank ? -1 : pe));
      assert.equal(friendsOf(mesh, rank), [{ ...between, friends: others, skipsSelf: true }, within]);
    }
    assert.equal([grid.groupSize, mesh.groupSize], [n, n]);
    assert.equal(
      [grid, mesh].map(({ each }) => each.map(({ remote }) => remote)),
      [
        [false, true],
        [true, false],
      ],
    );
  }
});

routes("meshes: tags have room for all coordinates but that of the link, and the same at all hops", () => {
  const widths = (...mesh: number[]) => makeMesh(sizeOf(mesh), mesh).each.map(({ tagBytes }) => tagBytes);
  assert.equal(widths(105), [0]);
  assert.equal(widths(3, 5, 7), [1, 1, 1]);
  assert.equal(widths(16, 16, 16), [1, 1, 1]);
  // 5 and 4 bits, 4 and 4, 4 and 5
  assert.equal(widths(16, 17, 16), [2, 2, 2]);
  assert.equal(widths(2, 512), [2, 2]);
  assert.equal(widths(256, 256), [1, 1]);
  assert.equal(widths(1, 512, 2), [2, 2]);
  assert.equal(widths(2, 512, 256), [4, 4, 4]);
  assert.equal(widths(3, 3, 3, 3), [1, 1, 1, 1]);
  assert.equal(widths(...new Array(10).fill(2)), new Array(10).fill(2));
});

routes("meshes whose sizes do not make the PEs are refused", () => {
  assert.throws(
    () => makeMesh(12, [3, 5]),
    /mesh: expected sizes whose product is 12, the number of PEs, got 3 x 5, which is 15/,
  );
});

routes.run();
