/**
 * The block of a team in the heap, and its parts.
 *
 *     ┌──────┬──────────┬───────────────┬───────┬────────────────┬─────────┬───────┐
 *     │ exit │ call log │ address board │ slots │ divided copies │ staging │ links │
 *     └──────┴──────────┴───────────────┴───────┴────────────────┴─────────┴───────┘
 *
 * Each part is drawn in its file: exit, call-log, address-board, eager-slots, divided-copy, staging, link-map. Where
 * the medium is not the heap, as in the simulator, the block ends with the call log.
 */
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import { callLogBytes } from "./call-log.ts";
import { exitBytes } from "./exit.ts";
import { LinkMap } from "./link-map.ts";

/** Slots of a PE for messages; a power of two. */
export const EAGER_SLOTS = 4;
/** Longest message that is copied to a slot, bytes: copying it takes less than to wait until it is read. */
export const LONGEST_EAGER: number = 4096;
/** Bytes before the message in a slot. */
export const EAGER_HEADER_BYTES = 32;
/** Bytes of a slot. */
export const EAGER_SLOT_BYTES: number = Math.ceil((EAGER_HEADER_BYTES + LONGEST_EAGER) / LINE) * LINE;

/** Bytes staged at a time by algorithms that work segment by segment. */
export const SEGMENT_BYTES: number = 64 * 1024;
/** Bytes of the staging memory of a PE. */
export const STAGING_BYTES: number = 2 * LINE + 2 * SEGMENT_BYTES;

/** Bytes of a team's block, but for what its medium keeps there. */
export const teamBlockBytes = (size: number): number => exitBytes(size) + callLogBytes(size);

/** The parts of its medium on real PEs: byte offsets from where they begin. */
export interface HeapMediumParts {
  readonly board: number;
  readonly slots: number;
  readonly division: number;
  readonly staging: number;
  readonly links: number;
}

/** Where the parts of its medium begin, behind {@link teamBlockBytes}. Address space, touched only where it is used. */
export function mediumParts(size: number): HeapMediumParts {
  const board = 0;
  const slots = board + size * LINE;
  const division = slots + size * EAGER_SLOTS * EAGER_SLOT_BYTES;
  const staging = division + size * LINE;
  const links = staging + size * STAGING_BYTES;
  return { board, slots, division, staging, links };
}

/** Bytes of a team's block in the heap. */
export const teamBytes = (plan: CollectivePlan, size: number): number =>
  teamBlockBytes(size) + mediumParts(size).links + new LinkMap(plan, size).bytes;
