/**
 * Collectives that go on when PEs are lost. See docs/errors.md.
 *
 * @module tundish/resilient
 */
export { resilient } from "./facilities/resilient/resilient.ts";
export type { ResilientGroup, WithGaps } from "./facilities/resilient/resilient-group.ts";
