/** What the tests of apps/is.ts have in common. */

/** The exchanges of keys. */
export const EXCHANGES = ["append", "alltoallv", "conveyor", "exchange"] as const;

/** The checksum of class S, whatever the PEs and the exchange. */
export const CHECKSUM_S = 2506409097;
