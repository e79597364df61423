/** Errors of append buffers. */
import { OverflowError, StateError } from "../base/errors.ts";

/** A push that had no room. */
interface Overflowed {
  readonly call: string;
  /** Of the append buffer; may be empty. */
  readonly name: string;
  readonly dest: number;
  /** Bytes: of the push, left, and of the buffer. */
  readonly wanted: number;
  readonly left: number;
  readonly length: number;
}

/** A push had no room. Nothing was written. */
export class AppendOverflowError extends OverflowError {
  /** The PE whose buffer it is. */
  readonly dest: number;
  /** Bytes of the push. */
  readonly wanted: number;
  /** Bytes that were left. */
  readonly left: number;

  /** @internal */
  constructor({ call, name, dest, wanted, left, length }: Overflowed) {
    super(
      length === 0
        ? `${call}: PE ${dest} has no ${titled(name)}, or one of 0 bytes, got ${wanted} bytes for it. Push to a PE that has one.`
        : `${call}: the ${titled(name)} of PE ${dest} has no room for ${wanted} bytes: ${left} of ${length} are left. Make it larger, reset it ` +
            'when its owner has read it, or make it with overflow: "truncate".',
    );
    this.dest = dest;
    this.wanted = wanted;
    this.left = left;
  }
}

/** An append buffer in a sentence, with its name if it has one. */
export const titled = (name: string): string =>
  name === "" ? "append buffer" : `append buffer ${JSON.stringify(name)}`;

export const freed = (call: string, name: string): StateError =>
  new StateError(`${call}: this ${titled(name)} was freed; make another.`);

export const uncounted = (call: string, name: string): StateError =>
  new StateError(
    `${call}: this ${titled(name)} does not count messages. Leave out counting: false, or synchronise otherwise: by bytes, or a barrier.`,
  );
