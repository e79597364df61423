/** A replicated key-value store: what programs call. The guarantees of each call are in docs/store.md. */
import { StateError } from "../../ground/base/errors.ts";
import { callback, checkOptions } from "../../ground/base/options.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import { type CallWaits, type Pending, pendingOf, SERVING, type Told } from "../agree/waits.ts";
import type { Members } from "../messages/members.ts";
import type { KeyChange } from "./command.ts";
import type { StoreEngine } from "./engine.ts";
import { checkKey, checkValue, copyOf, type StoreLimits, type StoreValue } from "./value.ts";
import { waitsOf } from "./waits.ts";

/** Limits of a blocking call. */
export type StoreWaitOptions = Pick<WaitOptions, "timeout">;

export let makeStore: (engine: StoreEngine, members: Members, limits: StoreLimits, timeout: number) => Store;

/**
 * A key-value store that replicas agree on: each has a copy of all of it. Keys are strings; values are strings or
 * bytes, and come back as what they were. A blocking call stops the event loop of its thread; the form that ends in
 * Async does not, and any number of them may be under way.
 *
 * A PE makes progress for others only within these calls, `advance` and `serve`: call one of them often, or the others
 * take this replica for lost and its clients wait.
 */
export class Store {
  readonly #engine: StoreEngine;
  readonly #members: Members;
  readonly #limits: StoreLimits;
  readonly #timeout: number;
  readonly #waits: CallWaits;
  /** It waits for those that have not left. */
  readonly #leaving: Told = { whom: () => this.#engine.present };
  #isClosing = false;
  #isClosed = false;

  static {
    makeStore = (...parts) => new Store(...parts);
  }

  private constructor(engine: StoreEngine, members: Members, limits: StoreLimits, timeout: number) {
    this.#engine = engine;
    this.#members = members;
    this.#limits = limits;
    this.#timeout = timeout;
    this.#waits = waitsOf(members, engine);
  }

  /** Whether this PE has a copy. */
  get isReplica(): boolean {
    return this.#engine.values !== null;
  }

  /** Whether {@link close} has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many keys this replica's copy has. @throws StateError if this PE has none */
  get size(): number {
    return this.#copy("size").size;
  }

  /** The keys of this replica's copy, as they are while iterated, in the order of addition. @throws StateError */
  keys(): IterableIterator<string> {
    return this.#copy("keys").keys();
  }

  /**
   * The value of a key in this replica's copy, or in that of this client's replica: at once, without agreement.
   * Sequentially consistent, not linearizable: never older than what this PE has seen or written, but it may miss what
   * others have written meanwhile.
   * @returns undefined if the key is not there; bytes are a copy
   */
  get(key: string, options?: StoreWaitOptions): StoreValue | undefined {
    this.#check("get", key);
    const timeout = this.#timeoutOf(options);
    const { values } = this.#engine;
    if (values !== null) return copyOf(values.get(key));
    return this.#waits.block("get", this.#engine.read(key, false), timeout, { key });
  }

  /** As {@link get}, without blocking. */
  async getAsync(key: string, options?: WaitOptions): Promise<StoreValue | undefined> {
    this.#check("get", key);
    const limits = this.#limitsOf(options);
    return this.#waits.until("get", this.#engine.read(key, false), limits, { key });
  }

  /** The value of a key after all writes answered before this call: linearizable. It waits for agreement. */
  getLatest(key: string, options?: StoreWaitOptions): StoreValue | undefined {
    this.#check("getLatest", key);
    const timeout = this.#timeoutOf(options);
    return this.#waits.block("getLatest", this.#engine.read(key, true), timeout, { key });
  }

  /** As {@link getLatest}, without blocking. */
  async getLatestAsync(key: string, options?: WaitOptions): Promise<StoreValue | undefined> {
    this.#check("getLatest", key);
    const limits = this.#limitsOf(options);
    return this.#waits.until("getLatest", this.#engine.read(key, true), limits, { key });
  }

  /** Gives a key a value. @throws TimeoutError: it may still take effect, once */
  set(key: string, value: StoreValue, options?: StoreWaitOptions): void {
    this.#write(this.#setting(key, value), options);
  }

  /** As {@link set}, without blocking. */
  async setAsync(key: string, value: StoreValue, options?: WaitOptions): Promise<void> {
    await this.#writeAsync(this.#setting(key, value), options);
  }

  /** Removes a key. @returns whether it was there @throws TimeoutError: it may still take effect, once */
  delete(key: string, options?: StoreWaitOptions): boolean {
    this.#check("delete", key);
    return this.#write({ kind: "delete", key }, options);
  }

  /** As {@link delete}, without blocking. */
  async deleteAsync(key: string, options?: WaitOptions): Promise<boolean> {
    this.#check("delete", key);
    return this.#writeAsync({ kind: "delete", key }, options);
  }

  /**
   * Gives a key a value if it has the expected one. A string and bytes are never equal.
   * @param expected undefined: the key is not there
   * @returns whether it had
   * @throws TimeoutError: it may still take effect, once
   */
  compareAndSet(key: string, expected: StoreValue | undefined, value: StoreValue, options?: StoreWaitOptions): boolean {
    return this.#write(this.#comparing(key, expected, value), options);
  }

  /** As {@link compareAndSet}, without blocking. */
  async compareAndSetAsync(
    key: string,
    expected: StoreValue | undefined,
    value: StoreValue,
    options?: WaitOptions,
  ): Promise<boolean> {
    return this.#writeAsync(this.#comparing(key, expected, value), options);
  }

  /** Waits until the copy that this PE reads has all that was answered anywhere before the call. */
  sync(options?: StoreWaitOptions): void {
    this.#checkOpen("sync");
    const timeout = this.#timeoutOf(options);
    this.#waits.block("sync", this.#engine.sync(), timeout);
  }

  /** As {@link sync}, without blocking. */
  async syncAsync(options?: WaitOptions): Promise<void> {
    this.#checkOpen("sync");
    const limits = this.#limitsOf(options);
    await this.#waits.until("sync", this.#engine.sync(), limits);
  }

  /** Receives and answers, for other PEs too, without waiting. @returns whether something happened */
  advance(): boolean {
    if (this.#isClosed) throw new StateError("advance: this store was closed.");
    return this.#engine.advance();
  }

  /** Serves the others, blocking, until `until` is true, which is asked after each step, for instance of the copy. */
  serve(until: () => boolean, options?: StoreWaitOptions): void {
    this.#checkServe(until);
    const timeout = this.#timeoutOf(options);
    this.#waits.block("serve", pendingOf(until), timeout, SERVING);
  }

  /** As {@link serve}, without blocking. */
  async serveAsync(until: () => boolean, options?: WaitOptions): Promise<void> {
    this.#checkServe(until);
    await this.#waits.until("serve", pendingOf(until), this.#limitsOf(options), SERVING);
  }

  /**
   * Ends this PE's calls, and serves the others until all have called it or are lost: a replica that left earlier would
   * be missed. Async calls that are under way fail. A second call has no effect.
   * @throws TimeoutError: this PE then leaves all the same
   */
  close(options?: StoreWaitOptions): void {
    const timeout = this.#timeoutOf(options);
    if (!this.#leave()) return;
    try {
      this.#waits.block("close", this.#allLeft, timeout, this.#leaving);
    } finally {
      this.#end();
    }
  }

  /** As {@link close}, without blocking. */
  async closeAsync(options?: WaitOptions): Promise<void> {
    const limits = this.#limitsOf(options);
    if (!this.#leave()) return;
    try {
      await this.#waits.until("close", this.#allLeft, limits, this.#leaving);
    } finally {
      this.#end();
    }
  }

  /** {@link close}: it waits for the others. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** {@link closeAsync}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeAsync();
  }

  /** @returns false if it was called before */
  #leave(): boolean {
    if (this.#isClosing) return false;
    this.#isClosing = true;
    this.#waits.end(new StateError("store: it was closed meanwhile."));
    this.#engine.leave();
    return true;
  }

  get #allLeft(): Pending<void> {
    return pendingOf(() => this.#engine.isOver);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#engine.close();
    } finally {
      this.#members.free?.();
    }
  }

  #setting(key: string, value: StoreValue): KeyChange {
    this.#check("set", key);
    checkValue("set", value, this.#limits);
    return { kind: "set", key, value };
  }

  #comparing(key: string, expected: StoreValue | undefined, value: StoreValue): KeyChange {
    this.#check("compareAndSet", key);
    if (expected !== undefined) checkValue("compareAndSet", expected, this.#limits);
    checkValue("compareAndSet", value, this.#limits);
    return { kind: "compareAndSet", key, expected, value };
  }

  #write(change: KeyChange, options: StoreWaitOptions | undefined): boolean {
    const timeout = this.#timeoutOf(options);
    return this.#waits.block(change.kind, this.#engine.write(change), timeout, change);
  }

  async #writeAsync(change: KeyChange, options: WaitOptions | undefined): Promise<boolean> {
    const limits = this.#limitsOf(options);
    // what is aborted already is not begun
    const isBegun = !limits.signal?.aborted;
    const pending = isBegun ? this.#engine.write(change) : { isDone: false, take: () => false };
    return this.#waits.until(change.kind, pending, limits, change);
  }

  #check(call: string, key: string): void {
    this.#checkOpen(call);
    checkKey(call, key, this.#limits);
  }

  #checkServe(until: unknown): void {
    this.#checkOpen("serve");
    checkOptions("until", callback, until);
  }

  #checkOpen(call: string): void {
    if (this.#isClosing) throw new StateError(`${call}: this store was closed.`);
  }

  #timeoutOf(options: StoreWaitOptions | undefined): number {
    return this.#limitsOf(options).timeout ?? this.#timeout;
  }

  #limitsOf(options: WaitOptions | undefined): WaitOptions {
    if (options === undefined) return { timeout: this.#timeout };
    checkOptions("options", WAIT, options);
    return { timeout: options.timeout ?? this.#timeout, signal: options.signal };
  }

  #copy(call: string): ReadonlyMap<string, StoreValue> {
    const { values } = this.#engine;
    if (values !== null) return values;
    throw new StateError(`${call}: PE ${this.#members.rank} is no replica and has no copy; call it at one.`);
  }
}
