import { CommandOutput } from "../../../../src/interface/cli/terminal/output.ts";

/** Keeps what is printed. */
export class Kept extends CommandOutput {
  text = "";
  override print(text: string): void {
    this.text += `${text}\n`;
  }
}
