/** Figure 5 as SVG: the bandwidth of a node by the logarithm of their number; lines are predicted, dots simulated. */
import type { Figure5 } from "./figure5.ts";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 400, 56, 16, 48, 48];
/** By hops; apart for those who do not see colours, too (after ColorBrewer Dark2). */
const LINES: readonly (readonly [colour: string, dashes: string])[] = [
  ["#d95f02", "2 3"],
  ["#7570b3", "8 4"],
  ["#1b9e77", ""],
];

/** The drawing as a document. */
export function figure5Svg({ nodeSize, itemBytes, load, points }: Figure5): string {
  const steps = Math.max(1, ...points.map(({ nodes }) => Math.log2(nodes)));
  const values = points.flatMap(({ predicted, simulated }) => [predicted, simulated ?? 0]);
  const most = niceAbove(Math.max(...values));
  const x = (nodes: number) => LEFT + (Math.log2(nodes) / steps) * (WIDTH - LEFT - RIGHT);
  const y = (bandwidth: number) => HEIGHT - BOTTOM - (bandwidth / most) * (HEIGHT - TOP - BOTTOM);
  const at = (nodes: number, bandwidth: number) => `${x(nodes).toFixed(1)},${y(bandwidth).toFixed(1)}`;
  const text = (left: number, top: number, words: string, more = "") =>
    `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" ${more}>${words}</text>`;
  const title = `Injection bandwidth of a node, ${load} items of ${itemBytes} B from each of ${nodeSize} PEs a node`;
  const rules = Array.from({ length: 5 }, (_, i) => (most * i) / 4).flatMap((value) => [
    `<path d="M${LEFT},${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
    text(LEFT - 6, y(value) + 4, String(Number(value.toPrecision(2))), 'text-anchor="end"'),
  ]);
  const marks = [...new Set(points.map(({ nodes }) => nodes))].map((nodes) =>
    text(x(nodes), HEIGHT - BOTTOM + 16, String(nodes), 'text-anchor="middle"'),
  );
  const curves = LINES.flatMap(([colour, dashes], i) => {
    const own = points.filter(({ hops }) => hops === i + 1);
    if (own.length === 0) return [];
    const dots = own.filter(({ simulated }) => simulated !== null);
    return [
      `<polyline points="${own.map((one) => at(one.nodes, one.predicted)).join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`,
      ...dots.map(
        (one) =>
          `<circle cx="${x(one.nodes).toFixed(1)}" cy="${y(one.simulated ?? 0).toFixed(1)}" r="3.5" fill="${colour}"/>`,
      ),
      `<path d="M${WIDTH - RIGHT - 100},${TOP + 8 + 16 * i}h28" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`,
      text(WIDTH - RIGHT - 66, TOP + 12 + 16 * i, i === 0 ? "1 hop" : `${i + 1} hops`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, 20, title, 'font-size="14"'),
    text(LEFT, 38, "GB/s; lines: predicted, dots: simulated", 'fill="#555"'),
    ...rules,
    ...marks,
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "nodes", 'text-anchor="middle"'),
    ...curves,
    "</svg>",
    "",
  ].join("\n");
}

/** The next of 1, 2, 4, 8 times a power of ten. */
function niceAbove(value: number): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 4, 8, 10].find((one) => one * ten >= value) as number) * ten) as number;
}
