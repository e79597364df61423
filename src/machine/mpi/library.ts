/** The functions of an MPI library that this binding calls, opened by native.ts. */
import { basename } from "node:path";
import { NoMpiError, sentenceOf } from "../../ground/base/errors.ts";
import type { Library } from "../../ground/base/native/calls.ts";
import { openLibrary, pointerOf } from "../../ground/base/native/native.ts";
import { setting } from "../../ground/base/settings.ts";
import { shield } from "../../ground/base/shield.ts";
import { type Abi, MPI_5, MPICH, OPEN_MPI } from "./abi.ts";
import type { LauncherName } from "./launcher.ts";

/** A handle as koffi takes it; and an address (memory.ts), in a third of the time of a typed array. */
export type Handle = number;
export type Address = number;

/**
 * `H` is a handle, whose C type depends on the interface. Results are returned in typed arrays, not in arrays
 * (`_Out_ int *`): a thread may end in the middle of such a call (shield.ts).
 */
const signatures = {
  libraryVersion: "int MPI_Get_library_version(void *text, void *length)",
  initialized: "int MPI_Initialized(void *flag)",
  initThread: "int MPI_Init_thread(void *argc, void *argv, int wanted, void *provided)",
  queryThread: "int MPI_Query_thread(void *level)",
  finalize: "int MPI_Finalize()",
  abort: "int MPI_Abort(H comm, int code)",
  setErrhandler: "int MPI_Comm_set_errhandler(H comm, H handler)",
  errorString: "int MPI_Error_string(int code, void *text, void *length)",
  rank: "int MPI_Comm_rank(H comm, void *rank)",
  size: "int MPI_Comm_size(H comm, void *size)",
  barrier: "int MPI_Barrier(H comm)",
  allgather: "int MPI_Allgather(void *from, int count, H type, void *to, int each, H same, H comm)",
  isend: "int MPI_Isend(uintptr_t from, int count, H type, int dest, int tag, H comm, uintptr_t request)",
  issend: "int MPI_Issend(uintptr_t from, int count, H type, int dest, int tag, H comm, uintptr_t request)",
  irecv: "int MPI_Irecv(uintptr_t to, int count, H type, int source, int tag, H comm, uintptr_t request)",
  recvInit: "int MPI_Recv_init(uintptr_t to, int count, H type, int source, int tag, H comm, uintptr_t request)",
  start: "int MPI_Start(uintptr_t request)",
  requestFree: "int MPI_Request_free(uintptr_t request)",
  cancel: "int MPI_Cancel(uintptr_t request)",
  test: "int MPI_Test(uintptr_t request, uintptr_t completed, uintptr_t status)",
  commGroup: "int MPI_Comm_group(H comm, uintptr_t group)",
  groupIncl: "int MPI_Group_incl(H group, int count, uintptr_t ranks, uintptr_t into)",
  groupFree: "int MPI_Group_free(uintptr_t group)",
  commCreateGroup: "int MPI_Comm_create_group(H comm, H group, int tag, uintptr_t into)",
  commFree: "int MPI_Comm_free(uintptr_t comm)",
  ibarrier: "int MPI_Ibarrier(H comm, uintptr_t request)",
  ibcast: "int MPI_Ibcast(uintptr_t at, int count, H type, int root, H comm, uintptr_t request)",
  iallreduce: "int MPI_Iallreduce(uintptr_t from, uintptr_t to, int count, H type, H op, H comm, uintptr_t request)",
  getCount: "int MPI_Get_count(uintptr_t status, H type, uintptr_t count)",
  iprobe: "int MPI_Iprobe(int source, int tag, H comm, uintptr_t flag, uintptr_t status)",
  winCreate: "int MPI_Win_create(uintptr_t base, intptr_t bytes, int unit, H info, H comm, uintptr_t into)",
  winSetErrhandler: "int MPI_Win_set_errhandler(H window, H handler)",
  winLockAll: "int MPI_Win_lock_all(int assertions, H window)",
  winUnlockAll: "int MPI_Win_unlock_all(H window)",
  winFree: "int MPI_Win_free(uintptr_t window)",
  winSync: "int MPI_Win_sync(H window)",
  rgetAccumulate:
    "int MPI_Rget_accumulate(uintptr_t from, int count, H type, uintptr_t into, int results, H same, int rank, intptr_t at, int there, H its, H op, H window, uintptr_t request)",
  testsome:
    "int MPI_Testsome(int count, uintptr_t requests, uintptr_t completed, uintptr_t indices, uintptr_t statuses)",
} as const;

/** The functions by a short name, as declared in the table above; each returns an error code, 0 for success. */
export interface MpiFunctions {
  libraryVersion(text: Uint8Array, length: Int32Array): number;
  initialized(flag: Int32Array): number;
  initThread(argc: null, argv: null, wanted: number, provided: Int32Array): number;
  queryThread(level: Int32Array): number;
  finalize(): number;
  abort(comm: Handle, code: number): number;
  setErrhandler(comm: Handle, handler: Handle): number;
  errorString(code: number, text: Uint8Array, length: Int32Array): number;
  rank(comm: Handle, rank: Int32Array): number;
  size(comm: Handle, size: Int32Array): number;
  barrier(comm: Handle): number;
  allgather(
    from: Uint8Array,
    count: number,
    type: Handle,
    to: Uint8Array,
    each: number,
    same: Handle,
    comm: Handle,
  ): number;
  isend(from: Address, count: number, type: Handle, dest: number, tag: number, comm: Handle, request: Address): number;
  issend: MpiFunctions["isend"];
  irecv(to: Address, count: number, type: Handle, source: number, tag: number, comm: Handle, request: Address): number;
  recvInit: MpiFunctions["irecv"];
  start(request: Address): number;
  requestFree(request: Address): number;
  cancel(request: Address): number;
  test(request: Address, completed: Address, status: Address): number;
  commGroup(comm: Handle, group: Address): number;
  groupIncl(group: Handle, count: number, ranks: Address, into: Address): number;
  groupFree(group: Address): number;
  commCreateGroup(comm: Handle, group: Handle, tag: number, into: Address): number;
  commFree(comm: Address): number;
  ibarrier(comm: Handle, request: Address): number;
  ibcast(at: Address, count: number, type: Handle, root: number, comm: Handle, request: Address): number;
  iallreduce(
    from: Address,
    to: Address,
    count: number,
    type: Handle,
    op: Handle,
    comm: Handle,
    request: Address,
  ): number;
  getCount(status: Address, type: Handle, count: Address): number;
  iprobe(source: number, tag: number, comm: Handle, flag: Address, status: Address): number;
  winCreate(base: Address, bytes: number, unit: number, info: Handle, comm: Handle, into: Address): number;
  winSetErrhandler(window: Handle, handler: Handle): number;
  winLockAll(assertions: number, window: Handle): number;
  winUnlockAll(window: Handle): number;
  winFree(window: Address): number;
  winSync(window: Handle): number;
  rgetAccumulate(
    from: Address,
    count: number,
    type: Handle,
    into: Address,
    results: number,
    same: Handle,
    rank: number,
    at: number,
    there: number,
    its: Handle,
    op: Handle,
    window: Handle,
    request: Address,
  ): number;
  testsome(count: number, requests: Address, completed: Address, indices: Address, statuses: Address): number;
}

/** An open library. */
export interface MpiLibrary {
  /** The opened library: a name for the loader, or a path. */
  readonly file: string;
  readonly abi: Abi;
  /** Whose it is: of a library with the standard interface as its version says. */
  readonly maker: string;
  readonly functions: MpiFunctions;
  readonly world: Handle;
  readonly byte: Handle;
  readonly errorsReturn: Handle;
  readonly double: Handle;
  readonly int64: Handle;
  readonly sum: Handle;
  readonly replace: Handle;
  readonly noOp: Handle;
  readonly infoNull: Handle;
  readonly requestNull: Handle;
  /** The address of its MPI_Finalize. */
  readonly finalizeAt: Address;
}

/** At least MPI_MAX_LIBRARY_VERSION_STRING. */
const VERSION_BYTES = 8192;

/** The files to try, in this order, unless TUNDISH_LIBMPI is set. */
const FILES = ["libmpi.so.40", "libmpi.so.12", "libmpich.so.12"];
/** Those with the standard interface, of any maker; they are known by the begin of their names. */
const STANDARD_FILES = ["libmpi_abi.so.1", "libmpi_abi.so.0"];
const STANDARD_NAME = "libmpi_abi.";

/**
 * Settings for UCX, on which MPICH and some builds of Open MPI run, unless the environment has others.
 *
 * UCX_MEM_EVENTS: UCX patches functions of the C library to notice freed memory, while threads of Node run in them;
 * without this setting 6 of 150 jobs of 3 processes died at the start. UCX_ERROR_SIGNALS: its signal handlers replace
 * those by which V8 catches accesses outside a WebAssembly memory. UCX_LOG_LEVEL: after a failure it would warn of
 * every receive without a message.
 */
const UCX: Readonly<Record<string, string>> = {
  UCX_MEM_EVENTS: "n",
  UCX_ERROR_SIGNALS: "",
  UCX_LOG_LEVEL: "error",
};

/**
 * Opens the MPI library: that of TUNDISH_LIBMPI, that of the launcher of this process, or the first one found.
 * @param preferred the maker of the launcher
 * @throws NoMpiError if there is none; the message lists the files tried, and how to install one
 */
export function openMpiLibrary(preferred?: LauncherName): MpiLibrary {
  const wanted = setting("libmpi");
  const files = wanted === "" ? ordered(preferred) : [wanted];
  const failures: string[] = [];
  for (const [name, value] of Object.entries(UCX)) process.env[name] ??= value;
  for (const file of files) {
    try {
      return shield(() => bind(file, openLibrary(file)));
    } catch (cause) {
      failures.push(sentenceOf(cause as Error));
    }
  }
  throw new NoMpiError(
    `Expected an MPI library (Open MPI or MPICH) at ${files.join(", ")}: ${failures.join("; ")}. ` +
      "Install one, for instance with: apt-get install openmpi-bin libopenmpi3, or set TUNDISH_LIBMPI to its path.",
  );
}

/** The library's version text, such as `Open MPI v4.1.4, …`. */
export function versionOf({ functions }: Pick<MpiLibrary, "functions">): string {
  const text = new Uint8Array(VERSION_BYTES);
  const length = new Int32Array(1);
  functions.libraryVersion(text, length);
  // Open MPI's length includes the terminating zero
  return Buffer.from(text.subarray(0, length[0]))
    .toString()
    .replace(/[\0\s]+$/, "");
}

const ordered = (preferred: LauncherName | undefined): readonly string[] => [
  ...(preferred === "MPICH" ? FILES.toReversed() : FILES),
  ...STANDARD_FILES,
];

function bind(file: string, library: Library): MpiLibrary {
  const abi = basename(file).startsWith(STANDARD_NAME) ? MPI_5 : isOpenMpi(library) ? OPEN_MPI : MPICH;
  const functions = Object.fromEntries(
    Object.entries(signatures).map(([short, signature]) => [
      short,
      library.func(signature.replaceAll(/\bH\b/g, abi.handle)),
    ]),
  ) as unknown as MpiFunctions;
  const handle = (name: string | number): Handle =>
    typeof name === "number" ? name : pointerOf(library.symbol(name, "void *"));
  const { world, byte, errorsReturn, double, int64, sum, replace, noOp, infoNull, requestNull } = abi;
  return {
    file,
    abi,
    maker: abi === MPI_5 ? makerOf(versionOf({ functions })) : abi.name,
    functions,
    world: handle(world),
    byte: handle(byte),
    errorsReturn: handle(errorsReturn),
    double: handle(double),
    int64: handle(int64),
    sum: handle(sum),
    replace: handle(replace),
    noOp: handle(noOp),
    infoNull: handle(infoNull),
    requestNull: handle(requestNull),
    finalizeAt: handle("MPI_Finalize"),
  };
}

/** Example: `Open MPI v6.0.0, package: …` is of Open MPI. */
const makerOf = (version: string): string =>
  (["Open MPI", "MPICH"] satisfies LauncherName[]).find((name) => version.startsWith(name)) ??
  (version.split(/[,\n]/)[0] as string);

function isOpenMpi(library: Library): boolean {
  try {
    library.symbol(OPEN_MPI.world as string, "void *");
    return true;
  } catch {
    return false;
  }
}
