/** Escapes texts written by others, such as names of models, for the terminal. */

/** The text with each control character escaped, for example as `\x1b`, so that it cannot move the cursor. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, "0")}`;
  });
}
