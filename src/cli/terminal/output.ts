/**
 * Where the CLI writes: data to stdout, talk to stderr.
 *
 * Colour is for a terminal alone, as NO_COLOR, FORCE_COLOR and the stream itself decide
 * (`util.styleText` reads all three), and never stands without a word that says the same.
 */
import { styleText } from "node:util";

/** The options that every command has. */
export interface CommonOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

/** A colour or weight of text. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** The two streams as one command uses them. */
export class Output {
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

  /** Writes data and a line feed behind it. */
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

  /** Writes a line of talk; silent with `--quiet`. */
  note(text: string): void {
    if (!this.quiet && !this.#isMute) process.stderr.write(`${text}\n`);
  }

  /** Text for stdout in a style, or as it is where stdout takes none. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: process.stdout, validateStream: true });
  }

  /** From now on nothing is written, neither data nor talk: another process of the job speaks for this one. */
  mute(): void {
    this.#isMute = true;
  }

  /** Whether stdout takes colours. */
  get hasColours(): boolean {
    return this.style("red", "x") !== "x";
  }

  /**
   * From now on whatever else is written to stdout, such as what a user's program logs, goes to
   * stderr, so that a `--json` document stays alone on stdout.
   */
  keepStdoutForData(): void {
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }
}
