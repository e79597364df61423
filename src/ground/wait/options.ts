/** The limits of a wait that a user gives. */
import { abortSignal, milliseconds, type OptionField, optionsOf } from "../base/options.ts";

/** Limits of a wait. One that ends by them has changed nothing. */
export interface WaitOptions {
  /** ms. @default the world's waitTimeout */
  readonly timeout?: number | undefined;
  /** Ends the wait of an Async form. @default none */
  readonly signal?: AbortSignal | undefined;
}
export const WAIT: OptionField = optionsOf<WaitOptions>({ timeout: milliseconds, signal: abortSignal });
