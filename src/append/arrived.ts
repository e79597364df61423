/** A wait of an owner until so much has come into its buffer. */
import type { Condition } from "../wait/condition.ts";
import type { Watcher } from "../wait/waiter.ts";
import type { AppendTarget } from "./options.ts";
import type { Region } from "./region.ts";
import type { AppendSeat } from "./seat.ts";

export class Arrived implements Condition, Watcher {
  readonly peer = -1;
  readonly peers: readonly number[];
  readonly where = "";
  readonly whom = "pushes into its append buffer";
  readonly #seat: AppendSeat;
  readonly #region: Region;
  readonly #bytes: number;
  readonly #messages: number;

  constructor(seat: AppendSeat, region: Region, { bytes = 0, messages = 0 }: AppendTarget) {
    this.#seat = seat;
    this.#region = region;
    this.#bytes = bytes;
    this.#messages = messages;
    // who has left before does not end the wait: see isInVain
    this.peers = seat.here.flatMap((rank) => (rank === seat.rank ? [] : [seat.members[rank] as number]));
  }

  ready(): boolean {
    const region = this.#region;
    return (this.#messages === 0 || region.messages >= this.#messages) && region.completed >= this.#bytes;
  }

  spin(looks: number): boolean {
    for (; looks > 0; looks--) if (this.ready()) return true;
    return false;
  }

  /** When nobody is left who could push. */
  isInVain(): boolean {
    const { here, rank, size, departed } = this.#departing();
    return here.length === size && here.every((one, i) => one === rank || departed(i)) && !this.ready();
  }

  #departing() {
    const { here, rank, size } = this.#seat;
    return { here, rank, size, departed: (i: number) => this.#seat.departed(i) };
  }

  verify(): void {}

  /** What has come, and who has not finished a push. */
  absent(): string {
    const { here, members } = this.#seat;
    const { offset, messages } = this.#region;
    const wanted = [
      ...(this.#bytes > 0 ? [`${offset} of ${this.#bytes} bytes`] : []),
      ...(this.#messages > 0 ? [`${messages} of ${this.#messages} messages`] : []),
    ].join(" and ");
    const stuck = this.#region
      .pending()
      .map(
        ({ writer, bytes }) =>
          `PE ${members[here[writer] as number]} is in a push of ${bytes} bytes and has not completed it.`,
      );
    return [`waitUntil: ${wanted || "nothing"} came into the append buffer.`, ...stuck].join(" ");
  }
}
