/**
 * Layout of what a porter of the heap keeps of its links, where a loop in compiled code moves buffers as well
 * (facilities/conveyor/kernels/assembly/session.ts): behind the link table, in memory that only the PE itself accesses.
 *
 *     ┌────────┬────────┬───────┬───────┬──────┬─────────┬─────────┬─────────┬──────────────────────────────┐
 *     │ sent 0 │ back 0 │ got 0 │ out 0 │ in 0 │ waker 0 │ order 0 │ large 0 │ head: what is the same for   │
 *     │ …      │ …      │ …     │ …     │ …    │ …       │ …       │ …       │ all links, and the loop's own │
 *     └────────┴────────┴───────┴───────┴──────┴─────────┴─────────┴─────────┴──────────────────────────────┘
 *      u32 each, by link
 *
 * `sent`, `back` and `got` count buffers: sent, known to be released, received and released (porter.ts). `out` and `in`
 * are the byte offsets of the links to and from the friend, `waker` that of its waker. `order` is the order in which
 * friends are served. `large` is of the loop: whether the last buffer was large (reclaim.ts).
 */
const ARRAYS = 8;
const WORD = 4;
/** Words of the head: see the class Head in session.ts. */
export const HEAD_WORDS = 24;

/** Bytes of so many links. */
export const countersBytes = (links: number): number => WORD * (ARRAYS * links + HEAD_WORDS);

/** Byte offset of the head from the first array on. */
export const headAt = (links: number): number => WORD * ARRAYS * links;

/** Counts of buffers, by link. */
export interface LinkCounters {
  readonly sent: Int32Array;
  readonly back: Int32Array;
  readonly got: Int32Array;
}

/** For a porter that moves all buffers itself. */
export const ownCounters = (links: number): LinkCounters => ({
  sent: new Int32Array(links),
  back: new Int32Array(links),
  got: new Int32Array(links),
});

/** The constants of a link. */
interface LinkPlace {
  readonly out: number;
  readonly in: number;
  readonly waker: number;
  readonly order: number;
}

/** Counters at a byte offset, where all words are 0; stores the constants. */
export function sharedCounters(i32: Int32Array, at: number, links: readonly LinkPlace[]): LinkCounters {
  const count = links.length;
  const array = (index: number): Int32Array => {
    const first = at / WORD + index * count;
    return i32.subarray(first, first + count);
  };
  array(3).set(links.map((link) => link.out));
  array(4).set(links.map((link) => link.in));
  array(5).set(links.map(({ waker }) => waker));
  array(6).set(links.map(({ order }) => order));
  return { sent: array(0), back: array(1), got: array(2) };
}
