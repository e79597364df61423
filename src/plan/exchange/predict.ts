/**
 * The model of the time of a phase, by which plans of exchanges are made: one formula for each discipline.
 *
 *     stream    the busy time of the slowest of injection, ejection, links and bisection, or of a PE, which may keep a
 *               pace
 *     loss      of a receiver that has several senders: messages wait behind one whose receiver is full (a network with
 *               a limited queue), or it takes longer for each (as measured with so many senders)
 *
 *     eager, interleaved   stream + loss + what waits for buffers to come back
 *     cyclic-shift         stream + a part of the loss, as PEs fall out of step
 *     barrier              rounds with data x chunk + rounds x vote
 *     token                turns x chunk + rounds x (small message behind the data of a receiver)
 *     dynamic              rounds of the busiest receiver x (chunk + vote), or two votes where bookings are denied
 *
 * On real nodes the network holds what has left: tokens have a part of the loss, too, and of what rounds add beyond the
 * stream a part is left (REAL in fit.ts).
 *
 * Limits: as phase.ts; a program that computes meanwhile is not modelled. Sources: Brewer et al., "Software Techniques
 * for Improving MPP Bulk-Transfer Performance"; the bound of the loss by head-of-line blocking, 1 / 0.586 of the time:
 * M. J. Karol, M. G. Hluchyj, S. P. Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch", 1987.
 */
import type { DisciplineName } from "../../route/disciplines/options.ts";
import type { CostModel } from "../model/cost-model.ts";
import { slowest } from "../model/servers.ts";
import { FIT, REAL } from "./fit.ts";
import { evenStreamOf } from "./pace.ts";
import { type Phase, streamOf } from "./phase.ts";

/** The disciplines that plans choose from, the simplest one first. */
export const PLANNED = ["eager", "interleaved", "cyclic-shift", "token", "barrier", "dynamic"] as const;
export type Planned = (typeof PLANNED)[number];

/** The time assumed for others, where they are forced. */
export const LIKE: Readonly<Record<DisciplineName, Planned>> = {
  eager: "eager",
  interleaved: "interleaved",
  "cyclic-shift": "cyclic-shift",
  token: "token",
  barrier: "barrier",
  dynamic: "dynamic",
  random: "eager",
  "request-token": "token",
  static: "dynamic",
  "iterative-matching": "dynamic",
};

/** Times, ns. */
export interface PhaseTime {
  readonly time: number;
  /** The busy time of its busiest part, a PE or one of the network; a PE that keeps a pace sends for as long. */
  readonly network: number;
  /** The surcharge for several senders at one receiver. */
  readonly crowd: number;
  /** The surcharge for rounds: votes, tokens, turns without a chunk. */
  readonly rounds: number;
}

/** The prediction for some choices; times are ns. */
export interface ExchangePrediction extends PhaseTime {
  readonly discipline: DisciplineName;
  readonly chunkBytes: number;
  /** Of dynamic. */
  readonly window?: number | undefined;
  /** Bytes of a packet, where they are chosen with the pace. */
  readonly packetBytes?: number | undefined;
  /** Bytes per second. */
  readonly pace?: number | undefined;
}

/** @param pace bytes per second that a PE sends at most, heads of packets included */
export function predictPhase(model: CostModel, phase: Phase, discipline: Planned, pace: number | undefined): PhaseTime {
  const { latency, vote } = phase;
  const sending = pace === undefined ? 0 : (phase.wire / pace) * 1e9;
  const stream = Math.max(streamOf(model, phase), sending);
  const { crowd, rounds: alone } = PARTS[discipline](model, phase, stream);
  const share = pacedShare(model, phase, discipline, sending);
  const rounds = model.countsLastReturns ? REAL.rounds * alone : alone;
  // the last chunk arrives, and all vote that they have read everything
  return {
    time: stream + share * crowd + rounds + latency + vote,
    network: stream,
    crowd: share * crowd,
    rounds,
  };
}

/** The share of the loss that a pace leaves: no less than all, if it is faster than the busiest part. */
function pacedShare(model: CostModel, phase: Phase, discipline: Planned, sending: number): number {
  if (sending < KEPT * evenStreamOf(model, phase)) return 1;
  const isInStep = discipline === "interleaved" && phase.skew === 1 && !model.countsLastReturns;
  return isInStep ? FIT.inStep : FIT.paced;
}

type Added = Pick<PhaseTime, "crowd" | "rounds">;
/** A pace is rounded. */
const KEPT = 0.99;

type Parts = (model: CostModel, phase: Phase, stream: number) => Added;

const togetherOf = ({ countsLastReturns }: CostModel): number => (countsLastReturns ? REAL.together : 1);

const apart = (stream: number, time: number): Added => ({ crowd: 0, rounds: Math.max(0, time - stream) });

const PARTS: Readonly<Record<Planned, Parts>> = {
  eager: (model, phase, stream) => ({
    crowd: togetherOf(model) * lossOf(model, phase, stream, 1) + returnsOf(model, phase, stream),
    rounds: 0,
  }),
  interleaved: (model, phase, stream) => ({
    crowd: togetherOf(model) * lossOf(model, phase, stream, FIT.interleaved) + returnsOf(model, phase, stream),
    rounds: 0,
  }),
  "cyclic-shift": (model, phase, stream) => ({
    crowd: (model.countsLastReturns ? REAL.drift : FIT.drift) * lossOf(model, phase, stream, 1),
    rounds: 0,
  }),
  barrier(model, phase, stream) {
    const { rounds, full, vote } = phase;
    return apart(stream, full * chunkOf(model, phase) + rounds * vote);
  },
  token(model, phase, stream) {
    const { rounds, full, chunks, passing, control, packets, packet } = phase;
    const turns = chunks + FIT.waves * Math.max(0, full - chunks);
    const around = rounds * (model.pes / Math.max(1, model.pes - 1));
    const time = turns * passing + around * (control + FIT.behind * Math.min(1, packets) * packet);
    const crowd = model.countsLastReturns ? REAL.early * lossOf(model, phase, stream, 1) : 0;
    return { ...apart(stream, time), crowd };
  },
  dynamic(model, phase, stream) {
    const { chunks, destinations, skew, vote } = phase;
    const isEven = skew === 1 && destinations === model.pes - 1;
    const rounds = isEven ? chunks : FIT.missed * chunks * skew;
    return apart(stream, rounds * (chunkOf(model, phase) + (isEven ? 1 : 2) * vote));
  },
};

/** A chunk of a round: the next may begin when it has left, or its receiver has it, as MPI then says. */
function chunkOf(model: CostModel, { packets, leaving, passing }: Phase): number {
  const { queue = Number.POSITIVE_INFINITY } = model.network.congestion ?? {};
  return packets > queue || model.countsLastReturns ? passing : leaving;
}

/** @param share of what blocks */
function lossOf(
  model: CostModel,
  { senders, servers, even, crowd, packets }: Phase,
  stream: number,
  share: number,
): number {
  const crowded = Math.max(0, servers.ejection * crowd - stream);
  const { queue = Number.POSITIVE_INFINITY, interleaved = false } = model.network.congestion ?? {};
  if (interleaved || senders <= 1 || queue === Number.POSITIVE_INFINITY) return crowded;
  const bound = (1 / 0.586 - 1) * (1 - 1 / senders);
  const filled = packets / queue;
  const blocked = (FIT.blocking * bound * filled) / (filled + FIT.half);
  return Math.max(crowded, share * blocked * slowest(even).time);
}

/** Messages that give buffers back wait in line with their receiver's data: lanes with more data wait most. */
function returnsOf(model: CostModel, { servers: { injection }, skew, destinations }: Phase, stream: number): number {
  if (model.network.congestion?.interleaved) return 0;
  return Math.max(0, injection * (1 + (FIT.returns / destinations + skew - 1) / destinations) - stream);
}
