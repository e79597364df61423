/**
 * How full buffers are when items for random links fill them.
 *
 * A link gets a Poisson number of items. {@link buffersOf} is the mean number of buffers that they need;
 * {@link untilFull} is the mean number of items per link that a PE can push until one of its links has no room.
 *
 * Limits: the Poisson distribution is approximated by a normal one, corrected for its skew: accurate to a few percent.
 *
 * Example: 100 items for a link need 4.5 buffers of 25 items on average: the last one is sent half full.
 */

/** Beyond this number of buffers the last one is half full on average. */
const MANY = 12;

/** The probability that a normal variable is above z. Source: Abramowitz and Stegun 7.1.25. */
function above(z: number): number {
  const t = 1 / (1 + 0.33267 * Math.abs(z));
  const tail = 0.5 * t * (0.34802 + t * (-0.09588 + t * 0.74786)) * Math.exp((-z * z) / 2);
  return z > 0 ? tail : 1 - tail;
}

/** Mean number of buffers of `capacity` items for a link with `items` items on average. */
export function buffersOf(items: number, capacity: number): number {
  if (capacity <= 1) return items;
  if (items / capacity > MANY) return items / capacity + 0.5;
  let buffers = -Math.expm1(-items); // whether there is any item
  for (let k = 1; k <= 2 * MANY; k++) {
    const more = above((k * capacity + 0.5 - items) / Math.sqrt(items));
    buffers += more;
    if (more < 1e-4) break;
  }
  return buffers;
}

/** The probability that any of `links` links gets more than `room` items, with `items` each on average. */
export function overflowChance(links: number, items: number, room: number): number {
  // the square root of a Poisson variable is approximately normal
  return -Math.expm1(-links * above(2 * (Math.sqrt(room + 1) - Math.sqrt(items))));
}

/** Mean number of items per link when the first of `links` links has got more than `room`. */
export function untilFull(links: number, room: number): number {
  const z = quantile(0.7 / Math.max(2, links));
  const x = Math.sqrt(Math.max(0, z * z + 4 * (room + 1 - (z * z - 1) / 6)));
  return Math.max(0.1, ((x - z) / 2) ** 2);
}

/** The value that a normal variable exceeds with a given small probability. Source: Abramowitz and Stegun 26.2.22. */
function quantile(chance: number): number {
  const t = Math.sqrt(-2 * Math.log(chance));
  return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
}
