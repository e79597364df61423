/** The choice among predictions: the fastest, unless it gains less than the model is known to be wrong by. */
import { DEFAULT_BUFFER_BYTES } from "../../route/geometry/conveyor-choice.ts";
import { type Candidate, type CostModel, haveSameWays } from "../model/cost-model.ts";
import type { Prediction } from "../model/predict.ts";

/** Times with a smaller relative difference count as equal, without what all have to do. */
const SAME = 0.01;
/**
 * Over a measured network: buffers that take so much longer than the best are taken if they need less memory, down to a
 * burst that a sender by TCP has under way before the first answer (10 segments: RFC 6928). Networks lose what comes at
 * once from several senders, which the model does not know: over eight hosts that receive 100 Mbit/s 4 x 64 KiB should
 * take 5 % less than 4 x 16 KiB, and took two to four times as long.
 */
const SAME_BUFFERS = 0.15;
const BURST_BYTES = 16_384;
/**
 * In a network that is only modelled: other buffers than the usual ones take at least so much less, as the model may
 * be wrong by as much between sizes. In the simulator 2 x 16 KiB were up to 13 % faster than buffers that should have
 * taken up to 7 % less (72 cases of `bench plan`, seed 3).
 */
const LEAST_BUFFER_GAIN = 0.07;
const USUAL_BUFFERS = 2;
/** A mesh takes at least so much less, as the work to find an item's next hop is not in the model. */
const LEAST_MESH_GAIN = 0.05;
/** Numbers of messages with a smaller relative difference count as equal. */
const SAME_MESSAGES = 0.01;

/**
 * That of the least score; among those near it the smallest; among those the first.
 * @param same what all have to do
 * @param near relative difference of those near it
 */
export function best<One extends Pick<Prediction, "memory">>(
  of: readonly One[],
  score: (one: One) => number,
  same: number,
  near: number = SAME,
): One {
  const least = of.reduce((low, one) => Math.min(low, score(one)), Number.POSITIVE_INFINITY);
  const limit = least + near * Math.max(0, least - same);
  return of.filter((one) => score(one) <= limit).reduce((a, b) => (b.memory < a.memory ? b : a));
}

/** The best of all; of meshes one that is clearly better than all others. */
export function chosenOf(of: readonly Prediction[], score: (one: Prediction) => number, same: number): Prediction {
  const [meshes, others] = [of.filter(({ mesh }) => mesh !== undefined), of.filter(({ mesh }) => mesh === undefined)];
  if (meshes.length === 0 || others.length === 0) return best(of, score, same);
  const [mesh, other] = [best(meshes, score, same), best(others, score, same)];
  return score(mesh) < (1 - LEAST_MESH_GAIN) * score(other) ? mesh : other;
}

/**
 * The usual buffers in place of those of the fastest, or smaller ones that send as many messages, unless it is clearly
 * faster. @param same what all have to do, ns
 */
export function withUsualBuffers(fastest: Prediction, of: readonly Prediction[], same: number): Prediction {
  const alike = of.filter((one) => sameShape(one, fastest));
  const usual = alike.find(
    ({ bufferBytes, buffersPerLink }) => bufferBytes === DEFAULT_BUFFER_BYTES && buffersPerLink === USUAL_BUFFERS,
  );
  if (usual === undefined || fastest.time - same < (1 - LEAST_BUFFER_GAIN) * (usual.time - same)) return fastest;
  const most = (1 + SAME_MESSAGES) * messagesOf(usual);
  const small = alike.filter((one) => one.memory <= usual.memory && messagesOf(one) <= most);
  return best(small, ({ time }) => time, same);
}

const messagesOf = ({ hopsTaken }: Prediction): number => hopsTaken.reduce((sum, { buffers }) => sum + buffers, 0);

/** Whether messages between nodes are those of a real network. */
export const isMeasured = ({ nodes, countsLastReturns }: CostModel): boolean => nodes > 1 && countsLastReturns === true;

/** For all that go the same ways, the one with the least memory of those that take hardly longer than the fastest. */
export function lighter<One extends Pick<Prediction, "memory"> & Candidate>(
  of: readonly One[],
  score: (one: One) => number,
  same: number,
): readonly One[] {
  const ways = new Map<string, One[]>();
  for (const one of of) {
    const name = JSON.stringify([one.type, one.hops, one.groupSize, one.mesh]);
    const some = ways.get(name);
    if (some === undefined) ways.set(name, [one]);
    else some.push(one);
  }
  return [...ways.values()].map((some) => {
    const least = Math.min(BURST_BYTES, best(some, score, same).bufferBytes);
    return best(
      some.filter(({ bufferBytes }) => bufferBytes >= least),
      score,
      same,
      SAME_BUFFERS,
    );
  });
}

/** Whether two send alike but for their buffers. */
export const sameShape = (a: Candidate, b: Candidate): boolean => a.type === b.type && haveSameWays(a, b);
