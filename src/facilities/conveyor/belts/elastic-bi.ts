/** Biconveyors of queries and replies of any length. */

import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { INSTEAD, refusePromise } from "../codegen/returned.ts";
import { OPEN, Ring, ringTables } from "../engine/ring.ts";
import { BiBelt } from "./bi.ts";
import type { ElasticBelt } from "./elastic.ts";

/**
 * Answers queries of any length: takes a view of the query and the rank of its sender, returns the bytes of the reply.
 */
export type ElasticAnswer = (query: Uint8Array, from: number) => Uint8Array;

/** A biconveyor of queries and replies of any length. */
export class ElasticBiBelt extends BiBelt {
  readonly #ring: Ring;
  /** By slot of the ring: the bytes of a reply. */
  readonly #store: Uint8Array[];
  readonly #asked: ElasticBelt;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(queries: ElasticBelt, replies: ElasticBelt, answer: ElasticAnswer, window: number) {
    const ring = new Ring(window, ringTables(window, queries.size));
    const store: Uint8Array[] = new Array(ring.places);
    super({
      ring,
      queries,
      replies,
      serve: serving(queries, replies, answer),
      collect() {
        let any = false;
        for (; replies.pull(); any = true) store[ring.claim(replies.from)] = replies.bytes.slice();
        return any;
      },
    });
    this.#ring = ring;
    this.#store = store;
    this.#asked = queries;
  }

  /**
   * Copies a query into the conveyor; false if there is no room, or no place in the window.
   * @throws as ElasticBelt.push
   */
  push(dest: number, bytes: Uint8Array): boolean {
    const ring = this.#ring;
    if (ring.state !== OPEN) this.refuse("push");
    if (ring.free === 0) return this.full(dest);
    if (!this.#asked.push(dest, bytes)) return false;
    ring.add(dest);
    return true;
  }

  /** Pulls the next reply; false if it has not been received yet. */
  pull(): boolean {
    if (this.#ring.state !== OPEN) this.refuse("pull");
    const place = this.#ring.take();
    if (place < 0) return false;
    this.#bytes = this.#store[place] as Uint8Array;
    return true;
  }

  /** The bytes of the last pulled reply. They belong to the caller. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

/** Answers queries, see {@link BiParts.serve}. */
function serving(queries: ElasticBelt, replies: ElasticBelt, answer: ElasticAnswer): () => boolean {
  /** A reply for which there was no room. */
  let owed: { readonly dest: number; readonly reply: Uint8Array } | null = null;
  const answered = (): boolean => {
    const { from } = queries;
    const reply = answer(queries.bytes, from);
    if (!(reply instanceof Uint8Array)) {
      refusePromise(reply, "elasticBiconveyor: the answer", INSTEAD.answer);
      throw new UsageError(`elasticBiconveyor: expected the answer to be a Uint8Array, got ${shortText(reply)}`);
    }
    if (replies.push(from, reply)) return true;
    // copied, as the caller may reuse the returned array while the reply waits; slice of a Buffer would be a view
    owed = { dest: from, reply: new Uint8Array(reply) };
    return false;
  };
  return () => {
    if (owed !== null) {
      if (!replies.push(owed.dest, owed.reply)) return false;
      owed = null;
    }
    while (queries.pull()) {
      try {
        if (!answered()) return false;
      } catch (error) {
        // the query is not lost: if the caller catches the error, it is asked again
        queries.unpull();
        throw error;
      }
    }
    return true;
  };
}
