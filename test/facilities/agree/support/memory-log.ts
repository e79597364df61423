/** A durable log that outlives its replica, in memory; what it is called with is checked. */
import type { DurableLog, LogRecord, Recovered } from "../../../../src/facilities/agree/state-machine.ts";

export class MemoryLog implements DurableLog {
  #snapshot: Uint8Array | null = null;
  #snapshotIndex = 0;
  #records: LogRecord[] = [];
  appends = 0;
  truncates = 0;

  get last(): number {
    return this.#records.at(-1)?.index ?? this.#snapshotIndex;
  }

  get recovered(): Recovered {
    const records = this.#records.map(({ index, command }) => ({ index, command: command.slice() }));
    return { snapshotIndex: this.#snapshotIndex, snapshot: this.#snapshot?.slice() ?? null, records };
  }

  append(records: readonly LogRecord[]): void {
    this.appends++;
    for (const { index, command } of records) {
      if (index !== this.last + 1) throw new Error(`record ${index} behind ${this.last}`);
      this.#records.push({ index, command: command.slice() });
    }
  }

  truncate(index: number, snapshot: Uint8Array): void {
    this.truncates++;
    if (index <= this.#snapshotIndex) throw new Error(`snapshot ${index} behind ${this.#snapshotIndex}`);
    this.#snapshot = snapshot.slice();
    this.#snapshotIndex = index;
    this.#records = this.#records.filter((record) => record.index > index);
  }

  close(): void {}
}
