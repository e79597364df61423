/** A module that cannot be loaded. */
throw new TypeError("broken on purpose");
export const never = (): void => {};
