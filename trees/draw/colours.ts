/** Colours of domains in drawings: light enough for black text, apart in hue (after ColorBrewer Set3). */

const colours = [
  "#8dd3c7",
  "#fdb462",
  "#bebada",
  "#fb8072",
  "#80b1d3",
  "#b3de69",
  "#fccde5",
  "#ffed6f",
  "#d9d9d9",
  "#bc80bd",
];

/** The colour of a domain; they repeat after ten. */
export function domainColour(domain: number): string {
  return colours[domain % colours.length] as string;
}
