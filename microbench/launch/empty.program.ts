/** PEs that return at once. They import the library as a program does that has installed it. */
import { sibling } from "../../src/ground/base/package-file.ts";
import type * as Library from "../../src/index.ts";

const { spmd }: typeof Library = await import(sibling("../../src/index.js", import.meta.url).href);

const program: Library.Spmd = spmd((): number[] => []);
export default program;
