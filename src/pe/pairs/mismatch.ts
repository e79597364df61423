/** Errors of pairs that several back ends have. */
import { MismatchError } from "../../ground/base/errors.ts";

/** @param terms what this PE has made: "a channel: …" @param peer the other PE, by rank in the world */
export const mismatch = (terms: string, peer: number): MismatchError =>
  new MismatchError(
    `This PE has made ${terms}, and PE ${peer} something else. Both PEs must make theirs in the same order, with the same options.`,
  );
