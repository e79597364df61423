/**
 * The factors of the model of exchanges (predict.ts), chosen so that its choices are the best ones in the simulator:
 * test/plan/exchange compares them.
 */
export const FIT = {
  /** Loss by messages behind one whose receiver is full, of the bound; packets of a chunk by places, at half. */
  blocking: 1.2,
  half: 0.2,
  /**
   * Share of the loss left: with packets of several receivers in turn; of one after another; with a pace; with a pace,
   * packets in turn, and as many for each receiver.
   */
  interleaved: 0.85,
  drift: 0.4,
  paced: 0.7,
  inStep: 0.1,
  /** Share of the time for which a pace keeps the busiest part busy; where that is a link. */
  load: 0.9,
  linkLoad: 0.8,
  /** Messages that give a buffer back wait behind what its receiver sends: with one receiver, of the time to send. */
  returns: 0.2,
  /** Of the turns without a chunk, those in which a token waits for a PE that has one. */
  waves: 0.5,
  /** Packets that a token waits behind. */
  behind: 1.25,
  /** Bookings miss rounds: rounds by the chunks of the busiest receiver. */
  missed: 1.15,
};

/**
 * The same for real networks, which hold many bytes of a connection: a chunk has left its node before it has arrived.
 * Receivers go on taking what is held while rounds change, and the next sender begins before the last one's bytes are
 * through. Set by measurements on eight hosts whose receivers do not keep up (docs/traffic.md, On real nodes).
 */
export const REAL = {
  /** Share that is left of what rounds add. */
  rounds: 0.25,
  /** The loss, by the measured incast: any number to one; one receiver after another; with tokens. */
  together: 2.5,
  drift: 0.7,
  early: 0.55,
};
