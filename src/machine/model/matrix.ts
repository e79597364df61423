/** The check of a cost matrix: a plain loop, because 512 PEs have 262 144 numbers per matrix. */
import { ModelError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** Largest cost: sums of costs must stay finite. */
const MOST = 1e100;

/**
 * Checks that a value is `size` rows of `size` numbers from 0 to 1e100 with a zero diagonal.
 * @throws ModelError whose path is `field.row.column`, `field.row` or `field`
 */
export function checkMatrix(field: string, value: unknown, size: number): void {
  const fail = (path: string, expected: string, found: unknown) => {
    throw new ModelError(path, `${path}: expected ${expected}, got ${shortText(found)}`);
  };
  const rows = checkList(field, "rows", value, size);
  // by index: forEach would skip the holes of a sparse list
  for (let i = 0; i < size; i++) {
    const numbers = checkList(`${field}.${i}`, "numbers", rows[i], size);
    for (let j = 0; j < size; j++) {
      const number = numbers[j];
      if (typeof number !== "number" || !(number >= 0 && number <= MOST)) {
        const huge = Number.isFinite(number) && (number as number) > MOST;
        fail(`${field}.${i}.${j}`, huge ? "a number from 0 to 1e100" : "a number >= 0", number);
      }
    }
    if (numbers[i] !== 0) fail(`${field}.${i}.${i}`, "0 on the diagonal", numbers[i]);
  }
}

/** Checks that a value is a number from 0 to 1e100 for each PE. @throws ModelError with the path, as `relay.3` */
export function checkRelay(value: unknown, size: number): void {
  for (const [pe, time] of checkList("relay", "numbers", value, size).entries()) {
    if (typeof time === "number" && time >= 0 && time <= MOST) continue;
    const path = `relay.${pe}`;
    throw new ModelError(path, `${path}: expected a number from 0 to 1e100, got ${shortText(time)}`);
  }
}

/** Checks for a list with an entry for each PE: rows of a matrix, or numbers of a row. @throws ModelError */
export function checkList(path: string, what: "rows" | "numbers", list: unknown, size: number): unknown[] {
  if (Array.isArray(list) && list.length === size) return list;
  const found = Array.isArray(list) ? String(list.length) : shortText(list);
  throw new ModelError(path, `${path}: expected ${size} ${what}, one per PE, got ${found}`);
}
