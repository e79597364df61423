/**
 * A tree over time: the root at the top, or in the middle where there are many PEs, and every PE as far from it as the
 * time at which it has the message. The graph is that of trees/draw/graph.ts; siblings are spread by d3-hierarchy.
 *
 * Source of the spreading: Reingold and Tilford, Tidier drawings of trees, 1981.
 */
import { type HierarchyPointNode, stratify, tree as tidyTree } from "d3-hierarchy";
import type { TreeEdge, TreeGraph, TreeNode } from "../../../../../trees/draw/graph.ts";
import { COLUMN, type Drawing } from "./figure.ts";
import { letters, n, textOf, widthOf } from "./html.ts";

/** How PEs look. */
export interface PELooks {
  readonly nameOf: (pe: number) => string;
  /** The number of a colour: `domain-0` … in style.ts. */
  readonly colourOf: (pe: number) => number;
  readonly timeOf: (time: number) => string;
}

/** Up to so many PEs lie from top to bottom. */
const MOST_DOWN = 12;
/** With more of them nodes are dots without names. */
const MOST_NAMED = 48;
/** With more of them the titles of edges would be most of the page. */
const MOST_TITLES = 256;
/** With more of them edges have no numbers. */
export const MOST_ORDERED = 24;

interface Place {
  readonly x: number;
  readonly y: number;
}

export function treePicture(graph: TreeGraph, looks: PELooks): Drawing {
  const nodes = graph.mapNodes((_, node): TreeNode => node);
  const { latency, operation } = graph.getAttributes();
  const distanceOf = (node: TreeNode) => (operation === "broadcast" ? node.at : latency - node.at);
  const orderOf = new Map<number, number>();
  graph.forEachDirectedEdge((_, { order }: TreeEdge, from, to) => {
    orderOf.set(Number(operation === "broadcast" ? to : from), order);
  });
  const root = stratify<TreeNode>()
    .id(({ pe }) => String(pe))
    .parentId(({ parent }) => (parent === null ? null : String(parent)))(nodes)
    .sort((a, b) => (orderOf.get(a.data.pe) ?? 0) - (orderOf.get(b.data.pe) ?? 0));
  const isDown = nodes.length <= MOST_DOWN;
  const wished = isDown ? 13 : nodes.length <= MOST_NAMED ? 9 : 3.4;
  const placed = isDown
    ? down(root, distanceOf, latency, looks.timeOf)
    : around(root, distanceOf, latency, wished, looks.timeOf);
  // smaller where two of them would lie on each other
  const radius = wished < 5 ? wished : Math.min(wished, Math.max(6.5, nearest([...placed.at.values()]) / 2));
  const edges = graph.mapDirectedEdges((_, { order, seen }: TreeEdge, from, to) => {
    const [parent, child] = operation === "broadcast" ? [from, to] : [to, from];
    const [above, below] = [placed.at.get(Number(parent)) as Place, placed.at.get(Number(child)) as Place];
    const [a, b] = [graph.getNodeAttributes(from).domain, graph.getNodeAttributes(to).domain];
    const look = a === b ? "message" : "message across";
    const title = `${looks.nameOf(Number(from))} to ${looks.nameOf(Number(to))}: message ${order}, there at ${looks.timeOf(seen)}`;
    const line = `<path class="${look}" d="${placed.line(above, below)}">${nodes.length > MOST_TITLES ? "" : `<title>${textOf(title)}</title>`}</path>`;
    const length = Math.hypot(above.x - below.x, above.y - below.y);
    if (nodes.length > MOST_ORDERED || length < 2 * radius + 13) return line;
    // near the child, where edges of one parent have parted
    const share = isDown ? 0.56 : 0.5;
    const at = { x: above.x + (below.x - above.x) * share, y: above.y + (below.y - above.y) * share };
    return `${line}<circle class="plate" cx="${n(at.x)}" cy="${n(at.y)}" r="7"/>${letters(at.x, at.y + 3.5, order, { class: "order", anchor: "middle", size: 10 })}`;
  });
  const dots = nodes.map(({ pe, at }) => {
    const { x, y } = placed.at.get(pe) as Place;
    const isRoot = pe === graph.getAttribute("root");
    const title = `${looks.nameOf(pe)}: ${looks.timeOf(at)}`;
    const size = isRoot && radius < 5 ? radius + 2 : radius;
    const dot = `<circle class="pe domain-${looks.colourOf(pe) % 10}${isRoot ? " root" : ""}" cx="${n(x)}" cy="${n(y)}" r="${n(size)}"><title>${textOf(title)}</title></circle>`;
    return radius < 5
      ? dot
      : dot +
          letters(x, y + 4, pe, {
            class: "pe-name",
            anchor: "middle",
            size: radius < 12 || pe > 99 ? 9 : 12,
          });
  });
  const rings = placed.rings();
  return { width: COLUMN, height: placed.height, content: [...rings, ...edges, ...dots].join("") };
}

/** The least distance of two places. */
function nearest(places: readonly Place[]): number {
  let least = Infinity;
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1)) least = Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
  return least;
}

interface Layout {
  readonly at: ReadonlyMap<number, Place>;
  readonly height: number;
  line(parent: Place, child: Place): string;
  rings(): string[];
}

type Node = ReturnType<ReturnType<typeof stratify<TreeNode>>>;
type Distance = (node: TreeNode) => number;
type TimeOf = (time: number) => string;

/** Round times from 0 on. */
function times(latency: number, most: number): number[] {
  const rough = latency / most;
  // the least numbers have no parts
  if (rough < Number.MIN_VALUE * 2 ** 60) return [0];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(latency / step + 1e-9) + 1 }, (_, i) => i * step);
}

function down(root: Node, distanceOf: Distance, latency: number, timeOf: TimeOf): Layout {
  const [right, top] = [20, 22];
  const left = Math.max(...times(latency, 4).map((time) => widthOf(timeOf(time), 11))) + 18;
  const height = 64 + 52 * Math.max(2, Math.min(5, root.height + 1));
  const inner = height - top - 24;
  const y = (time: number) => top + (time / (latency || 1)) * inner;
  const laid: HierarchyPointNode<TreeNode> = tidyTree<TreeNode>().size([COLUMN - left - right, 1])(root);
  const at = new Map(laid.descendants().map(({ x, data }) => [data.pe, { x: left + x, y: y(distanceOf(data)) }]));
  return {
    at,
    height,
    line: (from, to) => {
      const middle = (from.y + to.y) / 2;
      return `M${n(from.x)},${n(from.y)}C${n(from.x)},${n(middle)} ${n(to.x)},${n(middle)} ${n(to.x)},${n(to.y)}`;
    },
    rings: () =>
      times(latency, 4).flatMap((time) => [
        `<path class="rule" d="M${left - 8},${n(y(time))}H${COLUMN}"/>`,
        letters(left - 14, y(time) + 4, timeOf(time), { class: "muted", anchor: "end" }),
      ]),
  };
}

/** Free at the top, rad: for the names of the rings. */
const WEDGE = 0.36;

function around(root: Node, distanceOf: Distance, latency: number, radius: number, timeOf: TimeOf): Layout {
  const middle = COLUMN / 2;
  const outer = middle - radius - 2;
  // there is little room near the middle: between the time, and its root, which would give equal areas to equal times
  const r = (time: number) => Math.min(1, time / (latency || 1)) ** 0.72 * outer;
  const laid = tidyTree<TreeNode>()
    .size([2 * Math.PI - WEDGE, 1])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.5))(root);
  const at = new Map<number, Place>();
  laid.eachBefore(({ x, data, parent }) => {
    const far = r(distanceOf(data));
    const above = parent === null ? undefined : at.get(parent.data.pe);
    let angle = x + WEDGE / 2;
    let place = polar(middle, far, angle);
    const isOn = () => above !== undefined && Math.hypot(place.x - above.x, place.y - above.y) < 2.1 * radius;
    // an only child that follows at once would lie on its parent; near a root in the middle all the way round is too
    // near
    const step = radius / 2 / far;
    for (let turned = 0; far > radius && turned < 2 * Math.PI && isOn(); turned += step) {
      angle += step;
      place = polar(middle, far, angle);
    }
    at.set(data.pe, place);
  });
  return {
    at,
    height: COLUMN,
    line: (from, to) => `M${n(from.x)},${n(from.y)}L${n(to.x)},${n(to.y)}`,
    rings: () =>
      times(latency, 4)
        .slice(1)
        .flatMap((time) => {
          const far = r(time);
          return [
            `<circle class="ring" cx="${middle}" cy="${middle}" r="${n(far)}"/>`,
            letters(middle, Math.max(9, middle - far + 3), timeOf(time), {
              class: "muted on-ring",
              anchor: "middle",
              size: 9,
            }),
          ];
        }),
  };
}

const polar = (middle: number, far: number, angle: number): Place => ({
  x: middle + far * Math.sin(angle),
  y: middle - far * Math.cos(angle),
});
