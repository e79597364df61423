/** The statements of "Conveyors for Streaming Many-To-Many Communication" about rates and memory. */
import { amountText, bytesText, percentText, ratioText } from "../../../../src/ground/base/units.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import { type ConveyorsPaper, type Memory, NETWORKS, type PaperFigure, type Rate } from "./conveyors.ts";

/** A rate of single messages is dismal beside one that is so many times as high. */
const DISMAL = 10;
/** Little or nothing is gained up to this ratio; and memory as near as this to a number is "a gigabyte". */
const LITTLE = 1.25;
/** Small items of section 4.2, bytes; and loads that are high, bytes of each PE. */
const SMALL_ITEM = 16;
const HIGH_LOAD = 2 ** 24;
const LOW_LOAD = 2 ** 16;
const GREATLY = 2;
/** "Generally": of all cases. */
const GENERALLY = 0.75;
/** "A wide range" of loads, each 16 times the one before: more than this part of them, for each size of items. */
const WIDE = 0.5;
/** The bytes of a PE that fill buffers, the cause that section 4.3 gives: 96 links have one of 8 KiB each. */
const FILLING = 2 ** 20;
/** The paper counts buffers, not their heads, tags and the memory that items pass through. */
const BESIDE = 0.1;
/** What scales poorly loses at least so much. */
const POORLY = 0.5;
/** Nodes of a Cray's group, with a loss "often". */
const GROUP = [64, 256] as const;
/** GB/s of the XC30 on 1024, 4096 and 8192 nodes; losses may be off by so much. */
const XC30 = [5.01, 4.15, 3.5] as const;
const OFF = 0.05;

/** All sentences. */
export function conveyorsClaims(found: ConveyorsPaper): Claim[] {
  const { curves, histogram, indexGather, sparse, memory, synchronous, free, natural, large } = found;
  const figures = [5, 6, 7] as const;
  return [
    idiom("histogram", "puts", histogram),
    idiom("index-gather", "gets", indexGather),
    tram(natural),
    gainsLittle(sparse),
    gigabyte(memory),
    savings(memory),
    greatly(synchronous),
    dominate(synchronous),
    advantage(synchronous),
    asynchronous(synchronous),
    threeHops(curves),
    leastMemory(memory),
    ...figures.map((figure) => ahead(figure, curves)),
    ...figures.map((figure) => smallItems(figure, curves)),
    work(free),
    group(curves),
    alltoallv(curves),
    xc30(large),
  ];
}

const gigabytes = (rate: number): string => `${amountText(rate)} GB/s`;
const rate = (points: readonly Rate[], by: Rate["by"]): number =>
  points.find((one) => one.by === by)?.predicted ?? Number.NaN;

/** Pairs of rates that differ in the carrier only. */
function beside(points: readonly Rate[], upper: Rate["by"], lower: Rate["by"]): { at: Rate; ratio: number }[] {
  const keyOf = ({ figure, itemBytes, nodes, load }: Rate) => `${figure} ${itemBytes} ${nodes} ${load}`;
  const others = new Map(points.filter(({ by }) => by === lower).map((one) => [keyOf(one), one.predicted]));
  return points
    .filter(({ by }) => by === upper)
    .map((at) => ({ at, ratio: at.predicted / (others.get(keyOf(at)) ?? Number.NaN) }));
}

const range = (found: readonly { readonly ratio: number }[]): string => {
  const all = found.map(({ ratio }) => ratio);
  return `${ratioText(Math.min(...all))} to ${ratioText(Math.max(...all))}`;
};

function idiom(name: string, calls: string, points: readonly Rate[]): Claim {
  const large = points.filter(({ simulated }) => simulated === null);
  const small = points.filter(({ simulated }) => simulated !== null);
  const [ratio] = beside(large, "tensor", "messages").map((one) => one.ratio);
  const [one, other] = (["tensor", "messages"] as const).map(
    (by) => small.find((point) => point.by === by)?.simulated ?? Number.NaN,
  );
  const [{ nodes, nodeSize }] = small;
  return {
    place: "2",
    claim: `${name}: conveyors are far above individual ${calls} (figure 2)`,
    agrees: ratio >= DISMAL && one / other >= DISMAL,
    numbers:
      `${gigabytes(rate(large, "tensor"))} and ${gigabytes(rate(large, "messages"))} on ${large[0].nodes} nodes, ${ratioText(ratio)}; ` +
      `simulated on ${nodes} nodes of ${nodeSize} PEs: ${ratioText(one / other)}; at least ${ratioText(DISMAL)}`,
  };
}

function gainsLittle(points: readonly Rate[]): Claim {
  const [simple, tensor, messages] = (["simple", "tensor", "messages"] as const).map((by) => rate(points, by));
  return {
    place: "2.2",
    claim: "with very little data for each pair buffers of one hop gain little or nothing over messages",
    agrees: simple / messages <= LITTLE,
    numbers: `one item for each PE, by messages: simple ${ratioText(simple / messages)}, at most ${ratioText(LITTLE)}; tensor ${ratioText(tensor / messages)}`,
  };
}

function tram(points: readonly Rate[]): Claim {
  const [ours, grid] = (["tensor, three hops", "grid of TRAM"] as const).map((by) => rate(points, by));
  return {
    place: "2.2",
    claim: "three hops, of which two stay on a node, are faster than TRAM's grid",
    agrees: ours > grid * (1 + NEAR),
    numbers: `${gigabytes(ours)} and ${gigabytes(grid)} on ${points[0].nodes} nodes`,
  };
}

const bytesOf = (memory: readonly Memory[], nodes: number, hops: Memory["hops"]): number =>
  memory.find((one) => one.nodes === nodes && one.hops === hops)?.bytes ?? Number.NaN;
const nodesOf = (memory: readonly Memory[]): number[] => [...new Set(memory.map(({ nodes }) => nodes))];

function gigabyte(memory: readonly Memory[]): Claim {
  const bytes = bytesOf(memory, Math.max(...nodesOf(memory)), 1);
  return {
    place: "2.2",
    claim: "a conveyor of one hop with buffers of 8 KiB takes a gigabyte of each of 2^16 PEs",
    agrees: bytes / 2 ** 30 >= 1 / LITTLE && bytes / 2 ** 30 <= LITTLE,
    numbers: bytesText(bytes),
  };
}

function savings(memory: readonly Memory[]): Claim {
  const found = nodesOf(memory).map((nodes) => ({
    nodes,
    ratio: bytesOf(memory, nodes, 1) / bytesOf(memory, nodes, 2),
  }));
  return {
    place: "4.2",
    claim: "two hops with groups of 32 take 16 to 32 times less memory, on 32 nodes or more",
    agrees: found.every(({ ratio }) => ratio >= 16 * (1 - BESIDE) && ratio <= 32 * (1 + BESIDE)),
    numbers: found.map(({ nodes, ratio }) => `${ratioText(ratio)} on ${nodes}`).join(", "),
  };
}

const listed = (found: readonly { readonly at: Rate; readonly ratio: number }[]): string =>
  found.map(({ at, ratio }) => `${at.itemBytes} B, ${bytesText(at.load)}: ${ratioText(ratio)}`).join("; ");

function greatly(points: readonly Rate[]): Claim {
  const found = beside(points, "simple, two hops", "simple").filter(
    ({ at }) => at.itemBytes <= SMALL_ITEM && at.load <= LOW_LOAD,
  );
  return {
    place: "4.2",
    claim: "when load and items are small two hops improve the rate greatly, as fewer messages are sent",
    agrees: found.every(({ ratio }) => ratio >= GREATLY),
    numbers: `two / one: ${listed(found)}; at least ${ratioText(GREATLY)}`,
  };
}

function dominate(points: readonly Rate[]): Claim {
  const found = beside(points, "simple, two hops", "simple").filter(({ at }) => at.itemBytes > SMALL_ITEM);
  return {
    place: "4.2",
    claim: "of large items two synchronous hops are ahead of one over a wide range of loads",
    agrees: [...new Set(found.map(({ at }) => at.itemBytes))].every((bytes) => {
      const own = found.filter(({ at }) => at.itemBytes === bytes);
      return own.filter(({ ratio }) => ratio >= 1 - NEAR).length > WIDE * own.length;
    }),
    numbers: `two / one: ${listed(found)}`,
  };
}

function advantage(points: readonly Rate[]): Claim {
  const found = beside(points, "simple", "simple, two hops").filter(
    ({ at }) => at.itemBytes <= SMALL_ITEM && at.load >= HIGH_LOAD,
  );
  return {
    place: "4.2",
    claim: "of items of 8 or 16 B one synchronous hop is ahead of two when the load is high",
    agrees: found.every(({ ratio }) => ratio > 1 + NEAR),
    numbers: `one / two: ${listed(found)}`,
  };
}

function asynchronous(points: readonly Rate[]): Claim {
  const found = beside(points, "tensor, two hops", "simple, two hops");
  return {
    place: "4.2",
    claim: "two asynchronous hops are faster than two synchronous ones, where buffers become full",
    agrees: found.every(({ at, ratio }) => at.load < FILLING || ratio > 1 + NEAR),
    numbers: `asynchronous / synchronous: ${listed(found)}`,
  };
}

function threeHops(points: readonly Rate[]): Claim {
  const nodes = Math.max(...points.map((one) => one.nodes));
  const found = points.filter((one) => one.nodes === nodes && one.by === "tensor");
  const three = found.filter(({ hops }) => hops === 3);
  return {
    place: "4.3",
    claim: "with many PEs on many nodes three hops are generally the fastest",
    agrees: three.length >= GENERALLY * found.length,
    numbers: `in ${three.length} of ${found.length} cases on ${nodes} nodes: ${found.map(({ figure, itemBytes, hops }) => `figure ${figure}, ${itemBytes} B: ${hops}`).join("; ")}`,
  };
}

function leastMemory(memory: readonly Memory[]): Claim {
  const nodes = Math.max(...nodesOf(memory));
  const [one, two, three] = ([1, 2, 3] as const).map((hops) => bytesOf(memory, nodes, hops));
  return {
    place: "4.3",
    claim: "three hops take the least memory for buffers",
    agrees: three < Math.min(one, two),
    numbers: `${bytesText(one)}, ${bytesText(two)}, ${bytesText(three)} by one, two, three hops on ${nodes} nodes`,
  };
}

function ahead(figure: PaperFigure, points: readonly Rate[]): Claim {
  const found = beside(
    points.filter((one) => one.figure === figure),
    "tensor",
    "simple",
  );
  return {
    place: `5, figure ${figure}`,
    claim: `tensor conveyors are ahead of simple ones (${NETWORKS[figure].title})`,
    agrees: found.every(({ ratio }) => ratio > 1),
    numbers: `tensor / simple: ${range(found)}`,
  };
}

/** Each item size has at least the rate of the smaller one; the largest clearly more than the smallest. */
function smallItems(figure: PaperFigure, points: readonly Rate[]): Claim {
  const own = points.filter((one) => one.figure === figure);
  const lines = (["simple", "tensor"] as const).flatMap((by) =>
    [...new Set(own.map(({ nodes }) => nodes))].map((nodes) =>
      own.filter((one) => one.by === by && one.nodes === nodes),
    ),
  );
  const found = lines.map((line) => ({ ratio: line[line.length - 1].predicted / line[0].predicted }));
  return {
    place: `5, figure ${figure}`,
    claim: `many small items have a cost: the larger the items the higher the rate (${NETWORKS[figure].title})`,
    agrees:
      found.every(({ ratio }) => ratio > 1 + NEAR) &&
      lines.every((line) =>
        line.every(({ predicted }, i) => i === 0 || predicted >= line[i - 1].predicted * (1 - NEAR)),
      ),
    numbers: `128 B / 8 B: ${range(found)}`,
  };
}

function work(points: readonly Rate[]): Claim {
  const loss = (by: Rate["by"]) => {
    const own = points.filter((one) => one.by === by);
    const [least, most] = [own[0], own[own.length - 1]];
    return 1 - least.predicted / most.predicted;
  };
  const [all, tags] = [loss("tensor"), loss("tensor, free items")];
  return {
    place: "5",
    claim: "most of the cost of small items is work of the CPU, some of it routing tags",
    agrees: tags > 0 && 1 - tags / all > 0.5,
    numbers: `items of 8 B lose ${percentText(all)} beside 128 B, ${percentText(tags)} if items cost a PE nothing, on ${points[0].nodes} nodes`,
  };
}

/** A rate within the group's numbers of nodes is below those at both of its ends. */
function group(points: readonly Rate[]): Claim {
  const own = points.filter(({ figure, by, itemBytes }) => figure === 5 && by === "tensor" && itemBytes === 128);
  const within = own.filter(({ nodes }) => nodes >= GROUP[0] && nodes <= GROUP[1]);
  const [before, after] = [own.findLast(({ nodes }) => nodes < GROUP[0]), own.find(({ nodes }) => nodes > GROUP[1])];
  const least = Math.min(...within.map(({ predicted }) => predicted));
  return {
    place: "5, figure 5",
    claim: "there is a loss on 2^6 to 2^8 nodes, which are in one group of cabinets",
    agrees: least < Math.min(before?.predicted ?? 0, after?.predicted ?? 0) * (1 - NEAR),
    numbers: own.map(({ nodes, predicted }) => `${gigabytes(predicted)} on ${nodes}`).join(", "),
  };
}

function alltoallv(points: readonly Rate[]): Claim {
  const found = (["simple", "tensor"] as const).map((by) => {
    const own = points.filter((one) => one.figure === 7 && one.by === by && one.itemBytes === 128);
    return { by, nodes: own[own.length - 1].nodes, loss: 1 - own[own.length - 1].predicted / own[0].predicted };
  });
  return {
    place: "5, figure 7",
    claim: "simple conveyors by alltoallv scale poorly",
    agrees: found[0].loss >= POORLY && found[0].loss > found[1].loss + OFF,
    numbers: `loss on ${found[0].nodes} nodes, of the fewest: ${found.map(({ by, loss }) => `${by} ${percentText(loss)}`).join(", ")}`,
  };
}

function xc30(points: readonly Rate[]): Claim {
  const losses = points.map(({ predicted }) => 1 - predicted / points[0].predicted);
  const theirs = XC30.map((one) => 1 - one / XC30[0]);
  return {
    place: "5",
    claim: "XC30: 5.01 GB/s on 1024 nodes, 4.15 on 4096, 3.50 on 8192",
    agrees: losses.every((loss, i) => Math.abs(loss - theirs[i]) <= OFF),
    numbers: points
      .map(
        ({ nodes, predicted, hops }, i) =>
          `${gigabytes(predicted)} on ${nodes} by ${hops} hops, ${percentText(losses[i])} less (${percentText(theirs[i])})`,
      )
      .join("; "),
  };
}
