/** Errors of append buffers. */
import { OverflowError, StateError } from "../base/errors.ts";

/** A push had no room. Nothing was written. */
export class AppendOverflowError extends OverflowError {
  /** The PE whose buffer it is. */
  readonly dest: number;
  /** Bytes of the push. */
  readonly wanted: number;
  /** Bytes that were left. */
  readonly left: number;

  /** @param length of the buffer */
  constructor(call: string, dest: number, wanted: number, left: number, length: number) {
    super(
      length === 0
        ? `${call}: PE ${dest} has no append buffer, or one of 0 bytes, got ${wanted} bytes for it. Push to a PE that has one.`
        : `${call}: the append buffer of PE ${dest} has no room for ${wanted} bytes: ${left} of ${length} are left. Make it larger, reset it ` +
            'when its owner has read it, or make it with overflow: "truncate".',
    );
    this.dest = dest;
    this.wanted = wanted;
    this.left = left;
  }
}

export const freed = (call: string): StateError =>
  new StateError(`${call}: this append buffer was freed; make another.`);

export const uncounted = (call: string): StateError =>
  new StateError(
    `${call}: this append buffer does not count messages. Leave out counting: false, or synchronise otherwise: by bytes, or a barrier.`,
  );
