/** Names as drawings can carry them: XML 1.0 has no control characters, DOT no way to write them. */

/** The text with a space for each control character and each half of a surrogate pair. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, " ");
}
