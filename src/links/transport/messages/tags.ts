/**
 * Tags of MPI messages and their use. A tag and the sender's rank distinguish a message from all others in flight.
 *
 *     0                        between the main threads of the nodes (control.ts)
 *     1 … MAILBOXES            to the mailbox of a PE: its number on the node
 *     MAILBOXES + 1 … LINKS-1  in turn, for rendezvous content: the sender takes the next one and
 *                              sends it to the mailbox; the numbering continues from world to world
 *     LINKS … LAST             two for each link of a conveyor, derived from the offset of its buffers in
 *                              the receiver's heap, so that no two links in use have the same
 *
 * LAST is allowed by MPI_TAG_UB in all libraries that we know: UCX under Open MPI uses 23 bits.
 */

/** Largest number of PEs of a node. */
export const MAX_NODE_PES = 1024;
const MAILBOXES: number = MAX_NODE_PES;
const LAST: number = 2 ** 23 - 1;
const LINKS: number = 2 ** 22;
/** Least number of bytes of a link in the heap. */
export const LINK_SPACE: number = (2 * 2 ** 32) / (LAST + 1 - LINKS);

export const CONTROL_TAG = 0;

/** The tag of messages to the mailbox of PE `nodeRank` of a node. */
export const mailboxTag = (nodeRank: number): number => 1 + nodeRank;

/** The rendezvous tag number `n` (modulo 2^32). */
export const rendezvousTag = (n: number): number => MAILBOXES + 1 + ((n >>> 0) % (LINKS - 1 - MAILBOXES));

/** The first of the two tags of a link whose buffers begin at byte `address` of the receiver's heap. */
export const linkTag = (address: number): number => LINKS + 2 * Math.floor(address / LINK_SPACE);
