/**
 * The postal model: a broadcast where all sends cost the same.
 *
 * What: a send keeps its sender busy for `busy`, and is there `edge` after its start. Whoever has the message
 * always sends to somebody new. The earliest delivery that is not yet counted is the next one: its sender
 * delivers again `busy` later, and who got it delivers for the first time `edge` later.
 * Why two queues: deliveries are counted in the order of time, so what is added `busy` later comes in ascending
 * order, and so does what is added `edge` later. The next delivery is the head of one of the two. O(n).
 * Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms in the postal model" (1992).
 *
 * Example: busy 2, edge 5, 4 members: deliveries at 5, 7, 9, so 9.
 */

/** Time until `count` members have a message when a send takes `busy` and is there after `edge`; no broadcast is faster. */
export function postalTime(count: number, busy: number, edge: number): number {
  // the next deliveries of those that have delivered before, and the first ones of the others
  const again = new Float64Array(count);
  const first = new Float64Array(count);
  let [againFrom, againTo, firstFrom, firstTo] = [0, 0, 0, 0];
  first[firstTo++] = edge;
  let latest = 0;
  for (let have = 1; have < count; have++) {
    const isAgain =
      againFrom < againTo &&
      (firstFrom === firstTo || (again[againFrom] as number) <= (first[firstFrom] as number));
    latest = (isAgain ? again[againFrom++] : first[firstFrom++]) as number;
    again[againTo++] = latest + busy;
    first[firstTo++] = latest + edge;
  }
  return latest;
}
