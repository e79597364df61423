/**
 * Calls a function that V8 is to compile by itself. It puts functions that are called often into their callers, up to a size; what
 * a loop calls once in a thousand items must not take the room of push and pull.
 *
 * V8 does not know which function `Reflect.apply` will call, so it puts none there.
 */
export const noInline = <Self, Arguments extends unknown[], Result>(
  call: (this: Self, ...values: Arguments) => Result,
  self: Self,
  ...values: Arguments
): Result => Reflect.apply(call, self, values);
