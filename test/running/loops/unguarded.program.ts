/** A program in one file that makes a loop wherever it is imported. */
import { functionsOf, mapEach } from "../../../src/loop.ts";

export const square = (i: number): number => i * i;

const own = functionsOf<{ square(i: number): number }>(import.meta.url);
console.log(await mapEach(3, own.square));
