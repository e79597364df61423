/** A disk that fails on demand, and one that goes down with what was not brought to it. */
import { readFileSync, readlinkSync, writeFileSync, writeSync } from "node:fs";
import { type Disk, nodeDisk } from "../../../../src/facilities/store/log/disk.ts";

type Call = keyof Disk;

/** The disk of Node.js, until a call is to fail. */
export class FaultyDisk implements Disk {
  /** Calls so far. */
  calls = 0;
  /** The number of the call that fails, from 0; and all of its name after it, if `stays`. */
  failAt: number = Number.POSITIVE_INFINITY;
  stays = false;
  /** What happens before each call. */
  before: () => void = () => {};
  /** What failed. */
  failed: Call | null = null;

  #check(call: Call): void {
    this.before();
    const isNow = this.calls++ === this.failAt;
    if (isNow) this.failed = call;
    if (isNow || (this.stays && this.failed === call)) {
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), { code: "ENOSPC" });
    }
  }

  list(folder: string): readonly string[] {
    this.#check("list");
    return nodeDisk.list(folder);
  }
  read(file: string): Uint8Array {
    this.#check("read");
    return nodeDisk.read(file);
  }
  create(file: string): number {
    this.#check("create");
    return nodeDisk.create(file);
  }
  open(file: string): number {
    this.#check("open");
    return nodeDisk.open(file);
  }
  write(fd: number, bytes: Uint8Array, position: number): void {
    try {
      this.#check("write");
    } catch (error) {
      // a part of it is there
      writeSync(fd, bytes, 0, bytes.length >> 1, position);
      throw error;
    }
    nodeDisk.write(fd, bytes, position);
  }
  truncate(fd: number, length: number): void {
    this.#check("truncate");
    nodeDisk.truncate(fd, length);
  }
  sync(): void {
    this.#check("sync");
  }
  close(fd: number): void {
    nodeDisk.close(fd);
  }
  rename(from: string, to: string): void {
    this.#check("rename");
    nodeDisk.rename(from, to);
  }
  remove(file: string): void {
    this.#check("remove");
    nodeDisk.remove(file);
  }
  syncFolder(): void {
    this.#check("syncFolder");
  }
}

/** Remembers what each file had when it was last brought to the disk, and can go back to a part of what came after (Linux only). */
export class LossyDisk implements Disk {
  readonly #safe = new Map<string, Uint8Array>();
  readonly list: Disk["list"] = nodeDisk.list;
  readonly read: Disk["read"] = nodeDisk.read;
  readonly create: Disk["create"] = nodeDisk.create;
  readonly open: Disk["open"] = nodeDisk.open;
  readonly write: Disk["write"] = nodeDisk.write;
  readonly truncate: Disk["truncate"] = nodeDisk.truncate;
  readonly close: Disk["close"] = nodeDisk.close;
  readonly remove: Disk["remove"] = nodeDisk.remove;
  rename(from: string, to: string): void {
    nodeDisk.rename(from, to);
    const safe = this.#safe.get(from);
    if (safe !== undefined) this.#safe.set(to, safe);
  }
  syncFolder(): void {}
  sync(fd: number): void {
    const file = readlinkSync(`/proc/self/fd/${fd}`);
    this.#safe.set(file, readFileSync(file));
  }

  /** What is after the power was gone: of blocks of so many bytes that were written since, `keeps` says whether each is there. */
  goDown(file: string, block: number, keeps: (number: number) => boolean): void {
    const now = readFileSync(file);
    const safe = this.#safe.get(file) ?? new Uint8Array(0);
    for (let at = 0; at < now.length; at += block) {
      if (keeps(at / block)) continue;
      const end = Math.min(at + block, now.length);
      now.fill(0, at, end);
      now.set(safe.subarray(at, end), Math.min(at, now.length));
    }
    writeFileSync(file, now);
  }
}
