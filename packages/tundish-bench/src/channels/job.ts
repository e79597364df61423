/** Arguments and answers of each program of the comparison of channels. */

/** Messages of a size in a batch. */
export interface Load {
  readonly bytes: number;
  readonly messages: number;
}

/** One measurement: ns of a message, of each batch. */
export interface Samples {
  readonly name: string;
  /** `one way, 8 B`. */
  readonly what: string;
  readonly batch: number;
  readonly samples: readonly number[];
}

export const SIZES: readonly number[] = [8, 56, 64, 1024, 65_536];
export const MOST_BYTES: number = 2 ** 20;

/** Bytes and messages of a batch, and batches. */
export interface Volume {
  readonly bytes: number;
  readonly messages: number;
  readonly batches: number;
}
export const FULL: Volume = { bytes: 2 ** 24, messages: 20_000, batches: 15 };
export const QUICK: Volume = { bytes: 2 ** 18, messages: 200, batches: 2 };

export const loadsOf = (sizes: readonly number[], { bytes, messages }: Volume): Load[] =>
  sizes.map((size) => ({
    bytes: size,
    messages: Math.max(20, Math.min(messages, Math.floor(bytes / size))),
  }));
