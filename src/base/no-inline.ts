/**
 * Calls a function without V8 inlining it. V8 inlines functions that are called often, up to a total size. A function
 * that a loop calls once in a thousand items must not use up the budget of push and pull.
 *
 * V8 cannot know the target of `Reflect.apply`, so it inlines nothing there.
 */
export const noInline = <Self, Arguments extends unknown[], Result>(
  call: (this: Self, ...values: Arguments) => Result,
  self: Self,
  ...values: Arguments
): Result => Reflect.apply(call, self, values);
