/**
 * Parts of the package that few programs need, in calls that cannot wait for them: the first such call loads its part,
 * at once.
 *
 * Node.js can do that by `require`, from 20.19 and 22.12 on. Where it cannot, before these and in the bundle of a user,
 * which has other files, a PE's thread loads all parts before it runs the program; so it does where a compiler has
 * taken over `require`: tsx takes a second for what is required first.
 */
import { fileURLToPath } from "node:url";
import { isBundled, requireFrom, sibling } from "../package-file.ts";
import { shield } from "../shield.ts";

const canRequire = !isBundled && (process.features as { readonly require_module?: boolean }).require_module === true;

const parts: Late<object>[] = [];

/** A part: what a module exports. */
export class Late<Part extends object> {
  /** Its file; null if that cannot be loaded at once. */
  readonly #file: string | null;
  readonly #load: () => Promise<Part>;
  #part: Part | undefined;

  /**
   * @param path of the module, as for {@link sibling}
   * @param load imports it
   */
  constructor(path: string, base: string, load: () => Promise<Part>) {
    this.#file = canRequire && !base.endsWith(".ts") ? fileURLToPath(sibling(path, base)) : null;
    this.#load = load;
    parts.push(this);
  }

  get now(): Part {
    if (this.#part === undefined) {
      if (this.#file === null) throw new Error("expected that loadParts() was awaited when this thread began");
      const file = this.#file;
      // Node 20 ends the process where it is to instantiate a module in a thread that is being terminated
      this.#part = shield(() => requireFrom(file)(file) as Part);
    }
    return this.#part;
  }

  /** Loads it if that cannot, or should not, be done later. */
  async prepare(): Promise<void> {
    if (this.#file === null || isTakenOver(this.#file)) this.#part ??= await this.#load();
  }
}

/** Whether something compiles what is required: Node.js itself knows no `.tsx`. */
const isTakenOver = (file: string): boolean => Object.hasOwn(requireFrom(file).extensions, ".tsx");

/** Loads what a thread that becomes a PE should not load later. */
export async function loadParts(): Promise<void> {
  for (const part of parts) await part.prepare();
}
