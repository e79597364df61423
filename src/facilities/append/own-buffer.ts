/** The owner's view of an append buffer: region.ts for stored pushes, window-buffer.ts for those by a window. */
export interface OwnBuffer {
  /** Byte offset in the heap. */
  readonly start: number;
  /** Bytes reserved, at most its length. */
  readonly offset: number;
  /** Bytes from the start below which all pushes are known to be complete; it decreases with resets only. */
  readonly completed: number;
  /** Messages that are complete. */
  readonly messages: number;
  /** It is empty again. @returns whether no push came meanwhile, whose bytes would be lost */
  reset(): boolean;
  /** Pushes into it that are under way, and their bytes. @returns -1 for a writer, or bytes, that are not known */
  pending(): readonly { readonly writer: number; readonly bytes: number }[];
  /** Tells the writers whether this PE waits for pushes. */
  await(isWaiting: boolean): void;
}
