/**
 * Code with a name for stacks and debuggers. Nowhere does a text have that comment whole: Node would take it for one
 * about the file that the text is in.
 * @param name a URL
 */
export const namedCode = (code: string, name: string): string => [code, "\n//# source", "URL=", name].join("");
