/**
 * Tags of MPI messages, and what they are for. A tag and the rank that a message comes from tell it from all
 * others that are under way.
 *
 *     0                        between the main threads of the nodes (control.ts)
 *     1 … MAILBOXES            to the mailbox of a PE: its number on the node
 *     MAILBOXES + 1 … LINKS-1  one after the other, for what is sent apart: the sender takes the next, and says
 *                              so in a message to the mailbox; from world to world they go on
 *     LINKS … LAST             two for each link of a conveyor: made of the place in the receiver's heap where its
 *                              buffers lie, so that no two links that are there at the same time have the same
 *
 * LAST is what MPI_TAG_UB admits in all libraries that we know of: UCX under Open MPI keeps 23 bits.
 */

/** PEs of a node, at most. */
export const MAX_NODE_PES = 1024;
const MAILBOXES: number = MAX_NODE_PES;
const LAST: number = 2 ** 23 - 1;
const LINKS: number = 2 ** 22;
/** Bytes of a link's place in the heap, at least. */
export const LINK_SPACE: number = (2 * 2 ** 32) / (LAST + 1 - LINKS);

export const CONTROL_TAG = 0;

/** The tag of what is for the mailbox of PE `nodeRank` of a node. */
export const mailboxTag = (nodeRank: number): number => 1 + nodeRank;

/** The tag number `n` (modulo 2^32) for what is sent apart. */
export const rendezvousTag = (n: number): number => MAILBOXES + 1 + ((n >>> 0) % (LINKS - 1 - MAILBOXES));

/** The first of the two tags of a link whose place begins at byte `address` of the receiver's heap. */
export const linkTag = (address: number): number => LINKS + 2 * Math.floor(address / LINK_SPACE);
