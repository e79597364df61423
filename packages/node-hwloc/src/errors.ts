/** The errors of this package: one base class, and a fixed `code` to match on. */

/** The fixed error codes. */
export type HwlocErrorCode =
  /** koffi or libhwloc 2.x cannot be used here: {@link NoHwlocError}. */
  | "ERR_HWLOC_MISSING"
  /** A call had invalid arguments, or was made where it is not allowed: {@link HwlocUsageError}. */
  | "ERR_HWLOC_USAGE"
  /** libhwloc cannot load the XML, the description, or the topology of this machine. */
  | "ERR_HWLOC_SOURCE"
  /** A binding was refused, or cannot be read. */
  | "ERR_HWLOC_BINDING"
  /** A topology cannot be written as XML. */
  | "ERR_HWLOC_EXPORT"
  /** A text is no list of CPUs. */
  | "ERR_HWLOC_CPU_LIST";

/** The fields of an error beside its message. */
export interface HwlocErrorOptions extends ErrorOptions {
  /** Name of the operating system's error. */
  readonly systemError?: string | undefined;
}

/** Base of all errors of this package: libhwloc, or the operating system below it, has refused something. */
export class HwlocError extends Error {
  /** The cause, for programs to match on. */
  readonly code: HwlocErrorCode;
  /** Name of the operating system's error, such as EINVAL or EPERM; undefined where it gave none. */
  readonly systemError: string | undefined;
  /** The name of its class. A field, as what is inherited from a frozen Error.prototype cannot be assigned. */
  override name: string;

  constructor(code: HwlocErrorCode, message: string, options?: HwlocErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.systemError = options?.systemError;
  }
}

/** koffi or libhwloc is not installed, or its version is not supported. */
export class NoHwlocError extends HwlocError {
  constructor(message: string, options?: HwlocErrorOptions) {
    super("ERR_HWLOC_MISSING", message, options);
  }
}

/** A call had invalid arguments, or was made where it is not allowed. */
export class HwlocUsageError extends HwlocError {
  constructor(message: string, options?: HwlocErrorOptions) {
    super("ERR_HWLOC_USAGE", message, options);
  }
}
