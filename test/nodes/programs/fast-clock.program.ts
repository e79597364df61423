/** Preloaded by a node: in a thread that sets `globalThis.timeIsFast`, time passes ten times as fast from then on. */
const now = performance.now.bind(performance);

let since = 0;
performance.now = () => {
  const real = now();
  if (!(globalThis as { timeIsFast?: boolean }).timeIsFast) return real;
  since ||= real;
  return since + 10 * (real - since);
};
