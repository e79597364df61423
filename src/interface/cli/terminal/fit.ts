/** The option `--fit` of commands that take a plan. */
import { Option } from "commander";

export const fitOption = (): Option =>
  new Option(
    "--fit <how>",
    "what a plan for another world is: exact, an error; adapt, planned again from its loads (default: exact)",
  ).choices(["exact", "adapt"]);
