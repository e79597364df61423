/** A process that makes loops in the world that the library keeps, and does not close it. */
import { defaultWorld, forEach, functionsOf, mapEach, reduceEach, share } from "../../../src/loop.ts";

const { square, count } = functionsOf<typeof import("./bodies.program.ts")>(
  new URL("./bodies.program.js", import.meta.url),
);
const counts = share(Int32Array, 100);
await Promise.all([forEach(100, count, { args: { counts } }), forEach(50, count, { args: { counts } })]);
const before = await defaultWorld();
const sum = await reduceEach(10, square, "sum");
await before.close();
const squares = await mapEach(5, square);
const isNew = (await defaultWorld()) !== before;
console.log(JSON.stringify({ counts: counts.reduce((a, b) => a + b), sum, squares, isNew }));
