/**
 * The output of the CLI: data to stdout, messages to stderr.
 *
 * Colour is used on terminals only, as NO_COLOR, FORCE_COLOR and the stream determine (`util.styleText` reads all
 * three), and never replaces a word.
 */
import { styleText } from "node:util";

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

/** A colour or weight of text. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** The two streams of a command. */
export class CommandOutput {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #data: NodeJS.WriteStream["write"];
  #isMute = false;

  constructor({ json = false, quiet = false, verbose = false }: CommonOptions = {}) {
    this.json = json;
    this.quiet = quiet;
    this.verbose = verbose;
    this.#data = process.stdout.write.bind(process.stdout);
  }

  /** Writes data and a line feed. */
  print(text: string): void {
    if (!this.#isMute) this.#data(`${text}\n`);
  }

  /** Writes a section of a text report: its title, its lines, an empty line. */
  section(title: string, text: string): void {
    this.print(`${this.style("bold", title)}\n${text.trimEnd()}\n`);
  }

  /** Writes the one document of `--json`. */
  document(document: unknown): void {
    this.print(JSON.stringify(document, null, 2));
  }

  /** Writes a message line; none with `--quiet`. */
  note(text: string): void {
    if (!this.quiet && !this.#isMute) process.stderr.write(`${text}\n`);
  }

  /** Text for stdout with a style, or without one if stdout has no colours. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: process.stdout, validateStream: true });
  }

  /** From now on nothing is written, neither data nor messages: another process of the job prints. */
  mute(): void {
    this.#isMute = true;
  }

  /** Whether stdout has colours. */
  get hasColours(): boolean {
    return this.style("red", "x") !== "x";
  }

  /**
   * From now on all other output to stdout, for example of a user's program, is written to stderr, so that stdout
   * contains only a `--json` document.
   */
  keepStdoutForData(): void {
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }
}
