/**
 * Agreement among PEs: replicas of a state machine (1Paxos), and two-phase commit. See docs/agreement.md.
 *
 * @module tundish/agree
 */
export type { ReplicaOptions } from "./facilities/agree/options.ts";
export type { Proposal } from "./facilities/agree/proposal.ts";
export type { Replica } from "./facilities/agree/replica.ts";
export { openReplica } from "./facilities/agree/replicas.ts";
export type {
  Dissemination,
  DurableLog,
  LogRecord,
  Recovered,
  StateMachine,
} from "./facilities/agree/state-machine.ts";
export { openTwoPhaseCommit } from "./facilities/agree/two-phase/commits.ts";
export type {
  Participant,
  TransactionId,
  TwoPhaseOptions,
} from "./facilities/agree/two-phase/participant.ts";
export type { Outcome, Transaction } from "./facilities/agree/two-phase/transaction.ts";
export type { TwoPhaseCommit } from "./facilities/agree/two-phase/two-phase-commit.ts";
export type { AsyncWaitLimits, WaitLimits } from "./facilities/agree/waits.ts";
export type { FileLog } from "./facilities/store/log/file-log.ts";
export { openLog } from "./facilities/store/log/open.ts";
export type { FsyncPolicy, LogOptions } from "./facilities/store/log/options.ts";
export { CorruptLogError, LogError, LogLockedError } from "./ground/base/errors.ts";
