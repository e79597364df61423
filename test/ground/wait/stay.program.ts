/** A PE that returns a value, or never. */
import { type PE, type Spmd, spmd } from "../../../src/index.ts";

const program: Spmd<{ value: unknown }, unknown> = spmd((_: PE, { value }: { value: unknown }) =>
  value === "stay" ? new Promise(() => setInterval(() => {}, 1000)) : value,
);
export default program;
