/** What the owner of an append buffer sees of it: region.ts where pushes are stored, window-buffer.ts where they come through a window. */
export interface OwnBuffer {
  /** Byte offset in the heap. */
  readonly start: number;
  /** Bytes reserved, at most its length. */
  readonly offset: number;
  /** Bytes from the start below which all pushes are complete, as far as known; it never decreases between two resets. */
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
