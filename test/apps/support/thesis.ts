/** The programs after TRAM's thesis, as the tests run them: small, and what is smaller still with many PEs. */
export const THESIS = [
  ["stream", ["--messages", "40", "--bytes", "30"], ["--messages", "3"]],
  ["staggered-stream", ["--messages", "45", "--window", "10", "--bytes", "30"], ["--messages", "3", "--window", "2"]],
  ["synthetic", ["--messages", "40", "--bytes", "60", "--sizes", "exponential"], ["--messages", "3"]],
  ["random-access", ["--log2-table", "6"], ["--log2-table", "8"]],
  ["lean-md", ["--steps", "1", "--migrate", "1", "--per-dim", "2"], ["--steps", "0"]],
] as const;
