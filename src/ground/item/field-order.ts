/**
 * The order of an object type's properties.
 *
 * TypeScript keeps the order of an object type's properties, but `keyof` forgets it: the members of a union are sorted
 * by what the program mentions first, or by name. The order is found here without a union. One function type for each
 * property, in the place of a parameter, is inferred as the intersection of all in the order of the properties; it has
 * the overloads `() => "key"` and `() => "value"` in that order, and overloads are matched from the last. TypeScript
 * 5.2 to 7 do so (test/types). An object that is spread has another order to TypeScript than at run time: `struct`
 * takes several objects.
 */

/** Names of a struct's fields in order: a tuple; beyond 128 fields an array. */
export type FieldNames<F> = string extends keyof F
  ? readonly string[]
  : Extract<NamesAfter<F, readonly []>, readonly string[]>;

/** Names of the fields of several objects, one after the other. */
export type NamesOfAll<
  Parts extends readonly object[],
  Found extends readonly string[] = readonly [],
> = Parts extends readonly [infer F extends object, ...infer Rest extends readonly object[]]
  ? NamesOfAll<Rest, readonly [...Found, ...FieldNames<F>]>
  : Parts extends readonly []
    ? Found
    : readonly string[];

/** The fields of several objects. */
export type FieldsOfAll<Parts extends readonly object[]> = Parts extends readonly [infer F extends object]
  ? F
  : Parts extends readonly [infer F extends object, ...infer Rest extends readonly object[]]
    ? Flat<F & FieldsOfAll<Rest>>
    : Parts[number];

type Flat<F> = { readonly [Name in keyof F]: F[Name] };

/** Finds the last 16 names that are not found yet, until there are none. `Found[112]` exists: it takes too long. */
type NamesAfter<F, Found extends readonly unknown[]> =
  Exclude<keyof F, Found[number]> extends never
    ? Found
    : Found extends { readonly 112: unknown }
      ? readonly (keyof F)[]
      : LastNames<Pad & Overloads<F, Found>> extends infer Names extends readonly [unknown, ...unknown[]]
        ? NamesAfter<F, readonly [...Names, ...Found]>
        : readonly (keyof F)[];

/** Overloads, one for each field that is not found yet, that return its name. */
type Overloads<F, Found extends readonly unknown[]> = {
  [Name in keyof F as Exclude<Name, Found[number]>]: (x: () => Name) => void;
} extends { [Name in keyof F as Exclude<Name, Found[number]>]: (x: infer All) => void }
  ? All
  : never;

/** As many overloads as {@link LastNames} matches, so that there are enough. */
interface Pad {
  (): [0];
  (): [1];
  (): [2];
  (): [3];
  (): [4];
  (): [5];
  (): [6];
  (): [7];
  (): [8];
  (): [9];
  (): [10];
  (): [11];
  (): [12];
  (): [13];
  (): [14];
  (): [15];
}

// biome-ignore format: a table
type LastNames<All> = All extends {
  (): infer A; (): infer B; (): infer C; (): infer D; (): infer E; (): infer F; (): infer G; (): infer H;
  (): infer I; (): infer J; (): infer K; (): infer L; (): infer M; (): infer N; (): infer O; (): infer P;
} ? WithoutPad<[A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P]> : never;

type WithoutPad<Names extends readonly unknown[]> = Names extends [readonly unknown[], ...infer Rest]
  ? WithoutPad<Rest>
  : Names;
