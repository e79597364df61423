/** The code of a block as JavaScript, which any Node.js runs. */
import { transformSync } from "esbuild";
import type { Block } from "./blocks.ts";

export const javascriptOf = ({ language, text }: Block): string =>
  language === "ts" ? transformSync(text, { loader: "ts", target: "node20.19" }).code : text;
