/**
 * The binary interfaces of MPI libraries, as data: the type of a handle, the values of constants, and the layout of a
 * status. Everything else is the same in all of them.
 *
 *     words of a status   0             1                       2         3     4        5
 *     Open MPI            source        tag                     error     …     count, 64 bits
 *     MPICH               count, low    count, high; cancelled  source    tag   error
 *     MPI 5               source        tag                     error     five that are the library's own
 *
 * Source: mpi.h of Open MPI 4.1 and of MPICH 4.0, whose interface is also that of Intel MPI, MVAPICH and Cray MPI (the
 * MPICH ABI compatibility initiative); MPI 5.0, chapter 20 (the standard interface, in libraries named mpi_abi).
 */

/** One binary interface. */
export interface Abi {
  readonly name: "Open MPI" | "MPICH" | "MPI 5";
  /** The C type of a handle: an address in the library, or a number. */
  readonly handle: "uintptr_t" | "int";
  /** Bytes of a request, and of any other handle. */
  readonly requestBytes: 4 | 8;
  /** The handles: names of globals, or numbers. */
  readonly world: string | number;
  readonly byte: string | number;
  readonly errorsReturn: string | number;
  readonly double: string | number;
  readonly int64: string | number;
  readonly sum: string | number;
  readonly replace: string | number;
  readonly noOp: string | number;
  readonly infoNull: string | number;
  /** The null request. */
  readonly requestNull: string | number;
  /** Number of 32-bit words of a status, and the index of each field; null for what only MPI_Get_count says. */
  readonly statusWords: number;
  readonly source: number;
  readonly tag: number;
  readonly count: number | null;
  /** MPI_ANY_SOURCE; and MPI_Testsome's count if no request is active. */
  readonly anySource: number;
  readonly undefined: number;
  /** MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE. */
  readonly serialized: number;
  readonly multiple: number;
}

export const OPEN_MPI: Abi = {
  name: "Open MPI",
  handle: "uintptr_t",
  requestBytes: 8,
  world: "ompi_mpi_comm_world",
  byte: "ompi_mpi_byte",
  errorsReturn: "ompi_mpi_errors_return",
  double: "ompi_mpi_double",
  int64: "ompi_mpi_int64_t",
  sum: "ompi_mpi_op_sum",
  replace: "ompi_mpi_op_replace",
  noOp: "ompi_mpi_op_no_op",
  infoNull: "ompi_mpi_info_null",
  requestNull: "ompi_request_null",
  statusWords: 6,
  source: 0,
  tag: 1,
  count: 4,
  anySource: -1,
  undefined: -32766,
  serialized: 2,
  multiple: 3,
};

export const MPICH: Abi = {
  name: "MPICH",
  handle: "int",
  requestBytes: 4,
  world: 0x44000000,
  byte: 0x4c00010d,
  errorsReturn: 0x54000001,
  double: 0x4c00080b,
  int64: 0x4c00083a,
  sum: 0x58000003,
  replace: 0x5800000d,
  noOp: 0x5800000e,
  infoNull: 0x1c000000,
  requestNull: 0x2c000000,
  statusWords: 5,
  source: 2,
  tag: 3,
  count: 0,
  anySource: -2,
  undefined: -32766,
  serialized: 2,
  multiple: 3,
};

export const MPI_5: Abi = {
  name: "MPI 5",
  handle: "uintptr_t",
  requestBytes: 8,
  world: 0x101,
  byte: 0x247,
  errorsReturn: 0x142,
  double: 0x214,
  int64: 0x258,
  sum: 0x21,
  replace: 0x3c,
  noOp: 0x3d,
  infoNull: 0x130,
  requestNull: 0x180,
  statusWords: 8,
  source: 0,
  tag: 1,
  count: null,
  anySource: -1,
  undefined: -32766,
  serialized: 2048,
  multiple: 4096,
};
