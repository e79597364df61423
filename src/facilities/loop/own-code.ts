/**
 * Code of its own for the loop over a body. V8 inlines a call as long as one function alone was called at that place;
 * from the second one on the call of an empty body costs 5 ns, also in a plain `for`. So a body whose calls have cost
 * as much as code takes until it is optimized gets some of its own, by its text: closures of one text share it.
 *
 * Limits: none where code may not be made from texts, and for texts after the first {@link MOST}.
 */

/** Runs a body for iterations from one on, before another. @returns what it has returned last */
type Run = (begin: number, end: number) => unknown;
type Maker = (body: unknown, from: number, step: number, items: unknown) => Run;

/** How the body is called for iteration k; places in the shared code of bodies.ts that are alike. */
type CallText = "body(k)" | "body(from + k * step)" | "body(items[k], k)";

/** Fewer iterations in a loop are not counted: to look for a text costs some 300 ns. */
export const LONG: number = 2 ** 13;
/** Iterations after which a text gets code: their calls have cost a millisecond. */
const ENOUGH = 2 ** 18;
const MOST = 64;

interface Known {
  iterations: number;
  maker: Maker | null | undefined;
}

const known = new Map<string, Known>();

/** The code for a loop of so many iterations; null where the shared one is to be used. */
export function ownCode(body: (...args: never[]) => unknown, call: CallText, count: number): Maker | null {
  if (count < LONG) return null;
  const text = call + Function.prototype.toString.call(body);
  let one = known.get(text);
  if (one === undefined) {
    if (known.size === MOST) return null;
    one = { iterations: 0, maker: undefined };
    known.set(text, one);
  }
  if (one.iterations >= ENOUGH && one.maker === undefined) one.maker = made(call);
  one.iterations += count;
  return one.maker ?? null;
}

/** Codes that were made. */
let number = 0;

/** V8 has the same code for the same text, so each has its number. @returns null where none may be made */
function made(call: CallText): Maker | null {
  const loop = `let last; for (let k = begin; k < end; k++) last = ${call}; return last;`;
  number++;
  try {
    return new Function("body", "from", "step", "items", `return (begin, end) => { ${loop} } // ${number}`) as Maker;
  } catch {
    return null;
  }
}
