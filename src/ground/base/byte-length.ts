/** The true properties of a typed array. A subclass may override its `length`. */
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const getter = (name: PropertyKey): unknown => Object.getOwnPropertyDescriptor(TypedArray, name)?.get;
const read = getter("length") as () => number;
const readBytes = getter("byteLength") as () => number;
const readOffset = getter("byteOffset") as () => number;
const readBuffer = getter("buffer") as () => ArrayBufferLike;
const readName = getter(Symbol.toStringTag) as () => string | undefined;

const dataViewGetter = (name: string): unknown => Object.getOwnPropertyDescriptor(DataView.prototype, name)?.get;
const ofDataView = {
  bytes: dataViewGetter("byteLength") as () => number,
  offset: dataViewGetter("byteOffset") as () => number,
  buffer: dataViewGetter("buffer") as () => ArrayBufferLike,
};

/** The length of a Uint8Array; -1 for any other value, and for an array whose buffer was detached. */
export function lengthOf(x: unknown): number {
  if (!(ArrayBuffer.isView(x) && x instanceof Uint8Array)) return -1;
  const length = read.call(x);
  return length === 0 && isDetached(x) ? -1 : length;
}

/** How many bytes any typed array has; 0 of a detached one. */
export const bytesIn = (array: ArrayBufferView): number => readBytes.call(array);

/** -1 if its buffer was detached. */
function bytesOfDataView(x: DataView): number {
  try {
    return ofDataView.bytes.call(x);
  } catch {
    return -1;
  }
}

/** How many bytes a typed array or a DataView has; -1 for any other value, and for one whose buffer was detached. */
export function viewBytes(x: unknown): number {
  if (!ArrayBuffer.isView(x)) return -1;
  if (readName.call(x) === undefined) return bytesOfDataView(x as DataView);
  const bytes = bytesIn(x);
  return bytes === 0 && isDetached(x as Uint8Array) ? -1 : bytes;
}

/** The bytes of any typed array or DataView as an array. */
export const bytesUnder = (view: ArrayBufferView): Uint8Array =>
  readName.call(view) === undefined
    ? new Uint8Array(ofDataView.buffer.call(view), ofDataView.offset.call(view), ofDataView.bytes.call(view))
    : new Uint8Array(readBuffer.call(view), readOffset.call(view), readBytes.call(view));

/** Bytes of a typed array of this name, such as `Float64Array`; -1 for any other value, and a detached one. */
export function byteLengthOf(x: unknown, name: string): number {
  if (readName.call(x) !== name) return -1;
  const bytes = bytesIn(x as ArrayBufferView);
  return bytes === 0 && isDetached(x as Uint8Array) ? -1 : bytes;
}

/** Whether an empty array is empty because its buffer was detached or shrunk. */
export function isDetached(x: ArrayLike<unknown> & { at(index: number): unknown }): boolean {
  try {
    x.at(0);
  } catch {
    return true;
  }
  return false;
}
