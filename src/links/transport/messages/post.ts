/** A mailbox, as collectives over nodes need it: that of a PE (mailbox.ts), or of a virtual one. */
import type { PEMailbox } from "./mailbox.ts";
import type { MismatchProbes } from "./mismatch-probe.ts";
import type { UnexpectedQueue } from "./unexpected-queue.ts";

export interface Post
  extends Pick<
    PEMailbox,
    "mpi" | "hasRings" | "finds" | "canSend" | "send" | "sendNumber" | "sendProbe" | "canFetch" | "fetch" | "poll"
  > {
  readonly unexpected: Pick<UnexpectedQueue, "kept" | "count" | "take" | "copy" | "content" | "drop">;
  readonly probes: Pick<MismatchProbes, "watch" | "leave" | "look">;
}
