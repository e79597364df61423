/**
 * Gather, allgather, scatter and alltoall over nodes: within a part the boxes of its PEs are brought to its speaker,
 * or from there to them, and the speakers send each other lists of boxes; in an alltoall PEs of different nodes send
 * each other theirs.
 *
 * Limits: everything is copied several times on its way. For many small items use a conveyor.
 */
import { alltoallCall, broadcastCall, gatherCall, scatterCall } from "../calls/moving.ts";
import type { Routine } from "../team/operation.ts";
import type { Course } from "./call.ts";
import { within } from "./local.ts";
import { type Box, receiveValue, sendValue } from "./packing.ts";

/** The boxes of all PEs by rank, at the root; null elsewhere. */
export function* gatherBoxes({ span, engine, tag }: Course, box: Box, root: number): Routine<Box[] | null> {
  const speaker = span.speaker(span.own, root);
  const local = (yield* within(gatherCall(engine, [box], span.teamRank(speaker)), tag)) as
    | [Box][]
    | undefined;
  if (local === undefined) return null;
  if (span.rank !== root) {
    yield* sendValue(span, root, local);
    yield* span.flush();
    return null;
  }
  const all = new Array<Box>(span.size);
  for (const [part, { ranks }] of span.parts.entries()) {
    const boxes = part === span.own ? local : yield* receiveValue<[Box][]>(span, span.speaker(part));
    ranks.forEach((rank, i) => {
      all[rank] = boxes[i][0];
    });
  }
  return all;
}

/** The boxes of all PEs by rank, at each. */
export function* allgatherBoxes({ span, engine, tag }: Course, box: Box): Routine<Box[]> {
  const speaker = span.teamRank(span.speaker(span.own));
  const local = (yield* within(gatherCall(engine, [box], speaker), tag)) as [Box][] | undefined;
  const lists = new Array<[Box][]>(span.parts.length);
  if (local !== undefined) {
    lists[span.own] = local;
    const count = span.parts.length;
    for (let step = 1; step < count; step++) {
      const from = (span.own - step + count) % count;
      yield* sendValue(span, span.speaker((span.own + step) % count), local);
      lists[from] = yield* receiveValue<[Box][]>(span, span.speaker(from));
    }
    yield* span.flush();
  }
  const known = yield* within(broadcastCall(engine, lists, speaker, undefined), tag);
  const all = new Array<Box>(span.size);
  for (const [part, { ranks }] of span.parts.entries()) {
    ranks.forEach((rank, i) => {
      all[rank] = known[part][i][0];
    });
  }
  return all;
}

/** This PE's box of those that the root has; `boxes` is null at all others. */
export function* scatterBoxes(
  { span, engine, tag }: Course,
  boxes: readonly Box[] | null,
  root: number,
): Routine<Box> {
  const speaker = span.speaker(span.own, root);
  let mine: [Box][] | undefined;
  if (boxes !== null) {
    for (const [part, { ranks }] of span.parts.entries()) {
      const list = ranks.map((rank): [Box] => [boxes[rank]]);
      if (part === span.own) mine = list;
      else yield* sendValue(span, span.speaker(part), list);
    }
  } else if (speaker === span.rank) {
    mine = yield* receiveValue<[Box][]>(span, root);
  }
  const [box] = (yield* within(scatterCall(engine, mine, span.teamRank(speaker)), tag)) as [Box];
  yield* span.flush();
  return box;
}

/** The boxes for this PE, by sender; `boxes` are its own, by receiver. */
export function* alltoallBoxes({ span, engine, tag }: Course, boxes: readonly Box[]): Routine<Box[]> {
  const { ranks } = span.parts[span.own];
  const all = new Array<Box>(span.size);
  const near = ranks.map((rank): [Box] => [boxes[rank]]);
  const local = (yield* within(alltoallCall(engine, near), tag)) as [Box][];
  ranks.forEach((rank, i) => {
    all[rank] = local[i][0];
  });
  // step by step, so that not all send to the same one, and nobody has more under way than there is room for
  for (let step = 1; step < span.size; step++) {
    const to = (span.rank + step) % span.size;
    const from = (span.rank - step + span.size) % span.size;
    if (span.partOf(to) !== span.own) yield* sendValue(span, to, boxes[to]);
    if (span.partOf(from) !== span.own) all[from] = yield* receiveValue<Box>(span, from);
  }
  yield* span.flush();
  return all;
}
