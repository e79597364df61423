/**
 * A picture of a matrix as a PNG file in a data: URI, a pixel for each cell: for matrices too large for a mark each.
 *
 * Source: the PNG specification, W3C, third edition: signature, IHDR, PLTE, tRNS, IDAT, IEND; colour type 3 (palette).
 */
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param cells by row: indexes into the palette @param palette up to 255 `#rrggbb`; the next is transparent */
export function pngOf(cells: Uint8Array, width: number, palette: readonly string[]): string {
  const height = cells.length / width;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each pixel, of a palette
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from([...palette, "#000000"].map((hex) => hex.slice(1)).join(""), "hex");
  const alpha = Buffer.alloc(palette.length + 1, 255);
  alpha[palette.length] = 0;
  // each row begins with the number of its filter: none
  const rows = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++)
    rows.set(cells.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const chunks = [
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("tRNS", alpha),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return `data:image/png;base64,${Buffer.concat([SIGNATURE, ...chunks]).toString("base64")}`;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
