/**
 * The postal model: a broadcast where all sends cost the same.
 *
 * A send keeps its sender busy for `busy`, and arrives `edge` after its start. Every member with the message always
 * sends to a new one. The earliest delivery that is not counted yet is the next one: its sender delivers again `busy`
 * later, and its receiver delivers for the first time `edge` later. Why two queues: deliveries are counted in the order
 * of time, so those added `busy` later are in ascending order, and so are those added `edge` later. The next delivery
 * is the head of one of the two. O(n). Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms in the postal model"
 * (1992).
 *
 * Example: busy 2, edge 5, 4 members: deliveries at 5, 7, 9, so 9.
 */

/**
 * Least time until `count` members have a message if a send takes `busy` and arrives after `edge`. All but the first
 * wait for `relay` before they send: that is as if their first sends arrived later.
 */
export function postalTime(count: number, busy: number, edge: number, relay = 0): number {
  // the next deliveries of members that have delivered before, and the first ones of the others
  const again = new Float64Array(count);
  const first = new Float64Array(count);
  let [againFrom, againTo, firstFrom, firstTo] = [0, 0, 0, 0];
  first[firstTo++] = edge;
  let latest = 0;
  for (let have = 1; have < count; have++) {
    const isAgain =
      againFrom < againTo && (firstFrom === firstTo || (again[againFrom] as number) <= (first[firstFrom] as number));
    latest = (isAgain ? again[againFrom++] : first[firstFrom++]) as number;
    again[againTo++] = latest + busy;
    first[firstTo++] = latest + relay + edge;
  }
  return latest;
}
