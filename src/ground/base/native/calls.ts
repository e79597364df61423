/** How native code is called: the part of koffi that is used, whoever makes the calls. */

/** A library that has been opened, as koffi has it. */
export interface Library {
  /** @param declaration in C: `int flock(int fd, int operation)` */
  func(declaration: string): ReturnType<ReturnType<typeof import("koffi")["load"]>["func"]>;
  /** An address, for pointerOf (native.ts). */
  symbol(name: string, type: string): unknown;
}

/** A way to call native code: the part of koffi that is used. */
export interface Native {
  readonly version: string;
  /** @param file null for the running program, with the C library */
  load(file: string | null): Library;
  address(memory: unknown): number | bigint;
  /** Of this thread's last call. */
  errno(): number;
}
