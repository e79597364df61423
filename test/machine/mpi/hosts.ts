/**
 * Hosts for tests, made of one Linux machine: a network namespace each, with an address of its own.
 *
 *     tnd4711x0b  a bridge, 10.77.N.254: here, with us and the launcher
 *       ├─ tnd4711x0v1 ── eth0  10.77.N.1  in the namespace tnd4711x0h1
 *       └─ tnd4711x0v2 ── eth0  10.77.N.2  in the namespace tnd4711x0h2
 *
 * What: links can be limited, cut and restored. Files, shared memory, process ids and the host's name are common to all.
 *
 * Needs: root on Linux, and Debian's `iproute2`.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ip, newSet, pidsIn, removeLeft, removeSet } from "./namespaces.ts";

export interface HostsOptions {
  /**
   * Rates, as tc(8) writes them, of the hosts whose links are limited: `{ 1: "1gbit" }` both ways, `{ 1: "400mbit/100mbit" }` what it
   * sends and what it receives.
   */
  readonly limits?: Readonly<Record<number, string>>;
  /** What passes such a link at once after a pause. @default "64kb" */
  readonly burst?: string;
}

export interface Hosts extends AsyncDisposable {
  readonly addresses: readonly string[];
  /** Their namespaces, for `ip netns exec`. The number at the end is the last of the address. */
  readonly names: readonly string[];
  /** The addresses of all, 10.77.N.0/24, and the device by which this process reaches them. */
  readonly net: string;
  readonly bridge: string;
  /** A folder that is removed with them. */
  readonly folder: string;
  /** Nothing passes between a host and the others until it is restored; connections stay open. */
  cut(host: number): void;
  restore(host: number): void;
  /** The processes that run on them. */
  pids(): number[];
}

const SUBNETS = 250;

/** Makes hosts 0…`count`-1, with all links up. */
export function makeHosts(count: number, { limits = {}, burst = "64kb" }: HostsOptions = {}): Hosts {
  removeLeft();
  const set = newSet();
  const bridge = `${set}b`;
  const names = Array.from({ length: count }, (_, host) => `${set}h${host + 1}`);
  const inside = (host: number, ...args: string[]) => ip(["-n", names[host] as string, ...args]);
  try {
    const subnet = freeSubnet();
    const addresses = names.map((_, host) => `${subnet}.${host + 1}`);
    ip(["link", "add", bridge, "type", "bridge"]);
    ip(["addr", "add", `${subnet}.254/24`, "dev", bridge]);
    ip(["link", "set", bridge, "up"]);
    for (const [host, name] of names.entries()) {
      const outer = `${set}v${host + 1}`;
      ip(["netns", "add", name]);
      ip(["link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name]);
      ip(["link", "set", outer, "master", bridge, "up"]);
      inside(host, "link", "set", "lo", "up");
      inside(host, "addr", "add", `${addresses[host]}/24`, "dev", "eth0");
      inside(host, "link", "set", "eth0", "up");
      const rates = limits[host];
      if (rates !== undefined) limit(name, outer, rates, burst);
    }
    return {
      names,
      addresses,
      net: `${subnet}.0/24`,
      bridge,
      folder: mkdtempSync(join(tmpdir(), `${set}-`)),
      cut: (host) => void inside(host, "link", "set", "eth0", "down"),
      restore: (host) => void inside(host, "link", "set", "eth0", "up"),
      pids: () => pidsIn(names),
      [Symbol.asyncDispose]: async () => removeSet(set),
    };
  } catch (error) {
    removeSet(set);
    throw error;
  }
}

/** Each end limits what it sends. */
function limit(name: string, outer: string, rates: string, burst: string): void {
  const [sends, receives = sends] = rates.split("/") as [string, string?];
  const bucket = (rate: string) => ["root", "tbf", "rate", rate, "burst", burst, "latency", "10ms"];
  ip(["-n", name, "qdisc", "add", "dev", "eth0", ...bucket(sends)], "tc");
  ip(["qdisc", "add", "dev", outer, ...bucket(receives)], "tc");
}

/** One that this machine does not have; processes that look at the same time look in different places first. */
function freeSubnet(): string {
  const taken = ip(["-o", "-4", "addr"]);
  for (let i = 0; i < SUBNETS; i++) {
    const subnet = `10.77.${(process.pid + i) % SUBNETS}`;
    if (!taken.includes(` ${subnet}.`)) return subnet;
  }
  throw new Error("all subnets of 10.77.0.0/16 are taken");
}

/** Why hosts cannot be made here; null when they can. */
export async function whyNoHosts(): Promise<string | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "iproute2 needs root on Linux";
  try {
    await makeHosts(1, { limits: { 0: "1gbit" } })[Symbol.asyncDispose]();
    return null;
  } catch (error) {
    return `iproute2: ${(error as Error).message}`;
  }
}
