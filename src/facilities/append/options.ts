/** The options of append buffers: valid values, defaults, and checks. */
import {
  type OptionField,
  type OptionFields,
  oneOf,
  optionsOf,
  text,
  truth,
  whole,
} from "../../ground/base/options.ts";
import type { Overflow } from "./region.ts";

/** Options of an append buffer; the same at all PEs. */
export interface AppendOptions {
  /** Its name in errors; the same at all PEs. @default none */
  readonly name?: string | undefined;
  /**
   * The handling of a push that does not fit. `error`: nothing is written, and it is an {@link AppendOverflowError}.
   * `truncate`: what fits is written, and the push says how many bytes that were. @default "error"
   */
  readonly overflow?: Overflow | undefined;
  /** Counts messages, for `messages` and `waitUntil`. @default true */
  readonly counting?: boolean | undefined;
  /**
   * How pushes go to PEs of other nodes; within a node they are stored. `sender`: the same, into the heaps of other
   * nodes of the machine that are mapped; through MPI windows, all pushes, those within a node, too, if some are not.
   * `receiver`: each is a message to the owner's node. `conveyor`: those that are started one after another travel
   * together. `auto`: stored where that is possible, and else as docs/append.md has measured to be fastest. @default
   * "auto"
   */
  readonly transport?: AppendTransport | undefined;
}

/** The carrier of pushes over nodes. */
export type AppendTransport = "auto" | "sender" | "receiver" | "conveyor";

/** The largest buffer, bytes: a heap has 4 GiB. */
export const MAX_BYTES: number = 2 ** 32 - 2 ** 20;

const FIELDS: OptionFields<AppendOptions> = {
  name: text("a name"),
  overflow: oneOf(["error", "truncate"]),
  counting: truth,
  transport: oneOf(["auto", "sender", "receiver", "conveyor"]),
};
export const APPEND: OptionField = optionsOf<AppendOptions>(FIELDS);

/** The condition of the owner's wait: both, if both are given. */
export interface AppendTarget {
  /** Bytes in the buffer, all of them complete. */
  readonly bytes?: number | undefined;
  /** Messages in it. */
  readonly messages?: number | undefined;
}
export const TARGET: OptionField = optionsOf<AppendTarget>({ bytes: whole(0), messages: whole(0) });
