/** What is done for V8 alone. */

/**
 * Calls a function without V8 inlining it. V8 inlines functions that are called often, up to a total size. A function
 * that a loop calls once in a thousand items must not use up the budget of push and pull; and the loop is compiled in a
 * fraction of the time without it, which counts in the first second of a process, when all PEs compile.
 *
 * Nothing is inlined where the target is not known: `Reflect.apply` collects no feedback about it, and the detour
 * through a variable hides a target that is a constant where it is called, such as a method. Nor is this function
 * itself, where a loop calls it: its bytecode is longer than the 460 bytes that V8 inlines at most, by a text that is
 * never made.
 */
export const noInline = <Self, Arguments extends unknown[], Result>(
  call: (this: Self, ...values: Arguments) => Result,
  self: Self,
  ...values: Arguments
): Result => {
  hidden.call = call as unknown as Hidden["call"];
  const { n } = hidden;
  if (n !== 0) {
    hidden.text = `${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}
${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}
${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}${n}`;
  }
  return Reflect.apply(hidden.call, self, values) as Result;
};

interface Hidden {
  call: (...values: unknown[]) => unknown;
  /** 0; V8 does not know that. */
  n: number;
  text: string;
}

const hidden: Hidden = { call: () => {}, n: 0, text: "" };

/**
 * 0 for a field that will hold other than small integers, such as a time. V8 stores -0 as it stores those; with 0 the
 * first of them would change the map of all objects of the class, and what was compiled for them would have to be
 * compiled anew.
 */
export const DOUBLE_ZERO = -0;
