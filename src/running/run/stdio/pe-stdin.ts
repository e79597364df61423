/** The stdin of a PE: what is lent to it (lent-stdin.ts). */
import type { MessagePort } from "node:worker_threads";
import { decodeThrown } from "../../../ground/base/error-data.ts";
import { StateError } from "../../../ground/base/errors.ts";
import type { StdinAnswer } from "./lent-stdin.ts";

/**
 * From now on the `process.stdin` of this thread, which is PE `rank`, reads what is lent to it.
 * @param port of what is lent; null if PE `first` has it
 */
export function readLent(port: MessagePort | null, rank: number, first: number): void {
  const { stdin } = process;
  const read = port === null ? () => void stdin.destroy(notLent(rank, first)) : asking(stdin, port);
  stdin._read = read;
  // the module of a bundle may have begun to read before this
  if (stdin.readableFlowing || stdin.listenerCount("readable") > 0) read();
}

function asking(stdin: NodeJS.ReadStream, port: MessagePort): () => void {
  let isOpen = false;
  const onAnswer = (answer: StdinAnswer): void => {
    port.unref();
    if ("error" in answer) stdin.destroy(decodeThrown(answer.error) as Error);
    else stdin.push(answer.bytes);
  };
  return () => {
    if (!isOpen) port.on("message", onAnswer);
    isOpen = true;
    // a PE that awaits its input lives
    port.ref();
    port.postMessage(null);
  };
}

const notLent = (rank: number, first: number): StateError =>
  new StateError(
    `process.stdin: expected to be read by PE ${first} alone, which has the stdin of this process as the first PE of its node, ` +
      `got a read by PE ${rank}. Let PE ${first} read, and pass on what it has read, by a broadcast or a scatter.`,
  );
