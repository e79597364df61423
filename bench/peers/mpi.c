/*
 * MPI, whichever it is compiled with: a barrier, a broadcast of 8 B, 64 KiB and 1 MiB, and a sum over
 * all ranks of one double and of 8192.
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
  }
  MPI_Finalize();
  return 0;
}
