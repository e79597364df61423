/**
 * The name in the environment data of threads that is true for the one that keeps V8's code at its end, see load.ts.
 */
export const KEEPS_CODE = "tundish.keeps-code";
