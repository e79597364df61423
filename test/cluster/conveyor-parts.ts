/** Parts of the tests that only conveyors over nodes have. */
import type { PE } from "../../src/index.ts";

/** By name. */
export const own: Readonly<Record<string, (pe: PE) => unknown>> = {};
