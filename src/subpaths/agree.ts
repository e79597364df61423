/**
 * Agreement among PEs: replicas of a state machine (1Paxos), and two-phase commit. See docs/agreement.md.
 *
 * @module tundish/agree
 */
export type { ReplicaOptions } from "../agree/options.ts";
export type { Proposal } from "../agree/proposal.ts";
export type { Replica } from "../agree/replica.ts";
export type { Outcome, Transaction } from "../agree/two-phase/transaction.ts";
export type { TwoPhaseCommit } from "../agree/two-phase/two-phase-commit.ts";
export type { Participant, TransactionId, TwoPhaseOptions } from "../agree/two-phase/types.ts";
export type { Dissemination, DurableLog, LogRecord, Recovered, StateMachine } from "../agree/types.ts";
export type { AsyncWaitLimits, WaitLimits } from "../agree/waits.ts";
export { openReplica, openTwoPhaseCommit } from "../pe/agreement.ts";
export type { FileLog } from "../store/log/file-log.ts";
export { openLog } from "../store/log/open.ts";
export type { FsyncPolicy, LogOptions } from "../store/log/options.ts";
