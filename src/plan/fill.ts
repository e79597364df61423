/**
 * How full buffers leave, when items for links drawn at random fill them.
 *
 * What: a link gets a Poisson number of items. {@link buffersOf} is the mean number of buffers that they take;
 * {@link untilFull} the items that a PE can push, until the first of its links has no room left.
 *
 * Limits: the Poisson distribution is taken for a normal one, corrected for its skew: good to a few percent.
 *
 * Example: 100 items for a link take 4.5 buffers of 25 items in the mean: the last one leaves half full.
 */

/** Beyond so many buffers the last one is half full. */
const MANY = 12;

/** The chance that a normal variable is above z. Source: Abramowitz and Stegun 7.1.25. */
function above(z: number): number {
  const t = 1 / (1 + 0.33267 * Math.abs(z));
  const tail = 0.5 * t * (0.34802 + t * (-0.09588 + t * 0.74786)) * Math.exp((-z * z) / 2);
  return z > 0 ? tail : 1 - tail;
}

/** Buffers of `capacity` items that a link takes for a mean of `items`. */
export function buffersOf(items: number, capacity: number): number {
  if (capacity <= 1) return items;
  if (items / capacity > MANY) return items / capacity + 0.5;
  let buffers = -Math.expm1(-items); // is there any?
  for (let k = 1; k <= 2 * MANY; k++) {
    const more = above((k * capacity + 0.5 - items) / Math.sqrt(items));
    buffers += more;
    if (more < 1e-4) break;
  }
  return buffers;
}

/** The chance that any of `links` gets more than `room` items, where each gets `items` in the mean. */
export function overflowChance(links: number, items: number, room: number): number {
  // the square root of a Poisson number is about normal
  return -Math.expm1(-links * above(2 * (Math.sqrt(room + 1) - Math.sqrt(items))));
}

/** Items for one of `links`, in the mean, when the first of them has got more than `room`. */
export function untilFull(links: number, room: number): number {
  const z = quantile(0.7 / Math.max(2, links));
  const x = Math.sqrt(Math.max(0, z * z + 4 * (room + 1 - (z * z - 1) / 6)));
  return Math.max(0.1, ((x - z) / 2) ** 2);
}

/** What a normal variable is above with a small chance. Source: Abramowitz and Stegun 26.2.22. */
function quantile(chance: number): number {
  const t = Math.sqrt(-2 * Math.log(chance));
  return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
}
