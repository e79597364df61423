/** Figure 5: bandwidth by nodes and hops, its drawing, and what is said of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { distanceOf, type Figure5Point, figure5, lossOf } from "../../packages/tundish-bench/src/plan/figure5.ts";
import { figure5Svg } from "../../packages/tundish-bench/src/plan/figure5-svg.ts";

const test = suite("figure 5");

test("all points are predicted, the small ones simulated, and no node sends faster than it can", async () => {
  const figure = await figure5({ nodeSize: 4, mostNodes: 8, load: 200, mostSimulated: 16 });
  const { points } = figure;
  assert.equal([...new Set(points.map(({ nodes }) => nodes))], [1, 2, 4, 8]);
  for (const { nodes, pes, predicted, simulated } of points) {
    assert.ok(predicted > 0);
    assert.is(simulated !== null, pes <= 16);
    // what stays on the node does not count
    const most = nodes === 1 ? Number.POSITIVE_INFINITY : 5.02 / (1 - 1 / nodes);
    assert.ok(predicted <= most && (simulated ?? 0) <= most, JSON.stringify(points));
  }
  const svg = figure5Svg(figure);
  assert.is(svg.match(/<polyline /g)?.length, 3);
  assert.is(svg.match(/<circle /g)?.length, points.filter(({ simulated }) => simulated !== null).length);
});

test("no bandwidth is larger where open buffers take time, and one hop, which has the most, loses the most", async () => {
  const options = { nodeSize: 4, mostNodes: 16, load: 2000, mostSimulated: 16 };
  const open = { look: 5, buffers: [1, 8, 16], sizes: [{ bytes: 512, push: [0, 0, 200] }] };
  const [{ points: before }, { points: after }] = [await figure5(options), await figure5({ ...options, open })];
  const shares = after.map(({ choice, predicted, simulated }, i) => {
    // other buffers may be taken: of those within 7 % the usual ones
    const most = JSON.stringify(choice) === JSON.stringify(before[i].choice) ? 1 : 1 / (1 - 0.07);
    assert.ok(predicted <= most * before[i].predicted && (simulated ?? 0) <= most * (before[i].simulated ?? 0));
    return predicted / before[i].predicted;
  });
  const [one, two, three] = shares.slice(-3);
  assert.ok(one < two && one < three && one < 0.5, shares.join(" "));
});

test("the loss is that of the best hops, against the best number of nodes", () => {
  const choice = { type: "tensor", hops: 1, groupSize: 2, bufferBytes: 256, buffersPerLink: 1 } as const;
  const point = (nodes: number, hops: 1 | 2, predicted: number): Figure5Point => ({
    ...{ nodes, pes: 2 * nodes, hops, choice, predicted, simulated: hops === 1 ? 2 * predicted : null },
  });
  const points = [point(1, 1, 90), point(2, 1, 4), point(2, 2, 5), point(4, 1, 1), point(4, 2, 3)];
  const figure = { nodeSize: 2, itemBytes: 8, load: 1, points };
  const { loss, ...rest } = lossOf(figure);
  assert.equal(rest, { pes: 8, hops: 2, bandwidth: 2.25, most: 2.5, mostNodes: 2 });
  assert.ok(Math.abs(loss - 0.1) < 1e-12);
  assert.is(distanceOf(figure), 0.5);
});

test.run();
