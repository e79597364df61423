/** Conditions that say themselves what waits for them. */
import type { Condition } from "./condition.ts";
import type { Watcher } from "./watcher.ts";

/** One that may come about by several PEs. */
export abstract class NamedCondition implements Condition, Watcher {
  readonly peer: number = -1;
  readonly where = "";
  readonly watcher: Watcher = this;
  abstract readonly call: string;

  abstract ready(): boolean;

  spin(looks: number): boolean {
    for (; looks > 0; looks--) if (this.ready()) return true;
    return false;
  }

  verify(): void {}

  absent(): string {
    return "";
  }
}
