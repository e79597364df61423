/** The parts of `bench smelt`. A file of its own, as the command line loads nothing else before one is run. */

/** In the order of the paper's sections. */
export const SMELT_PARTS = [
  "trees",
  "simulated",
  "groups",
  "collectives",
  "barriers",
  "streamcluster",
  "agreement",
] as const;
export type SmeltPart = (typeof SMELT_PARTS)[number];
