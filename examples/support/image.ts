/** Small images inside of SVG pictures. */
import { crc32, deflateSync } from "node:zlib";
import { element, heat } from "./svg.ts";

/** A square of many cells in colours from blue to red. @param side of the square @param of a cell: its value, from 0 to 1 */
export function heatMap(cells: number, side: number, of: (column: number, row: number) => number): string {
  const pixels = new Uint8Array(3 * cells * cells);
  for (let i = 0; i < cells * cells; i++) {
    const rgb = Number.parseInt(heat(of(i % cells, Math.floor(i / cells))).slice(1), 16);
    pixels.set([rgb >> 16, rgb >> 8, rgb], 3 * i);
  }
  return element("image", {
    href: thumbnail(pixels, cells, cells),
    width: side,
    height: side,
    style: "image-rendering:pixelated",
  });
}

/**
 * An image as a data URL (PNG), made smaller by leaving out pixels.
 * @param pixels red, green and blue, one byte each
 * @param most pixels of a row that stay
 */
export function thumbnail(pixels: Uint8Array, width: number, most: number): string {
  const step = Math.ceil(width / most);
  const columns = Math.ceil(width / step);
  const rows = Math.ceil(pixels.length / 3 / width / step);
  const lines = Buffer.alloc(rows * (1 + 3 * columns)); // before each row stands its filter: none
  for (let y = 0, to = 0; y < rows; y++) {
    to++;
    for (let x = 0; x < columns; x++, to += 3) {
      const at = 3 * step * (y * width + x);
      lines.set(pixels.subarray(at, at + 3), to);
    }
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]); // 8 bits a channel, RGB
  head.writeUInt32BE(columns, 0);
  head.writeUInt32BE(rows, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(lines)), chunk("IEND", Buffer.alloc(0))];
  return `data:image/png;base64,${Buffer.concat([signature, ...parts]).toString("base64")}`;
}

/** A part of a PNG file: length, name and content, checksum. */
function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
