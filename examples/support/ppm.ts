/** Images in files: PPM and PGM, binary (P6, P5), as `convert picture.png picture.ppm` writes them. */
import { closeSync, openSync, readSync } from "node:fs";
import { WrongOption } from "./options.ts";

export interface Head {
  readonly width: number;
  readonly height: number;
  /** Bytes of a pixel: 3 of P6, 1 of P5. */
  readonly channels: 1 | 3;
  /** Where the pixels begin. */
  readonly offset: number;
}

/** Longer comments are not expected. */
const HEAD_BYTES = 4096;

/** What a file says of its image. @throws WrongOption if it cannot be read, or has another format */
export function headOf(file: string): Head {
  const head = Buffer.alloc(HEAD_BYTES);
  read(file, head, 0);
  const found = /^P([56])\s(?:#.*\n|\s)*(\d+)(?:\s|#.*\n)+(\d+)(?:\s|#.*\n)+255\s/.exec(head.toString("latin1"));
  const [width, height] = [Number(found?.[2]), Number(found?.[3])];
  if (found === null || !(width > 0 && height > 0))
    throw new WrongOption(
      `--file: expected a PPM or PGM image (P6 or P5, 255 values), got ${file}; convert others: convert in.png out.ppm`,
    );
  return { width, height, channels: found[1] === "6" ? 3 : 1, offset: found[0].length };
}

/** Some rows of an image, as red, green and blue. @throws WrongOption if the file ends before */
export function readRows(file: string, head: Head, first: number, end: number, into: Uint8Array): void {
  const { width, channels, offset } = head;
  const bytes = channels === 3 ? into : new Uint8Array(width * (end - first));
  if (read(file, bytes, offset + channels * width * first) < bytes.length)
    throw new WrongOption(`--file: expected ${head.height} rows of ${width} pixels, got fewer in ${file}`);
  if (channels === 1) for (let i = 0; i < into.length; i++) into[i] = bytes[Math.floor(i / 3)];
}

/** @returns how many bytes there were, up to the length of the array */
function read(file: string, into: Uint8Array, position: number): number {
  try {
    const open = openSync(file, "r");
    try {
      let done = 0;
      // one call reads less than 2 GiB
      for (let got = -1; got !== 0 && done < into.length; done += got)
        got = readSync(open, into, done, Math.min(into.length - done, 2 ** 30), position + done);
      return done;
    } finally {
      closeSync(open);
    }
  } catch (cause) {
    throw new WrongOption(`--file: expected a file that can be read, got ${(cause as Error).message}`, {
      cause,
    });
  }
}
