/** The cost of a message between two nodes, in the unit of the machine model. */
export interface Network {
  /** Time the sender is busy. */
  readonly send: number;
  /** Time in which neither is busy. @default 0 */
  readonly propagate?: number;
  /** Time the receiver is busy. */
  readonly receive: number;
}
