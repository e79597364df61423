/** A store's state that notes the order in which writes take effect, once for all replicas, and that they agree on it. */
import { decodeChange } from "../../../../src/facilities/store/command.ts";
import type { WriteSessions } from "../../../../src/facilities/store/sessions.ts";
import { StoreState } from "../../../../src/facilities/store/state.ts";
import type { StoreOp } from "../../agree/support/models.ts";

/** By index in the order: what a key has after it. */
export type Effects = Map<number, StoreOp>;

export class SpiedState extends StoreState {
  readonly #effects: Effects;

  constructor(effects: Effects, sessions: WriteSessions) {
    super(sessions);
    this.#effects = effects;
  }

  override apply(command: Uint8Array, index: number): Uint8Array {
    const reply = super.apply(command, index);
    const { key } = decodeChange(command).change;
    const value = this.values.get(key) as string | undefined;
    const effect: StoreOp = value === undefined ? { kind: "delete", key } : { kind: "set", key, value };
    const known = this.#effects.get(index);
    if (known === undefined) this.#effects.set(index, effect);
    else if (JSON.stringify(known) !== JSON.stringify(effect))
      throw new Error(`index ${index}: ${JSON.stringify(known)} and ${JSON.stringify(effect)}`);
    return reply;
  }
}
