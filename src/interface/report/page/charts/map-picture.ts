/**
 * Messages on the map of a machine: PEs of a domain lie in one circle, so that it is seen which messages leave it. Or
 * all PEs on one circle, for those that have no tree. The graph is one of graphology; layouts: circles packed in
 * circles (d3-hierarchy), and graphology-layout's circle.
 */
import { hierarchy, pack } from "d3-hierarchy";
import type { MultiDirectedGraph } from "graphology";
import { circular } from "graphology-layout";
import { graphology } from "../../../../ground/base/graphology.ts";
import { COLUMN, type Drawing } from "./figure.ts";
import { letters, n, textOf } from "./html.ts";
import type { PELooks } from "./tree-picture.ts";

/** A message between two PEs. */
export interface MapMessage {
  readonly from: number;
  readonly to: number;
  /** Position among those of its sender, from 1. */
  readonly order: number;
}

/** The subject of a map. */
export interface MapContent {
  /** In the order on the circle. */
  readonly pes: readonly number[];
  readonly messages: readonly MapMessage[];
  readonly root?: number;
  /** The domain of a PE, by levels, the outermost first. None: all on one circle. */
  readonly domainsOf?: (pe: number) => readonly number[];
}

/** Places of a map: of each PE, and of the circles of domains. */
interface Places {
  readonly radius: number;
  readonly circles: readonly { readonly x: number; readonly y: number; readonly r: number }[];
}

type Node = { x: number; y: number };
type MapGraph = MultiDirectedGraph<Node, { order: number }>;

const MOST_NAMED = 64;
const MARGIN = 2;
/** How far lines leave the straight way, as a share of it. */
const BEND = 0.12;
/** Lines of more messages are thinner. */
const MANY = 60;
/** With more messages their titles would be most of the page; the table has them. */
const MOST_TITLES = 500;

export function mapPicture(
  { pes, messages, root, domainsOf }: MapContent,
  looks: Pick<PELooks, "nameOf" | "colourOf">,
): Drawing {
  const graph: MapGraph = new (graphology().MultiDirectedGraph)<Node, { order: number }>();
  for (const pe of pes) graph.addNode(pe, { x: 0, y: 0 });
  for (const { from, to, order } of messages) graph.addDirectedEdge(from, to, { order });
  const { radius, circles } = domainsOf === undefined ? onCircle(graph) : inDomains(graph, pes, domainsOf);
  const isIn = domainsOf === undefined ? () => true : sameDomain(domainsOf);
  const reach = radius + MARGIN;
  const bends = graph.mapDirectedEdges((_, __, ___, ____, a, b) => (a.y + b.y) / 2 - (b.x - a.x) * BEND * 0.5);
  const tops = [...bends, ...graph.mapNodes((_, { y }) => y - reach), ...circles.map(({ y, r }) => y - r - MARGIN)];
  const bottoms = [...bends, ...graph.mapNodes((_, { y }) => y + reach), ...circles.map(({ y, r }) => y + r + MARGIN)];
  const [top, bottom] = [Math.min(...tops), Math.max(...bottoms)];
  const many = messages.length > MANY ? " many" : "";
  const lines = graph.mapDirectedEdges((_, { order }, from, to, a, b) => {
    const title = `${looks.nameOf(Number(from))} to ${looks.nameOf(Number(to))}: message ${order}`;
    const look = `message${many}${isIn(Number(from), Number(to)) ? "" : " across"}`;
    const name = messages.length > MOST_TITLES ? "" : `<title>${textOf(title)}</title>`;
    return `<path class="${look}" d="${bent(a, b)}">${name}</path>`;
  });
  const isNamed = pes.length <= MOST_NAMED && radius >= 6;
  const dots = graph.mapNodes((key, { x, y }) => {
    const pe = Number(key);
    const dot = `<circle class="pe${radius < 5 ? " tiny" : ""} domain-${looks.colourOf(pe) % 10}${pe === root ? " root" : ""}" cx="${n(x)}" cy="${n(y)}" r="${n(radius)}"><title>${textOf(looks.nameOf(pe))}</title></circle>`;
    const size = Math.min(12, radius * (pe > 99 ? 0.85 : 1.1));
    return isNamed ? dot + letters(x, y + size * 0.35, pe, { class: "pe-name", anchor: "middle", size }) : dot;
  });
  const rings = circles.map(({ x, y, r }) => `<circle class="domain-ring" cx="${n(x)}" cy="${n(y)}" r="${n(r)}"/>`);
  const content = [...rings, ...lines, ...dots].join("");
  return {
    width: COLUMN,
    height: bottom - top,
    content: `<g transform="translate(0,${n(-top)})">${content}</g>`,
  };
}

function onCircle(graph: MapGraph): Places {
  circular.assign(graph, { scale: 1 });
  // neighbours are that far from each other on a circle of radius 1
  const apart = 2 * Math.sin(Math.PI / Math.max(2, graph.order));
  const radius = Math.max(2.6, Math.min(13, (apart * COLUMN) / 2 / 2.6));
  const far = COLUMN / 2 - radius - MARGIN;
  graph.updateEachNodeAttributes((_, { x, y }) => ({ x: COLUMN / 2 + x * far, y: COLUMN / 2 + y * far }));
  return { radius, circles: [] };
}

/** A domain with its domains, or a PE. */
interface Domain {
  readonly pe?: number;
  readonly content?: readonly Domain[];
}

function inDomains(graph: MapGraph, pes: readonly number[], domainsOf: (pe: number) => readonly number[]): Places {
  const levels = domainsOf(pes[0] as number).length;
  const domain = (own: readonly number[], level: number): Domain => {
    if (level === levels) return { content: own.map((pe) => ({ pe })) };
    const groups = new Map<number, number[]>();
    for (const pe of own) {
      const of = domainsOf(pe)[level] as number;
      groups.set(of, [...(groups.get(of) ?? []), pe]);
    }
    return { content: [...groups.values()].map((group) => domain(group, level + 1)) };
  };
  const tree = hierarchy(domain(pes, 0), ({ content }) => content as Domain[] | undefined).count();
  const packed = pack<Domain>()
    .size([COLUMN, COLUMN])
    .padding(({ height }) => (height === 1 ? 3 : 8))(tree);
  let radius = Infinity;
  packed.eachBefore(({ data, x, y, r }) => {
    if (data.pe === undefined) return;
    graph.mergeNodeAttributes(data.pe, { x, y });
    radius = Math.min(radius, r);
  });
  const circles = packed.descendants().filter(({ depth, height }) => depth > 0 && height > 0);
  return { radius: Math.min(14, radius), circles };
}

const sameDomain =
  (domainsOf: (pe: number) => readonly number[]) =>
  (a: number, b: number): boolean => {
    const [own, other] = [domainsOf(a), domainsOf(b)];
    return own.every((domain, i) => domain === other[i]);
  };

/** Bent to the left of its direction: there and back do not lie on each other. */
function bent(a: Node, b: Node): string {
  const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  return `M${n(a.x)},${n(a.y)}Q${n(x + dy * BEND)},${n(y - dx * BEND)} ${n(b.x)},${n(b.y)}`;
}
