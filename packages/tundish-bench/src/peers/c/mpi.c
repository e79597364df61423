/*
 * MPI, whichever it is compiled with: a barrier, a broadcast of 8 B, 64 KiB and 1 MiB, a sum over all
 * ranks of one double and of 8192, and alltoall, alltoallv and gather by the bytes that a rank gives.
 *
 *   mpicc -std=c11 -O3 -march=native mpi.c -o mpi
 *   mpirun -n 2 --bind-to none ./mpi BATCHES MS CPU,CPU[,CPU...]      e.g. ./mpi 15 4 0,1
 *
 * Arguments and output: ranks.h. With more ranks than CPUs only the barrier is measured.
 *
 * The root of the broadcasts alternates between the first rank and the last. With one root for all it
 * could run ahead of the others, and the figure would be how often it can send, not how long that
 * takes; so the last rank cannot send before it has what the first one sent, and the other way round.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "mpi"
#include "ranks.h"

#define LONG 8192
#define KIB 1024
#define MIB (1024 * 1024)

static double box[MIB / sizeof(double)]; /* what is broadcast */
static double share[LONG], sum[LONG];    /* what is summed, and the result */

/* Rank 0 fills the box with a new number; after the last broadcast all must have it. */
static double broadcasts(long count, int bytes) {
  static double seed;
  int length = bytes / (int)sizeof(double);
  seed += MIB;
  for (int j = 0; rank == 0 && j < length; j++) box[j] = seed + j;
  double start = begin();
  for (long i = 0; i < count; i++) MPI_Bcast(box, bytes, MPI_BYTE, i & 1 ? ranks - 1 : 0, MPI_COMM_WORLD);
  double ns = now() - start;
  for (int j = 0; j < length; j++)
    if (box[j] != seed + j) wrong("a broadcast");
  return ns;
}

static double broadcasts_8(long count) { return broadcasts(count, 8); }
static double broadcasts_64k(long count) { return broadcasts(count, 64 * KIB); }
static double broadcasts_1m(long count) { return broadcasts(count, MIB); }

/* As in a program: the root writes a number into every cache line, the others read them all. */
static double used_broadcasts_64k(long count) {
  static double seed;
  seed += MIB;
  double start = begin();
  for (long i = 0; i < count; i++) {
    int root = i & 1 ? ranks - 1 : 0;
    if (rank == root)
      for (int j = 0; j < LONG; j += 8) box[j] = seed + i;
    MPI_Bcast(box, 64 * KIB, MPI_BYTE, root, MPI_COMM_WORLD);
    double all = 0;
    if (rank != root)
      for (int j = 0; j < LONG; j += 8) all += box[j];
    if (rank != root && all != LONG / 8 * (seed + i)) wrong("a broadcast of numbers written before");
  }
  return now() - start;
}

static double sums(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) {
    double mine = (double)i + rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (all != ranks * ((double)i + (ranks - 1) / 2.0)) wrong("a sum of one double");
  }
  return now() - start;
}

static double long_sums(long count) {
  static double seed;
  seed++;
  for (int j = 0; j < LONG; j++) share[j] = seed + rank + j % 3;
  double start = begin();
  for (long i = 0; i < count; i++) MPI_Allreduce(share, sum, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double ns = now() - start;
  for (int j = 0; j < LONG; j++)
    if (sum[j] != ranks * (seed + (ranks - 1) / 2.0 + j % 3)) wrong("a sum of 8192 doubles");
  return ns;
}

static double *given, *got; /* 8 MiB, and as many for each rank */
static int counts[1024], starts[1024];

/*
 * As in a program, and in collectives/moves.ts: before each call a rank writes a number into every
 * cache line that it gives, and reads one from every line that it gets.
 */
static double value_of(int from, int to, long i) { return 1000.0 * (double)i + 10.0 * from + to; }

static void write_lines(long part, int parts, long i) {
  for (int to = 0; to < parts; to++)
    for (long at = to * part; at < (to + 1) * part; at += 8) given[at] = value_of(rank, to, i);
}

static void read_lines(long part, int to, long i) {
  for (int from = 0; from < ranks; from++)
    for (long at = from * part; at < (from + 1) * part; at += 8)
      if (got[at] != value_of(from, to, i)) wrong("what has come from each rank");
}

/* Elements of a part for each rank, in whole lines. */
static long part_of(int bytes) { return bytes / 64 / ranks * 8; }

static double alltoalls(long count, int bytes) {
  long part = part_of(bytes);
  double start = begin();
  for (long i = 0; i < count; i++) {
    write_lines(part, ranks, i);
    MPI_Alltoall(given, (int)part, MPI_DOUBLE, got, (int)part, MPI_DOUBLE, MPI_COMM_WORLD);
    read_lines(part, rank, i);
  }
  return now() - start;
}

static double alltoallvs_1m(long count) {
  long part = part_of(MIB);
  for (int j = 0; j < ranks; j++) counts[j] = (int)part, starts[j] = (int)(j * part);
  double start = begin();
  for (long i = 0; i < count; i++) {
    write_lines(part, ranks, i);
    MPI_Alltoallv(given, counts, starts, MPI_DOUBLE, got, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    read_lines(part, rank, i);
  }
  return now() - start;
}

/* Ranks that need not wait for the root would run ahead of it, so each gather ends with a barrier. */
static double gathers(long count, int bytes) {
  long length = part_of(bytes) * ranks;
  double start = begin();
  for (long i = 0; i < count; i++) {
    write_lines(length, 1, i);
    MPI_Gather(given, (int)length, MPI_DOUBLE, got, (int)length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) read_lines(length, 0, i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return now() - start;
}

static double alltoalls_1k(long count) { return alltoalls(count, KIB); }
static double alltoalls_8k(long count) { return alltoalls(count, 8 * KIB); }
static double alltoalls_128k(long count) { return alltoalls(count, 128 * KIB); }
static double alltoalls_1m(long count) { return alltoalls(count, MIB); }
static double alltoalls_8m(long count) { return alltoalls(count, 8 * MIB); }
static double gathers_1k(long count) { return gathers(count, KIB); }
static double gathers_8k(long count) { return gathers(count, 8 * KIB); }
static double gathers_128k(long count) { return gathers(count, 128 * KIB); }
static double gathers_1m(long count) { return gathers(count, MIB); }
static double gathers_8m(long count) { return gathers(count, 8 * MIB); }

int main(int argc, char **argv) {
  read_arguments(argc, argv, 4, "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU[,CPU...], no CPU twice");
  start(argc, argv);
  check_barrier();
  if (ranks > n_cpus) {
    char what[64];
    snprintf(what, sizeof what, "barrier, %d PEs", ranks);
    measure(what, barriers, 2);
  } else {
    measure("barrier", barriers, 2);
    measure("broadcast 8 B", broadcasts_8, 2);
    measure("broadcast 64 KiB", broadcasts_64k, 2);
    measure("broadcast 64 KiB, written and read", used_broadcasts_64k, 2);
    measure("broadcast 1 MiB", broadcasts_1m, 2);
    measure("allreduce f64", sums, 2);
    measure("allreduce f64[8192]", long_sums, 2);
    given = malloc(8 * MIB);
    got = malloc((size_t)(8 * MIB) * (size_t)ranks);
    if (given == NULL || got == NULL || ranks > 1024) wrong("the memory");
    measure("alltoall 1 KiB", alltoalls_1k, 2);
    measure("alltoall 8 KiB", alltoalls_8k, 2);
    measure("alltoall 128 KiB", alltoalls_128k, 2);
    measure("alltoall 1 MiB", alltoalls_1m, 2);
    measure("alltoall 8 MiB", alltoalls_8m, 2);
    measure("alltoallv 1 MiB", alltoallvs_1m, 2);
    measure("gather 1 KiB", gathers_1k, 2);
    measure("gather 8 KiB", gathers_8k, 2);
    measure("gather 128 KiB", gathers_128k, 2);
    measure("gather 1 MiB", gathers_1m, 2);
    measure("gather 8 MiB", gathers_8m, 2);
  }
  MPI_Finalize();
  return 0;
}
