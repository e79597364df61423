/** Surroundings that lack what a run can do without: each is what a shell does before it starts the command. */
import { spawnSync } from "node:child_process";

/** Surroundings of a command. */
export interface Surroundings {
  readonly name: string;
  /** A script of a shell, in an empty working directory of its own; the command is in "$@". */
  readonly script: string;
  /** Whether it changes mounts, which only root can. */
  readonly mounts?: boolean;
  /** What `tundish doctor` finds here. */
  readonly found?: { readonly name: string; readonly text: RegExp };
  /** Whether the results can be read. @default true */
  readonly isSilent?: boolean;
  /** Whether Node.js cannot start a thread there. */
  readonly isWithoutThreads?: boolean;
}

const hide = (...folders: string[]): string =>
  `${folders.map((folder) => `mount -t tmpfs -o ro none ${folder}`).join(" && ")} && exec "$@"`;
const REMOUNT = `while read -r _ at _; do mount -o remount,bind,ro "$at"; done < /proc/mounts 2> /dev/null; ! touch x 2> /dev/null`;

export const surroundings: readonly Surroundings[] = [
  {
    name: "no HOME, and no entry in /etc/passwd",
    script:
      'mount --bind /dev/null /etc/passwd && mount --bind /dev/null /etc/nsswitch.conf && exec env -u HOME -u TUNDISH_CACHE -u XDG_CACHE_HOME "$@"',
    mounts: true,
    found: {
      name: "cache",
      text: /^no folder for it, as this user has no home: each process measures its trees again/,
    },
  },
  {
    name: "an empty HOME",
    script: 'env HOME= "$@" && test -z "$(ls -A)"',
    found: { name: "cache", text: /^no folder for it/ },
  },
  {
    name: "a relative HOME and XDG_CACHE_HOME",
    script: 'env HOME=a XDG_CACHE_HOME=b "$@" && test -z "$(ls -A)"',
  },
  {
    name: "a file as HOME",
    script: 'HOME=/dev/null exec "$@"',
    found: { name: "cache", text: /^nothing can be kept in \/dev\/null\/\.cache\/tundish \(ENOTDIR\)/ },
  },
  {
    name: "a file as the folder for caches",
    script: 'touch a && TUNDISH_CACHE=a exec "$@"',
    found: { name: "cache", text: /^nothing can be kept in a \(ENOTDIR\)/ },
  },
  {
    name: "a read-only file system",
    script: `${REMOUNT} && exec "$@"`,
    mounts: true,
    found: {
      name: "temporary folder",
      text: /^nothing can be written to .* \(EROFS\): tundish bench cannot/,
    },
  },
  {
    name: "a full disk",
    script:
      'mount -t tmpfs -o size=8k none . && cd "$PWD" && ! cat /dev/zero > full 2> /dev/null && HOME=$PWD TMPDIR=$PWD exec "$@"',
    mounts: true,
    found: { name: "cache", text: /^nothing can be kept in .* \(ENOSPC\)/ },
  },
  {
    name: "no temporary folder",
    script: 'TMPDIR=/none/such exec "$@"',
    found: { name: "temporary folder", text: /\/none\/such/ },
  },
  {
    name: "no /dev/shm",
    script: hide("/dev/shm"),
    mounts: true,
    found: { name: "/dev/shm", text: /^nothing can be written there \(EROFS\): MPI libraries/ },
  },
  {
    name: "no /proc",
    script: hide("/proc"),
    mounts: true,
    found: { name: "/proc", text: /^\/proc cannot be read: limits of CPU time/ },
  },
  { name: "no /sys", script: hide("/sys"), mounts: true },
  {
    name: "no /sys and no /proc, nor koffi",
    script: `export TUNDISH_NATIVE=off; ${hide("/sys", "/proc")}`,
    mounts: true,
  },
  {
    name: "no environment",
    script: 'exec env -i TUNDISH_CACHE="$TUNDISH_CACHE" "$@"',
  },
  { name: "a locale and a terminal that are unknown", script: 'LC_ALL=xx_YY.none TERM=none exec "$@"' },
  { name: "nowhere to cache compiled code", script: 'NODE_COMPILE_CACHE=/dev/null/none exec "$@"' },
  { name: "closed stdin", script: 'exec "$@" <&-' },
  { name: "closed stdout and stderr", script: 'exec "$@" >&- 2>&-', isSilent: true },
  {
    name: "a reader of stdout and stderr that has left",
    script: '{ "$@" 3>&-; echo $? >&3; } 2>&1 3> code | true; exit "$(cat code)"',
    isSilent: true,
  },
  {
    name: "a working directory that was removed",
    script: 'rmdir "$PWD" && exec "$@"',
    isWithoutThreads: true,
    found: { name: "working directory", text: /was removed \(ENOENT\), and Node\.js starts no thread/ },
  },
];

/** Why mounts cannot be changed here; null if they can. */
export const whyNoMounts: string | null =
  spawnSync("unshare", ["-m", "true"]).status === 0 ? null : "needs root, and unshare";

/** The words that start a command in these surroundings. */
export const within = ({ script, mounts = false }: Surroundings): readonly string[] => [
  ...(mounts ? ["unshare", "-m"] : []),
  ...["sh", "-c", script, "sh"],
];
