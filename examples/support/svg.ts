/** Pictures as SVG, readable on light and on dark ground: lines and words take the colour that the reader's system prefers. */

/** Colours that differ in lightness too, and can be told apart on both grounds. */
export const COLOURS: readonly string[] = [
  ...["#4477aa", "#ee6677", "#228833", "#b8860b", "#2f9fc4", "#aa3377", "#808080", "#e07b39"],
];

const STYLE =
  "<style>svg{color:#222;font:12px system-ui,sans-serif}text{fill:currentColor}" +
  // words over lines and dots have a rim in the colour of the ground
  ".over{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}" +
  "@media(prefers-color-scheme:dark){svg{color:#ddd}.over{stroke:#111}}</style>";

/** A whole picture. @param title what it shows, also for those who do not see it @param content elements, y downwards */
export const svg = (width: number, height: number, title: string, content: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>${STYLE}`,
    ...content,
    "</svg>\n",
  ].join("\n");

/** An element. @throws Error for an attribute that is not a finite number or a word */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (typeof value === "string") return ` ${key}="${escaped(value)}"`;
    if (!Number.isFinite(value)) throw new Error(`${name} ${key}: expected a finite number, got ${value}`);
    return ` ${key}="${Number(value.toFixed(2))}"`;
  });
  return `<${name}${written.join("")}${content === "" ? "/>" : `>${content}</${name}>`}`;
}

/** Words at a place. @param anchor which part of them is there */
export const words = (x: number, y: number, text: string, anchor: "start" | "middle" | "end" = "start"): string =>
  element("text", { x, y, "text-anchor": anchor }, escaped(text));

/** A colour from blue over white to red. @param x from 0 to 1 */
export function heat(x: number): string {
  const t = Math.min(1, Math.max(0, x));
  const mix = (a: number, b: number, s: number) => Math.round(a + (b - a) * s);
  const [from, to, s] = t < 0.5 ? [COLD, PALE, 2 * t] : [PALE, HOT, 2 * t - 1];
  return `#${from.map((a, i) => mix(a, to[i], s).toString(16).padStart(2, "0")).join("")}`;
}
const COLD = [33, 102, 172];
const PALE = [247, 247, 220];
const HOT = [178, 24, 43];

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
