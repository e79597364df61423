/** Makes value conveyors: which kind of values the options say. */

import { UsageError } from "../../../ground/base/errors.ts";
import { is, optionsOf } from "../../../ground/base/options.ts";
import { isAsync } from "../../../ground/base/promise.ts";
import { ARRAY_CONSTRUCTORS, type ArrayType } from "../../../ground/memory/kernels/elements.ts";
import type { Sites } from "../../../pe/seat.ts";
import { CONVEYOR_FIELDS, type ConveyorOptions, checkElasticOptions } from "../../../route/geometry/options.ts";
import { ARRAY_TYPES, arrayKind, CLONED, pairKind, type ValueKind } from "../belts/value-kinds.ts";
import { ValueBelt } from "../belts/values.ts";
import { elasticFrame } from "./make-conveyor.ts";

/** The functions that make bytes of values, and values of bytes. @typeParam V the type of the values */
export interface SerializePair<V> {
  /**
   * Makes bytes of a value; called by push. The bytes are copied, so it may return the same array every time. It must
   * not wait.
   * @default v8.serialize of node:v8: what structured clone clones
   */
  readonly serialize: (value: V) => Uint8Array;
  /**
   * Makes the value of its bytes, which are a copy of its own; called when the value is read. Given with `serialize`,
   * or not at all. @default v8.deserialize
   */
  readonly deserialize: (bytes: Uint8Array) => V;
}

/** Options of a conveyor of values that are serialized; the same at all PEs. @typeParam V the type of the values */
export type SerializedOptions<V> = ConveyorOptions & { readonly of?: undefined } & (
    | SerializePair<V>
    | { readonly serialize?: undefined; readonly deserialize?: undefined }
  );

/** Options of a conveyor of typed arrays; the same at all PEs. @typeParam A the type of the arrays */
export interface ArrayValueOptions<A> extends ConveyorOptions {
  /** The constructor of the typed arrays, such as `Float64Array`. They may have any length. */
  readonly of: { readonly prototype: A; readonly BYTES_PER_ELEMENT: number };
  readonly serialize?: undefined;
  readonly deserialize?: undefined;
}

/** Options of a value conveyor. */
export type ValueOptions<V> = SerializedOptions<V> | ArrayValueOptions<V>;

interface KindOptions {
  readonly of: ArrayType | undefined;
  readonly serialize: ((value: unknown) => Uint8Array) | undefined;
  readonly deserialize: ((bytes: Uint8Array) => unknown) | undefined;
}

const VALUES = optionsOf<ConveyorOptions & KindOptions>({
  ...CONVEYOR_FIELDS,
  of: is(ARRAY_TYPES, (x) => (ARRAY_CONSTRUCTORS as readonly unknown[]).includes(x)),
  serialize: is("a function (value) => bytes that is not async", (x) => typeof x === "function" && !isAsync(x)),
  deserialize: is("a function (bytes) => value", (x) => typeof x === "function"),
});

/** Makes the belt of a value conveyor. @throws UsageError for invalid options; else as an elastic one */
export function makeValues<V>(context: Sites, options: ValueOptions<V>): ValueBelt<V> {
  checkElasticOptions(options as ConveyorOptions, "valueConveyor", VALUES);
  const { of, serialize, deserialize, ...rest } = options as ConveyorOptions & KindOptions;
  const kind = kindOf({ of, serialize, deserialize }) as ValueKind<V>;
  return new ValueBelt<V>(elasticFrame(context, rest, 1, kind.terms, kind.name), kind);
}

/** The kind of values that the options say. */
function kindOf({ of, serialize, deserialize }: KindOptions): unknown {
  if (of !== undefined) {
    if (serialize === undefined && deserialize === undefined) return arrayKind(of);
    throw new UsageError(
      "valueConveyor: expected of, or serialize and deserialize, got both. Arrays are not serialized: leave one out.",
    );
  }
  if (serialize === undefined && deserialize === undefined) return CLONED;
  if (serialize !== undefined && deserialize !== undefined) return pairKind(serialize, deserialize);
  const missing = serialize === undefined ? "serialize" : "deserialize";
  throw new UsageError(
    `valueConveyor: expected serialize and deserialize together, got no ${missing}. Give both, or neither for those of node:v8.`,
  );
}
