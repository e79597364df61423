/**
 * An array with an allocation of its own. V8 stores short arrays inside its movable heap objects, and compiled code
 * then reloads their address at each access.
 */
export const fixedArray = (length: number): Uint32Array => new Uint32Array(new ArrayBuffer(4 * length));
