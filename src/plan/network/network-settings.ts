/** Checks of the options of a network, and the settings that they come to. */
import { UsageError } from "../../ground/base/errors.ts";
import {
  amount,
  is,
  listOf,
  type OptionField,
  type OptionFields,
  oneOf,
  optionsOf,
  problemIn,
  truth,
  unchecked,
  whole,
} from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import {
  type FatTreeLevel,
  LINE,
  type NetworkLine,
  type NetworkName,
  type NetworkPiece,
  type NetworkRate,
  type NetworkSettings,
  type SimulatedNetwork,
  type SimulatedTopology,
} from "./network.ts";
import { networks } from "./networks.ts";

const LINE_FIELDS: OptionFields<NetworkLine> = { alpha: amount, beta: amount, receiver: amount };

const RATE = optionsOf<NetworkRate>({ message: amount, byte: amount });
const PIECE = optionsOf<NetworkPiece>({ from: amount, alpha: amount, beta: amount }, ["from", "alpha", "beta"]);
/** The description of a network. */
export const NETWORK_NAMES: readonly string[] = [...Object.keys(networks), "measured"];
const NETWORK = optionsOf<SimulatedNetwork>({
  ...LINE_FIELDS,
  like: oneOf(NETWORK_NAMES),
  pieces: listOf(PIECE, "an array of lines"),
  injection: RATE,
  ejection: RATE,
  queue: whole(1),
  packetBytes: whole(1),
  interleaved: truth,
  processor: truth,
  control: truth,
  bisection: amount,
  barrier: amount,
  // by its kind: checkTopology
  topology: unchecked,
});

const kind = unchecked;
const LEVEL = optionsOf<FatTreeLevel>({ children: whole(1), byte: amount }, ["byte"]);
const TOPOLOGIES: Readonly<Record<SimulatedTopology["kind"], OptionField>> = {
  full: optionsOf<{ kind: unknown; byte: number }>({ kind, byte: amount }, ["byte"]),
  mesh: optionsOf<{ kind: unknown; byte: number; columns: number }>({ kind, byte: amount, columns: whole(1) }, [
    "byte",
  ]),
  "fat-tree": optionsOf<{ kind: unknown; levels: readonly FatTreeLevel[] }>(
    { kind, levels: listOf(LEVEL, "an array of levels") },
    ["levels"],
  ),
};
const KIND = is("an object with kind, which is one of full, mesh, fat-tree", (x) =>
  isKind((x as SimulatedTopology | null)?.kind),
);

/** A list of one name would be taken for the name. */
const isKind = (kind: unknown): boolean => typeof kind === "string" && Object.hasOwn(TOPOLOGIES, kind);

function check(path: string, field: OptionField, value: unknown): void {
  const problem = problemIn(field, value);
  if (problem === null) return;
  throw new UsageError(`${problem.path === "" ? path : `${path}.${problem.path}`}: ${problem.sentence}`);
}

/**
 * @param given an object, or the name of a network; undefined: the defaults
 * @param measured what `like: "measured"` is; undefined where nothing was measured
 * @throws UsageError
 */
export function networkOf(
  given: SimulatedNetwork | NetworkName | "measured" | undefined,
  nodes: number,
  measured: SimulatedNetwork | undefined,
): NetworkSettings {
  if (typeof given === "string") check("network", oneOf(NETWORK_NAMES), given);
  else if (given !== undefined) check("network", NETWORK, given);
  const options: SimulatedNetwork = typeof given === "string" ? { like: given } : (given ?? {});
  const {
    alpha = LINE.alpha,
    beta = LINE.beta,
    receiver = LINE.receiver,
    pieces: lines = [],
    barrier = null,
    ...parts
  } = {
    ...likeOf(options.like, measured),
    ...said(options),
  };
  // what is given beside a name holds for messages of all sizes
  const pieces =
    options.pieces === undefined
      ? lines.map((line) => ({
          from: line.from,
          alpha: options.alpha ?? line.alpha,
          beta: options.beta ?? line.beta,
        }))
      : lines;
  const { injection, ejection, queue, packetBytes, interleaved, processor, control, bisection, topology } = parts;
  checkTogether({ pieces, topology }, nodes);
  const congesting = [injection, ejection, queue, packetBytes, interleaved, processor, control, bisection, topology];
  const congestion = {
    injection: { message: injection?.message ?? 0, byte: injection?.byte ?? 0 },
    ejection: { message: ejection?.message ?? receiver, byte: ejection?.byte ?? 0 },
    queue: queue ?? Number.POSITIVE_INFINITY,
    packetBytes: packetBytes ?? Number.POSITIVE_INFINITY,
    interleaved: interleaved ?? false,
    processor: processor ?? false,
    control: control ?? false,
    bisection: bisection ?? 0,
    topology: topology ?? null,
  };
  const isCongested = congesting.some((part) => part !== undefined);
  return { alpha, beta, receiver, pieces, barrier, congestion: isCongested ? congestion : null };
}

/** The options that are not undefined. */
function said<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function likeOf(name: SimulatedNetwork["like"], measured: SimulatedNetwork | undefined): SimulatedNetwork {
  if (name === undefined) return {};
  if (name !== "measured") return networks[name].network;
  if (measured !== undefined) return measured;
  throw new UsageError(
    'network: expected a machine model with internode for "measured" (tundish profile under mpirun), not marked as noisy, got none',
  );
}

/** The conditions that concern several fields. @throws UsageError with a path that begins with `network` */
export function checkTogether(
  { pieces = [], topology }: Pick<SimulatedNetwork, "pieces" | "topology">,
  nodes: number,
): void {
  if (topology !== undefined) checkTopology(topology, nodes);
  const odd = pieces.findIndex(({ from }, i) => i > 0 && from <= pieces[i - 1].from);
  if (odd <= 0) return;
  throw new UsageError(
    `network.pieces.${odd}.from: expected more than ${pieces[odd - 1].from}, got ${pieces[odd].from}`,
  );
}

function checkTopology(topology: SimulatedTopology, nodes: number): void {
  const path = "network.topology";
  check(path, KIND, topology);
  check(path, TOPOLOGIES[topology.kind], topology);
  if (topology.kind === "mesh") {
    const { columns } = topology;
    if (columns === undefined || nodes % columns === 0) return;
    throw new UsageError(`${path}.columns: expected a divisor of the number of nodes (${nodes}), got ${columns}`);
  }
  if (topology.kind === "fat-tree") checkLevels(topology.levels, nodes);
}

function checkLevels(levels: readonly FatTreeLevel[], nodes: number): void {
  const path = "network.topology.levels";
  if (levels.length === 0) throw new UsageError(`${path}: expected at least one level, got ${shortText(levels)}`);
  const without = levels.findIndex(({ children }, i) => children === undefined && i < levels.length - 1);
  if (without >= 0) {
    throw new UsageError(`${path}.${without}.children: expected a whole number >= 1, got undefined`);
  }
  if (levels.at(-1)?.children === undefined) return;
  const places = levels.reduce((product, { children = 1 }) => product * children, 1);
  if (places < nodes) {
    throw new UsageError(`${path}: expected children for ${nodes} nodes, got ${places} in all`);
  }
}
