/** Members of a group that send each other messages: what protocols among them need of the platform. */

import { whomText } from "../../ground/wait/told.ts";

/** A message that has come. */
export interface MemberMessage {
  /** The member that sent it, by rank in the group. */
  readonly from: number;
  /** Its content: valid until the next {@link Members.tryReceive}. */
  readonly bytes: Uint8Array;
}

/** The wait of a member's call, as others are told of it. */
export interface MemberWait {
  /** The call and what it is a call of: `set of the store`. */
  readonly call: string;
  /** When it began, by {@link Members.now}. */
  readonly since: number;
  /** The members that it waits for now, by rank in the group; none if that is not known. */
  readonly awaited: readonly number[];
  /** Whether any one of them is enough. @default false */
  readonly needsOne?: boolean;
}

/** The members of a group, as one of them sees them. Messages between two arrive in order, or one of them is lost. */
export interface Members {
  /** This member's rank, and the number of members, the lost ones included. */
  readonly rank: number;
  readonly size: number;
  /** All members by rank in the world, for messages. @default as in the group */
  readonly pes?: readonly number[];
  /** Time, ms: of the thread, or virtual. */
  readonly now: number;
  /**
   * Sends a message of any length; its bytes are copied. It never waits and is never refused: what has no room yet is
   * sent by later calls of any method, in order. To a member that is lost: no effect.
   */
  post(to: number, bytes: Uint8Array): void;
  /** The next message, from any member in turn, if one is here. What a lost member sent before comes first. */
  tryReceive(): MemberMessage | undefined;
  /**
   * Whether a member is lost for ever: it has thrown, exited or returned, and all that it sent was received. One that
   * has returned from a run of an open world is not, as it may go on in the next run.
   */
  isLost(member: number): boolean;
  /** Bytes that were posted to a member and have no room yet: callers limit what they send by it. */
  backlog(member: number): number;
  /** Blocks until a message may be here, a member was lost, or `ms` have passed. @param what waits, for diagnoses */
  wait(ms: number, what?: MemberWait): void;
  /** As {@link wait}, without blocking. */
  waitAsync(ms: number, what?: MemberWait): Promise<void>;
  /** Gives the members up: what was posted is still sent. */
  free?(): void;
}

/** A sentence about a call that has waited for too long: `PE 1 waited for PE 0 in set of the store for 300 ms.` */
export function waitedText(members: Members, { call, since, awaited, needsOne = false }: MemberWait): string {
  const { pes, rank, now } = members;
  const nameOf = (member: number) => pes?.[member] ?? member;
  const whom = awaited.length === 0 ? "" : ` for ${whomText(awaited.map(nameOf), needsOne)}`;
  return `PE ${nameOf(rank)} waited${whom} in ${call} for ${Math.ceil(now - since)} ms.`;
}

/** Several calls that wait together, in the order in which they began, as one. */
export function joined(all: readonly MemberWait[]): MemberWait | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  if (all.length === 1) return first;
  return seenAs(first, { call: () => `${first.call} and ${all.length - 1} more` });
}

/** A wait, but for some of what it says. What takes time is found out when somebody asks: most waits are soon over. */
export const seenAs = (
  wait: MemberWait,
  {
    call = () => wait.call,
    awaited = () => wait.awaited,
  }: { readonly call?: () => string; readonly awaited?: () => readonly number[] },
): MemberWait => ({
  since: wait.since,
  needsOne: wait.needsOne ?? false,
  get call() {
    return call();
  },
  get awaited() {
    return awaited();
  },
});
