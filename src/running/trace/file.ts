/** The file of a node's trace. */
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, parse } from "node:path";
import { UsageError } from "../../ground/base/errors.ts";
import { chromeTrace } from "./chrome.ts";
import type { PETrace } from "./collect.ts";

export interface TraceFile {
  readonly name: string;
  /** Writes the traces of the node's PEs, and closes the file; resolves with why that failed, or null. */
  write(traces: readonly PETrace[]): Promise<string | null>;
}

/** Of the first node `trace.json`, of the next `trace.1.json`; pipes and devices are those of all. */
function nameOf(given: string, node: number): string {
  if (node === 0 || statSync(given, { throwIfNoEntry: false })?.isFile() === false) return given;
  const { dir, name, ext } = parse(given);
  return join(dir, `${name}.${node}${ext}`);
}

/** Opens the file of a node. @throws UsageError if it cannot be written */
export async function traceFile(given: string, node: number): Promise<TraceFile> {
  try {
    const name = nameOf(given, node);
    const file = await open(name, "w");
    return {
      name,
      async write(traces) {
        try {
          await file.writeFile(chromeTrace(traces, node));
          await file.close();
          return null;
        } catch (error) {
          await file.close().catch(() => {});
          return (error as Error).message;
        }
      },
    };
  } catch (cause) {
    const why = (cause as Error).message;
    throw new UsageError(`trace: expected a file that can be written, got ${given}: ${why}`, { cause });
  }
}
