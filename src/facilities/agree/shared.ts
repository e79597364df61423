/** Things that the parts of one replica share: who it is, the configuration it knows, its log, and whom it sends to. */
import { StateError } from "../../ground/base/errors.ts";
import type { Members } from "../messages/members.ts";
import type { Settings } from "./options.ts";
import { ReplicaOutbox } from "./outbox.ts";
import { Watch } from "./watch.ts";
import type { Config } from "./wire/config.ts";
import { CommandLog } from "./wire/log.ts";

export class Shared {
  readonly members: Members;
  readonly settings: Settings;
  readonly rank: number;
  readonly size: number;
  readonly majority: number;
  readonly out: ReplicaOutbox;
  readonly watch: Watch;
  /** Committed entries, and behind them, at a leader, those that it has proposed. */
  readonly log: CommandLog = new CommandLog();
  /** This replica knows all that is committed up to this index. */
  learned = 0;
  /** As the acceptor of the epoch: it accepts nothing more. */
  sealed = false;
  /** As the leader of the epoch: it proposes nothing more. */
  frozen = false;

  constructor(members: Members, settings: Settings) {
    const { leader, acceptor } = settings;
    this.members = members;
    this.settings = settings;
    this.rank = members.rank;
    this.size = members.size;
    this.majority = Math.floor(members.size / 2) + 1;
    this.out = new ReplicaOutbox(members, { epoch: 1, leader, acceptor, top: 0 });
    this.watch = new Watch(members, settings.suspectAfter);
  }

  get config(): Config {
    return this.out.config;
  }

  get isLeader(): boolean {
    return this.config.leader === this.rank;
  }

  get isAcceptor(): boolean {
    return this.config.acceptor === this.rank;
  }
}

/** Stops a replica whose state contradicts the protocol's proof. */
export function ensure(holds: boolean, what: string): void {
  if (!holds) throw new StateError(`replica: ${what}. This is a fault of Tundish; please report it.`);
}
