/** Latencies, counted in buckets whose bounds grow by 2^(1/16), 4.4 %: no memory for each item. */

const STEPS = 16;
const OCTAVES = 36;

export class LatencyHistogram {
  readonly counts: Float64Array;
  /** ns */
  most = 0;

  constructor(counts: Float64Array = new Float64Array(STEPS * OCTAVES), most = 0) {
    this.counts = counts;
    this.most = most;
  }

  /** @param ns below 1 counts as 1 */
  add(ns: number): void {
    if (ns > this.most) this.most = ns;
    this.counts[ns <= 1 ? 0 : Math.min(STEPS * OCTAVES - 1, Math.floor(STEPS * Math.log2(ns)))]++;
  }

  merge({ counts, most }: Pick<LatencyHistogram, "counts" | "most">): void {
    for (let i = 0; i < counts.length; i++) this.counts[i] += counts[i];
    this.most = Math.max(this.most, most);
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * The upper bound of the bucket with the item before which a part of all are, ns; 0 without any. @param part 0 to 1
   */
  percentile(part: number): number {
    const wanted = Math.max(1, Math.ceil(part * this.total));
    let seen = 0;
    for (let i = 0; i < this.counts.length; i++) {
      seen += this.counts[i];
      if (seen >= wanted) return Math.min(this.most, 2 ** ((i + 1) / STEPS));
    }
    return 0;
  }
}
