/** Two PEs make pairs of their own, whatever groups they are made in: what their reservations are known by. */
export const OF_PAIRS = "pair";
