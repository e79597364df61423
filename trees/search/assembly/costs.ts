/*
 * The costs of edges, and the common data of all searches.
 */

/** exp(b send) and exp(b tail) of each edge, one after the other, row = sender. */
export let factors: usize = 0;
/** Time from the start of a send until it is there, row = receiver: many senders are compared for one receiver. */
export let into: usize = 0;
/** Time the sender is busy, row = sender. */
export let send: usize = 0;
/** Time of each member between having the message and its first send, and exp(b time), one after the other. */
export let relays: usize = 0;
/** By how much a change may make the sum greater, by a random number: by its octave, and by steps in it. */
export let limits: usize = 0;
/** Room for as many members as there are, twice: a walk over a tree or a path in it, and what a change overwrites. */
export let walk: usize = 0;
export let former: usize = 0;
export let size: i32 = 0;
/** Whether the root may be exchanged. */
export let isFree: bool = false;

/** Steps in an octave are as many as so many bits can count. */
export const STEP_BITS: u32 = 6;

/** Says where everything lies. */
export function setUp(
  count: i32,
  free: bool,
  costs: usize,
  arrivals: usize,
  sends: usize,
  waits: usize,
  dice: usize,
  walked: usize,
  overwritten: usize,
): void {
  size = count;
  isFree = free;
  factors = costs;
  into = arrivals;
  send = sends;
  relays = waits;
  limits = dice;
  walk = walked;
  former = overwritten;
}
