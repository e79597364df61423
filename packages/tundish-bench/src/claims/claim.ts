/** The statements of papers, and whether what runs here agrees. */

/** A sentence of a paper. */
export interface Claim {
  /** Its place in the paper, such as a figure: `5.5`, or a section for its text: `5.3`. */
  readonly place: string;
  readonly claim: string;
  readonly agrees: boolean;
  /** The values it was judged by. */
  readonly numbers: string;
}

/** Values as near as this are the same. */
export const NEAR = 0.02;

/** A line for each, with its numbers below, and how many agree. */
export const claimsText = (claims: readonly Claim[]): string =>
  [
    ...claims.map(
      ({ place, claim, agrees, numbers }) =>
        `${agrees ? "agrees" : "differs"}  ${place}: ${claim}\n         ${numbers}`,
    ),
    `${claims.filter(({ agrees }) => agrees).length} of ${claims.length} agree`,
  ].join("\n");
