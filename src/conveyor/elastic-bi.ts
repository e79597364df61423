/** Biconveyors of queries and replies of any length. */
import { UsageError } from "../errors.ts";
import { BiBelt } from "./bi.ts";
import type { ElasticBelt } from "./elastic.ts";

/** Answers queries of any length: gets a view of one, and who asked; gives the bytes of the reply. */
export type ElasticAnswer = (query: Uint8Array, from: number) => Uint8Array;

/** Bytes of a token before an elastic query or reply: padded, so that what follows is aligned to 8. */
const TOKEN_BYTES = 8;

/** A biconveyor of queries and replies of any length. */
export abstract class ElasticBiBelt extends BiBelt {
  readonly #ring: Uint8Array[];
  readonly #asked: ElasticBelt;
  readonly #wrap: (token: number, bytes: Uint8Array) => Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);

  /** @internal see makeElasticBiconveyor */
  constructor(queries: ElasticBelt, replies: ElasticBelt, answer: ElasticAnswer, window: number) {
    if (typeof answer !== "function") {
      throw new UsageError(
        "elasticBiconveyor: expected a function that answers queries: (bytes, from) => bytes",
      );
    }
    const ring: Uint8Array[] = new Array(window);
    const wrap = wrapper();
    let dest = 0;
    let reply: Uint8Array = new Uint8Array(0);
    super(
      {
        queries,
        replies,
        answer() {
          if (!queries.pull()) return false;
          const { bytes, from } = queries;
          try {
            const value = answer(bytes.subarray(TOKEN_BYTES), from);
            if (!(value instanceof Uint8Array)) {
              throw new UsageError("elasticBiconveyor: expected the answer to be a Uint8Array");
            }
            // a copy, as it may have to wait
            reply = wrap(tokenOf(bytes), value).slice();
          } catch (error) {
            queries.unpull();
            throw error;
          }
          dest = from;
          return true;
        },
        reply: () => replies.push(dest, reply),
        again: () => queries.unpull(),
        collect() {
          if (!replies.pull()) return -1;
          const { bytes } = replies;
          const token = tokenOf(bytes);
          ring[token] = bytes.slice(TOKEN_BYTES);
          return token;
        },
      },
      window,
    );
    this.#ring = ring;
    this.#asked = queries;
    this.#wrap = wrap;
  }

  /**
   * Copies a query into the conveyor, for PE `dest`.
   * @returns false when there is no room for now, or too many replies are missing: advance and pull
   * @throws StateError, RankRangeError, UsageError, OverflowError
   */
  push(dest: number, bytes: Uint8Array): boolean {
    const token = this.token(dest);
    if (token < 0) return false;
    const query = bytes instanceof Uint8Array ? this.#wrap(token, bytes) : bytes;
    if (!this.#asked.push(dest, query)) return false;
    this.pushed();
    return true;
  }

  /**
   * Takes the next reply, in the order in which the queries were pushed: {@link bytes} shows it.
   * @returns false when it has not come yet
   * @throws StateError before begin
   */
  pull(): boolean {
    const place = this.next();
    if (place < 0) return false;
    this.#bytes = this.#ring[place];
    return true;
  }

  /** The bytes of the reply that was pulled last; they are the caller's to keep. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

const tokenOf = (bytes: Uint8Array): number =>
  (bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (bytes[3] << 24)) >>> 0;

/** Puts a token before bytes, in memory that is used again for the next ones. */
function wrapper(): (token: number, bytes: Uint8Array) => Uint8Array {
  let memory = new Uint8Array(256);
  return (token, bytes) => {
    const { length } = bytes;
    if (memory.length < TOKEN_BYTES + length) memory = new Uint8Array(2 * (TOKEN_BYTES + length));
    memory[0] = token;
    memory[1] = token >>> 8;
    memory[2] = token >>> 16;
    memory[3] = token >>> 24;
    memory.set(bytes, TOKEN_BYTES);
    return memory.subarray(0, TOKEN_BYTES + length);
  };
}
