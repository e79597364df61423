/**
 * The process's stdin, for PEs. The first PE of a node has it as its `process.stdin`; the stream of each other one
 * fails at the first read.
 *
 * The stream of the PE asks for every chunk through a port, and the thread that launched reads its own `process.stdin`
 * only while a chunk is asked for. So a program that launches and reads its stdin keeps it, what no PE reads stays
 * unread and keeps no process alive, and who writes faster than the PE reads has to wait.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type Detail, type EncodedError, encodeThrown } from "../../../ground/base/error-data.ts";
import { StateError } from "../../../ground/base/errors.ts";

/** The answer to a request: the next bytes, null at the end, or why there are none. */
export type StdinAnswer = { readonly bytes: Uint8Array | null } | { readonly error: EncodedError };

/** As much of why stdin cannot be read as its reader is told. */
const DETAIL: Detail = { depth: 4, count: 16, bytes: 4096, stack: 8192, words: 8192 };

/** Whose PE reads the stdin of this thread. */
let reader: LentStdin | null = null;

/** The stdin of this thread, lent to a PE. */
export class LentStdin {
  /** For the thread of the PE. */
  readonly port: MessagePort;
  readonly #own: MessagePort;
  #isAsked = false;
  #isKept = true;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    port1.on("message", () => this.#asked());
    // the thread keeps the process alive, until its world does not any more
    port1.unref();
  }

  /** Whether reading keeps the process alive. */
  keep(keeps: boolean): void {
    this.#isKept = keeps;
    if (reader !== this) return;
    // a paused stream of Node.js reads ahead, which keeps the process alive, until it is paused once more
    if (!keeps) process.stdin.resume().pause();
    else if (this.#isAsked) process.stdin.resume();
  }

  /** The thread has exited: what has not been read is for others. */
  end(): void {
    this.#own.close();
    this.#leave();
  }

  #asked(): void {
    this.#isAsked = true;
    try {
      if (reader !== this && !this.#take()) this.#answer({ bytes: null });
      else if (this.#isKept) process.stdin.resume();
    } catch (error) {
      this.#answer({ error: encodeThrown(error, DETAIL) });
    }
  }

  /** @returns whether there is anything to read. @throws StateError if somebody else reads; why stdin cannot be read */
  #take(): boolean {
    const { stdin } = process;
    if (stdin.errored) throw stdin.errored;
    if (stdin.readableEnded || stdin.destroyed) return false;
    const isRead = stdin.readableFlowing || stdin.listenerCount("readable") + stdin.listenerCount("data") > 0;
    if (reader !== null || isRead) {
      const who = reader === null ? "the program that launched this world" : "a PE of another world";
      throw new StateError(
        `process.stdin: expected that nobody else reads the stdin of this process, got ${who}, which reads it. ` +
          "Let one of them read, and pass on what it has read, as args, or by a broadcast.",
      );
    }
    reader = this;
    stdin.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError);
    return true;
  }

  #leave(): void {
    if (reader !== this) return;
    reader = null;
    process.stdin.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onError).pause();
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    process.stdin.pause();
    // text if the program that launched has set an encoding
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, process.stdin.readableEncoding ?? "utf8") : chunk;
    // a copy: sending a part of a buffer sends all of it
    this.#answer({ bytes: new Uint8Array(bytes) });
  };

  readonly #onEnd = (): void => {
    this.#leave();
    this.#answer({ bytes: null });
  };

  readonly #onError = (error: Error): void => {
    this.#leave();
    this.#answer({ error: encodeThrown(error, DETAIL) });
  };

  #answer(answer: StdinAnswer): void {
    this.#isAsked = false;
    this.#own.postMessage(answer, "bytes" in answer && answer.bytes ? [answer.bytes.buffer as ArrayBuffer] : []);
  }
}
