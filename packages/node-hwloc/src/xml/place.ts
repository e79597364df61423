/** Where something is in XML, and what is wrong there. */

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** An error for input that is not XML, or no topology: its message says what was expected and what came. */
export class XmlFault extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}
