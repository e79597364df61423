/** What is wrong with a text as XML, as far as pictures need it: tags that match, attributes in quotes; undefined if nothing is. */
export function faultIn(xml: string): string | undefined {
  const open: string[] = [];
  let at = 0;
  for (const found of xml.matchAll(/<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<&]*(?:&\w+;[^"<&]*)*")*)\s*(\/?)>/g)) {
    const [tag, closes, name, , isEmpty] = found;
    const between = xml.slice(at, found.index);
    if (/<|&(?!\w+;)/.test(between)) return `no tag: ${between.slice(0, 80)}`;
    at = found.index + tag.length;
    if (closes) {
      if (open.pop() !== name) return `</${name}> ends no <${name}>`;
    } else if (!isEmpty) open.push(name);
  }
  if (xml.slice(at).trim() !== "") return `behind the last tag: ${xml.slice(at, at + 80)}`;
  return open.length > 0 ? `<${open.pop()}> has no end` : undefined;
}
