/** Documents in JSON with one broken field, to see whether a reader and a schema refuse the same ones. */
import * as fc from "fast-check";

/** A document, or a part of one. */
export type Loose = Record<string, unknown>;

/** The names from the top of a document to one of its fields. */
export type Path = readonly string[];
/** Of all fields of a document. */
export const pathsOf = (value: unknown, path: Path = []): Path[] =>
  typeof value !== "object" || value === null
    ? [path]
    : [
        ...(path.length === 0 ? [] : [path]),
        ...Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name])),
      ];

/** In place of a field; undefined takes it away. */
export const wrong: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<unknown>(...["", "x", "NaN", "Infinity", "-1", "1e3", "bogus"]) },
  {
    weight: 8,
    arbitrary: fc.constantFrom<unknown>(undefined, null, true, false, [], {}, [[]], [null], ["x"]),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom<unknown>(-1, -0, 0, 0.5, 1, 3, 5, 2 ** 28 + 1, 2 ** 53, 1e308, -1e308, 5e-324),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(new Array(5000).fill(1), new Array(5000).fill("hops")) },
  { weight: 4, arbitrary: fc.jsonValue() },
);

/** A copy in which one field has another value. */
export function broken<Document>(document: Document, path: Path, value: unknown): Document {
  const copy = structuredClone(document);
  const owner = path.slice(0, -1).reduce((part, name) => part[name] as Loose, copy as Loose);
  const name = path.at(-1) as string;
  // as JSON has it: -0 is 0 there
  if (value !== undefined) owner[name] = JSON.parse(JSON.stringify(value));
  else if (Array.isArray(owner)) owner.splice(Number(name), 1);
  else delete owner[name];
  return copy;
}
