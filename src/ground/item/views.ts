/** Typed arrays of every kind over one memory, by the names of the scalars. */
export interface Views {
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
  readonly i16: Int16Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
}

/** Views of a memory, which must not move. */
export function viewsOf(memory: ArrayBufferLike): Views {
  return {
    i8: new Int8Array(memory),
    u8: new Uint8Array(memory),
    i16: new Int16Array(memory),
    u16: new Uint16Array(memory),
    i32: new Int32Array(memory),
    u32: new Uint32Array(memory),
    i64: new BigInt64Array(memory),
    u64: new BigUint64Array(memory),
    f32: new Float32Array(memory),
    f64: new Float64Array(memory),
  };
}
