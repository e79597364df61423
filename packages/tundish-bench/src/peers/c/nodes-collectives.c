/*
 * Barrier, broadcast and allreduce of an MPI, for `tundish bench mpi`: a number and arrays of doubles of 8 B, 1 KiB,
 * 64 KiB and 1 MiB. Arguments and output: ranks.h.
 *
 *   mpicc -std=c11 -O3 -march=native nodes-collectives.c -o nodes-collectives
 *   mpirun -n 2 --bind-to none ./nodes-collectives 15 4 0,1
 *
 * The root of the broadcasts alternates between the first rank and the last: with one root for all it could run ahead
 * of the others, and the figure would be how often it can send, not how long that takes. Sums are taken in place, as
 * ours are.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "nodes-collectives"
#include "ranks.h"

#define LENGTH (1024 * 1024 / (long)sizeof(double))

static double box[LENGTH];
static long length; /* of the arrays that are measured now */

/* The number is different each time, and checked. */
static double number_broadcasts(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) {
    int root = i & 1 ? ranks - 1 : 0;
    double x = (double)i + rank;
    MPI_Bcast(&x, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    if (x != (double)i + root) wrong("a broadcast of one double");
  }
  return now() - start;
}

static double number_sums(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) {
    double mine = (double)i + rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (all != ranks * ((double)i + (ranks - 1) / 2.0)) wrong("a sum of one double");
  }
  return now() - start;
}

/* Rank 0 fills the box with a new number; after the last broadcast all must have it. */
static double broadcasts(long count) {
  static double seed;
  seed += LENGTH;
  for (long j = 0; rank == 0 && j < length; j++) box[j] = seed + j;
  double start = begin();
  for (long i = 0; i < count; i++)
    MPI_Bcast(box, (int)length, MPI_DOUBLE, i & 1 ? ranks - 1 : 0, MPI_COMM_WORLD);
  double ns = now() - start;
  for (long j = 0; j < length; j++)
    if (box[j] != seed + j) wrong("a broadcast");
  return ns;
}

/* One sum is checked, then sums of zeros are timed: others would grow without bound in place. */
static double sums(long count) {
  for (long j = 0; j < length; j++) box[j] = rank + j % 3;
  MPI_Allreduce(MPI_IN_PLACE, box, (int)length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (long j = 0; j < length; j++)
    if (box[j] != ranks * ((ranks - 1) / 2.0 + j % 3)) wrong("a sum of arrays");
  memset(box, 0, sizeof box);
  double start = begin();
  for (long i = 0; i < count; i++)
    MPI_Allreduce(MPI_IN_PLACE, box, (int)length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return now() - start;
}

int main(int argc, char **argv) {
  static const struct { const char *name; long length; } sizes[] = {
      {"8 B", 1}, {"1 KiB", 128}, {"64 KiB", 8192}, {"1 MiB", LENGTH}};
  read_arguments(argc, argv, 4, "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU[,CPU...], no CPU twice");
  start(argc, argv);
  check_barrier();
  measure("barrier", barriers, 2);
  measure("broadcast of a number", number_broadcasts, 2);
  measure("allreduce of a number", number_sums, 2);
  for (int i = 0; i < 4; i++) {
    char what[32];
    length = sizes[i].length;
    snprintf(what, sizeof what, "broadcast, %s", sizes[i].name);
    measure(what, broadcasts, 2);
    snprintf(what, sizeof what, "allreduce, %s", sizes[i].name);
    measure(what, sums, 2);
  }
  MPI_Finalize();
  return 0;
}
