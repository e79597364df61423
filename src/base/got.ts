/** What came instead of what was expected, short enough for an error message. */
export function got(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return String(value); // NaN and Infinity are null in JSON
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
