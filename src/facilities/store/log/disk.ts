/** A disk, as a log needs it. That of Node.js; tests have one that fails. */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

/** All calls throw the system's error. Files are named by their paths. */
export interface Disk {
  list(folder: string): readonly string[];
  read(file: string): Uint8Array;
  /** Creates a file for writing, which must not exist. */
  create(file: string): number;
  /** Opens a file for writing. */
  open(file: string): number;
  /** Writes all bytes at a position; after an error a part of them may be there. */
  write(fd: number, bytes: Uint8Array, position: number): void;
  truncate(fd: number, length: number): void;
  /** Returns when the content of the file is on the disk. */
  sync(fd: number): void;
  /** Never fails: what is to be kept was brought to the disk before. */
  close(fd: number): void;
  rename(from: string, to: string): void;
  /** Also if there is no such file. */
  remove(file: string): void;
  /** Returns when the names of the folder's files are on the disk. */
  syncFolder(folder: string): void;
}

export const nodeDisk: Disk = {
  list: (folder) => readdirSync(folder),
  read: (file) => readFileSync(file),
  create: (file) => openSync(file, "wx"),
  open: (file) => openSync(file, "r+"),
  write(fd, bytes, position) {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  },
  truncate: ftruncateSync,
  sync: fdatasyncSync,
  close(fd) {
    try {
      closeSync(fd);
    } catch {}
  },
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  syncFolder(folder) {
    // Windows opens no folders
    if (process.platform === "win32") return;
    const fd = openSync(folder, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
};
