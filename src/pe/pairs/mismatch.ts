/** Errors of channels that several back ends have. */
import { MismatchError } from "../../ground/base/errors.ts";

/** @param terms what this PE has made it with @param peer the other PE, by rank in the world */
export const mismatch = (terms: string, peer: number): MismatchError =>
  new MismatchError(
    `channel: this PE has made it with ${terms}, and PE ${peer} otherwise. Both PEs must make it with the same options.`,
  );
