/** The last calls of the PEs of a team, compared in words: for the errors of calls that do not match. */
import { pesText } from "../../ground/wait/who.ts";
import { type CallLog, RECORDS } from "./call-log.ts";
import { type CallRecord, describeCall } from "./call-words.ts";

const ADVICE =
  "All PEs must make the same collective calls in the same order, with the same op, type, length and root.";

/** The calls of a team, as seen by one of its PEs. Calls have numbers, the same at all PEs. */
export class CallComparison {
  readonly #callLog: CallLog;
  readonly #members: readonly number[];
  readonly #rank: number;
  readonly #where: string;

  /**
   * @param members the PEs' ranks on the node, by rank in the team
   * @param rank this PE's in the team
   * @param where the name of the team, "" for the world
   */
  constructor(callLog: CallLog, members: readonly number[], rank: number, where: string) {
    this.#callLog = callLog;
    this.#members = members;
    this.#rank = rank;
    this.#where = where;
  }

  /** The earliest call up to number `last` that not all PEs made alike; undefined if the call log has none. */
  difference(last: number): string | undefined {
    const size = this.#members.length;
    for (let back = RECORDS - 1; back >= 0; back--) {
      const sequence = (last - back) | 0;
      if (this.#callLog.agree(this.#rank, sequence, size)) continue;
      const calls = new Map<string, number[]>();
      for (let rank = 0; rank < size; rank++) {
        const call = this.#callLog.look(rank, sequence);
        if (call === undefined) continue;
        const words = describeCall(call);
        calls.set(words, [...(calls.get(words) ?? []), this.#members[rank]]);
      }
      if (calls.size < 2) continue;
      const who = [...calls].map(([words, ranks]) => `${pesText(ranks)} called ${words}`);
      return `${who.join("; ")} (call number ${sequence}${this.#where}). ${ADVICE}`;
    }
    return undefined;
  }

  /** This PE's call with a number, after a message of another call from PE `peer` of the team. */
  outOfStep(peer: number, sequence: number): string {
    return `${this.#own(sequence)}, and a message of another call came from PE ${this.#members[peer]}. ${ADVICE}`;
  }

  /** The same, after PEs of another node made another call, and none has said which. */
  unknown(sequence: number): string {
    return `${this.#own(sequence)}, and a PE of another node made another call. ${ADVICE}`;
  }

  /** This PE's call and that of a PE on another node. @param rank its rank in the world */
  remote(mine: CallRecord | undefined, rank: number, call: CallRecord, sequence: number): string {
    const words = mine === undefined ? "another collective" : describeCall(mine);
    const other = describeCall(call);
    const same =
      words === other ? ", after other calls than these, or in a group whose ranks have another order there" : "";
    return (
      `PE ${this.#members[this.#rank]} called ${words}; PE ${rank} called ${other}${same} ` +
      `(call number ${sequence}${this.#where}). ${ADVICE}`
    );
  }

  /** As {@link missing}, as a sentence; "" if there are none. */
  absent(last: number): string {
    const { sequence, pes } = this.#behind(last);
    const call = this.#callLog.look(this.#rank, sequence);
    if (pes.length === 0 || call === undefined) return "";
    return `Not yet there: ${pesText(pes)} (${describeCall(call)}, call number ${sequence}).`;
  }

  /** The PEs that are furthest behind in the calls up to number `last`, by rank in the world. */
  missing(last: number): readonly number[] {
    return this.#behind(last).pes;
  }

  #behind(last: number): { readonly sequence: number; readonly pes: readonly number[] } {
    const behind = (sequence: number) => this.#members.filter((_, rank) => this.#callLog.isBehind(rank, sequence));
    let sequence = last;
    let pes = behind(sequence);
    // a PE that has not made this call may itself wait for a PE in an earlier call
    for (let back = 1; back < RECORDS && pes.length > 0; back++) {
      const further = behind((last - back) | 0);
      if (further.length === 0) break;
      sequence = (last - back) | 0;
      pes = further;
    }
    return { sequence, pes };
  }

  #own(sequence: number): string {
    const mine = this.#callLog.look(this.#rank, sequence);
    const words = mine === undefined ? "a collective" : describeCall(mine);
    return `PE ${this.#members[this.#rank]} called ${words} as its call number ${sequence}${this.#where}`;
  }
}
