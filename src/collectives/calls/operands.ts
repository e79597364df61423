/** Operands of calls that write their x: elements that no other PE of the group has on this node. */
import { UsageError } from "../../ground/base/errors.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Op } from "../team/payload.ts";
import type { Team } from "../team/team.ts";
import type { ElementOps } from "./element-ops.ts";
import { checkPairs, type ElementArray, elementsOf, type Located } from "./elements.ts";

/** As {@link elementsOf}. @throws UsageError also for an array that other PEs of the team share */
export function ownElements(team: Team, x: bigint | TypedArray | Located): ElementArray {
  const elements = elementsOf(team.payload, x);
  if (team.payload.hasShared) checkOwn(team, elements.array);
  return elements;
}

/** @throws UsageError for an array that other PEs of the team share */
export function checkOwn({ payload, members, rank, here }: Team, x: TypedArray): void {
  const sharers = payload.sharersOf(x);
  const other = sharers?.find((one) => one !== here[rank] && members.includes(one));
  if (other === undefined) return;
  throw new UsageError(
    `Expected an array of this PE's own, as the call writes into it, got one of allocShared() that PE ${other} of the ` +
      "group shares. Pass a copy (x.slice()), or a part that no other PE passes (x.subarray(from, to)). Broadcasts take it at the root.",
  );
}

/** x as {@link ownElements}, and its op. @throws UsageError if they do not fit */
export function operandOf(
  team: Team,
  ops: ElementOps,
  x: bigint | TypedArray | Located,
  op: Op,
): ElementArray & { readonly reducer: Reducer } {
  const { array, type, kind } = ownElements(team, x);
  checkPairs(op, kind, array.length);
  return { array, type, kind, reducer: ops.of(op, type) };
}
