/** Calls on arrays and values: their first one loads what they need, which calls on numbers and barriers do not. */
import { Late } from "../../ground/base/thread/late.ts";

export const dataCalls: Late<typeof import("../data-calls.ts")> = new Late(
  "../data-calls.js",
  import.meta.url,
  () => import("../data-calls.ts"),
);
