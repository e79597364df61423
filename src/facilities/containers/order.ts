/** An order of keys that is the same at every PE and for any number of them. */

/**
 * Numbers and bigints by value, NaN last; strings by their code units; strings of bytes by their bytes; lists and
 * objects by their parts; of different types, by the names of the types.
 * @returns negative, 0 or positive, as for `sort`
 */
export function compareKeys(a: unknown, b: unknown): number {
  const [typeA, typeB] = [typeOf(a), typeOf(b)];
  if (typeA !== typeB) return typeA < typeB ? -1 : 1;
  if (typeA === "list") return compareLists(a as ArrayLike<unknown>, b as ArrayLike<unknown>);
  if (typeA === "object") return compareLists(partsOf(a as object), partsOf(b as object));
  if ((a as number) < (b as number)) return -1;
  if ((a as number) > (b as number)) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

function typeOf(x: unknown): string {
  if (typeof x !== "object") return typeof x;
  if (x === null) return "null";
  return Array.isArray(x) || ArrayBuffer.isView(x) ? "list" : "object";
}

const partsOf = (x: object): unknown[] =>
  Object.entries(x)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat();

function compareLists(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareKeys(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
