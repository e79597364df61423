/** Whether a history is linearizable, by trying every order: the trivial reference for short histories. */
import type { Model, Operation } from "./history.ts";

export function isLinearizableByBruteForce<State extends string | number, Op, Result>(
  model: Model<State, Op, Result>,
  history: readonly Operation<Op, Result>[],
): boolean {
  const tryFrom = (state: State, left: readonly Operation<Op, Result>[]): boolean => {
    if (left.every(({ returned }) => returned === Number.POSITIVE_INFINITY)) return true;
    return left.some((next) => {
      if (left.some((other) => other.returned < next.invoke)) return false;
      const after = model.step(state, next.op, next.result);
      return (
        after !== undefined &&
        tryFrom(
          after,
          left.filter((one) => one !== next),
        )
      );
    });
  };
  return tryFrom(model.initial, history);
}
