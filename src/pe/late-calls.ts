/** Calls on arrays and values: their first one loads what they need, which barriers and calls on numbers do not. */
import { Late } from "../ground/base/thread/late.ts";

const calls: Late<typeof import("../collectives/data-calls.ts")> = new Late(
  "../collectives/data-calls.js",
  import.meta.url,
  () => import("../collectives/data-calls.ts"),
);

export const dataCalls = (): typeof calls.now => calls.now;
