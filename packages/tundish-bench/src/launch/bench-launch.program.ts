/** The PEs of `bench launch`. They import the library as a program does that has installed it. */

import { sibling } from "../../../../src/ground/base/package-file.ts";
import type * as Library from "../../../../src/index.ts";
import type { Work } from "./launch-jobs.ts";
import { WORKS } from "./works.ts";

const { spmd }: typeof Library = await import(sibling("../../../../src/index.js", import.meta.url).href);

const program: Library.Spmd = spmd((pe, { name, size }: Work): number[] => {
  const [first, end] = [pe.rank, pe.rank + 1].map((rank) => Math.floor((size * rank) / pe.size));
  return WORKS[name]({ size, first, end }, (values) => pe.allreduce(values, "sum"));
});
export default program;
