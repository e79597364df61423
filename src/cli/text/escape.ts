/** Texts that others have written, such as names of models, as a terminal may have them. */

/** The text with each control character as `\x1b`, say: a name must not move the cursor. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, "0")}`;
  });
}
