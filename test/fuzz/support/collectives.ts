/** Collectives in random programs. */
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { type Play, ranksOf, type Seat, same } from "./seat.ts";
import type { COLLECTIVES } from "./steps.ts";

type Name = (typeof COLLECTIVES)[number];

/** What a PE passes: numbers so small that sums of them are exact. */
const arrayOf = (seat: Seat, rank: number, length: number): Float64Array =>
  Float64Array.from({ length }, (_, i) => mix(seat.traffic.value(rank, 0, 0), i) % 1000);

/** Element by element, over the first `ranks`. */
const sumOf = (seat: Seat, ranks: number, length: number): Float64Array => {
  const sum = new Float64Array(length);
  for (let rank = 0; rank < ranks; rank++) {
    for (const [i, x] of arrayOf(seat, rank, length).entries()) sum[i] += x;
  }
  return sum;
};

export const collective: Play = async (seat) => {
  const { group, step, awaits } = seat;
  const { rank, size } = group;
  const { call, length: n } = step.options as { readonly call: Name; readonly length: number };
  const root = seat.traffic.value(1, 1, 1) % size;
  const own = arrayOf(seat, rank, n);
  const run = (...args: unknown[]): unknown => {
    const name = awaits ? `${call}Async` : call;
    return (Reflect.get(group, name) as (...args: unknown[]) => unknown).apply(group, args);
  };
  const all = () => ranksOf(group).flatMap((one) => [...arrayOf(seat, one, n)]);
  switch (call) {
    case "barrier":
      await run();
      break;
    case "broadcast":
      same(call, await run(own, root), arrayOf(seat, root, n));
      break;
    case "reduce": {
      const got = await run(own, "sum", root);
      if (rank === root) same(call, got, sumOf(seat, size, n));
      break;
    }
    case "allreduce":
      same(call, await run(own, "sum"), sumOf(seat, size, n));
      break;
    case "scan":
      same(call, await run(own, "sum"), sumOf(seat, rank + 1, n));
      break;
    case "gather": {
      const got = await run(own, root);
      if (rank === root) same(call, got, all());
      break;
    }
    case "allgather":
      same(call, await run(own), all());
      break;
    case "scatter": {
      const parts = Float64Array.from({ length: n * size }, (_, i) => mix(seat.traffic.value(root, 0, 0), i) % 1000);
      same(
        call,
        await run(rank === root ? parts : new Float64Array(n * size), root),
        parts.slice(rank * n, (rank + 1) * n),
      );
      break;
    }
    case "alltoallv": {
      const got = await run(ranksOf(group).map((to) => seat.traffic.values(rank, to)));
      same(
        call,
        got,
        ranksOf(group).map((from) => seat.traffic.values(from, rank)),
      );
    }
  }
  return undefined;
};
