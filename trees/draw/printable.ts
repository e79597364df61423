/** Names in a form that drawings can contain: XML 1.0 does not allow control characters, and DOT cannot escape them. */

/** The text with a space for each control character and each unpaired surrogate. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, " ");
}
