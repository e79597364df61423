/** Errors of append buffers. */
import { named, OverflowError, StateError } from "../../ground/base/errors.ts";
import { countText } from "../../ground/base/units.ts";

/** The unit of sizes. */
export interface Unit {
  readonly name: string;
  /** Of one. */
  readonly bytes: number;
}
export const BYTE: Unit = { name: "byte", bytes: 1 };

/** The append buffers of a group, for errors. */
export interface GroupBuffers {
  /** May be empty. */
  readonly name: string;
  /** Bytes of each PE's buffer, by rank in the group. */
  readonly lengths: readonly number[];
  /** The PEs by rank in the world. */
  readonly members: readonly number[];
  readonly unit: Unit;
}

/** A push that had no room. Sizes are bytes. */
interface Overflowed {
  readonly call: string;
  /** Rank in the group. */
  readonly dest: number;
  readonly wanted: number;
  readonly left: number;
}

/** A push had no room. Nothing was written. */
export class AppendOverflowError extends OverflowError {
  /** The PE whose buffer it is, by rank in the group. */
  readonly dest: number;
  /** Bytes of the push; of records, how many. */
  readonly wanted: number;
  /** Bytes, or records, that were left. */
  readonly left: number;

  constructor(
    { dest, wanted, left }: { readonly dest: number; readonly wanted: number; readonly left: number },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.dest = dest;
    this.wanted = wanted;
    this.left = left;
  }
}

named({ AppendOverflowError });

/** The error of a push. */
export function overflow(
  { name, lengths, members, unit }: GroupBuffers,
  { call, dest, wanted, left }: Overflowed,
): AppendOverflowError {
  const count = (bytes: number) => Math.floor(bytes / unit.bytes);
  const length = count(lengths[dest] as number);
  const pe = `PE ${members[dest]}`;
  const many = countText(count(wanted), unit.name);
  return new AppendOverflowError(
    { dest, wanted: count(wanted), left: count(left) },
    length === 0
      ? `${call}: ${pe} has no ${titled(name)}, or one of 0 ${unit.name}s, got ${many} for it. Push to a PE that has one.`
      : `${call}: the ${titled(name)} of ${pe} has no room for ${many}: ${count(left)} of ${length} are left. Make it larger, reset it ` +
          'when its owner has read it, or make it with overflow: "truncate".',
  );
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
