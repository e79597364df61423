/** TCP's retransmissions in this network namespace: why a discipline is slow over a link that drops. */
import { readFileSync } from "node:fs";

/** Counts since the machine, or the namespace, began. */
export interface TcpCounts {
  /** Segments that were sent again. */
  readonly retransmits: number;
  /** Times that the retransmission timer ran out: 0.2 s and more of silence each. */
  readonly timeouts: number;
}

const FILES = ["/proc/self/net/snmp", "/proc/self/net/netstat"];

/** Source: proc(5); each protocol has a line of names and a line of values. Null where there are none: Linux only. */
export function tcpCounts(): TcpCounts | null {
  try {
    const counts = new Map<string, number>();
    for (const file of FILES) {
      const lines = readFileSync(file, "latin1")
        .trim()
        .split("\n")
        .map((line) => line.split(" "));
      for (let i = 0; i + 1 < lines.length; i += 2) {
        for (const [at, name] of lines[i].entries()) counts.set(`${lines[i][0]}${name}`, Number(lines[i + 1][at]));
      }
    }
    const retransmits = counts.get("Tcp:RetransSegs") ?? Number.NaN;
    const timeouts = counts.get("TcpExt:TCPTimeouts") ?? Number.NaN;
    return Number.isFinite(retransmits + timeouts) ? { retransmits, timeouts } : null;
  } catch {
    return null;
  }
}
