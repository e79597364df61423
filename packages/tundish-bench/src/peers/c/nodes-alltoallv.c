/*
 * MPI_Alltoallv of equal parts, for `tundish bench mpi`: each rank has a part for every rank, itself among them. Arguments and
 * output: ranks.h; then BYTES of a part, comma-separated, multiples of 8. An operation is one MPI_Alltoallv:
 *
 *   mpicc -std=c11 -O3 -march=native nodes-alltoallv.c -o nodes-alltoallv
 *   mpirun -n 2 --bind-to none ./nodes-alltoallv 15 4 0,1 4096,1048576
 *   {"what": "parts of 4096 B", "batch": 90, "samples": [41237.70, ...]}
 *
 * The counts are known, and the memory to receive into is allocated in advance, in favour of MPI. Both ends of each part are compared
 * with what was sent.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "nodes-alltoallv"
#include "ranks.h"

#define MAX_RANKS 1024

static long bytes; /* of a part */
static double *parts, *received;
static int counts[MAX_RANKS], starts[MAX_RANKS];

/* The number that begins and ends the part from one rank for another. */
static double mark(int from, int to) { return 1 + from * (double)ranks + to; }

static double exchanges(long count) {
  const long length = bytes / sizeof(double);
  double start = begin();
  for (long i = 0; i < count; i++) {
    MPI_Alltoallv(parts, counts, starts, MPI_BYTE, received, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
      double *first = &received[r * length], *last = first + length - 1;
      if (*first != mark(r, rank) || *last != mark(r, rank)) wrong("a part is not as sent");
      *first = *last = 0;
    }
  }
  return now() - start;
}

/* Memory, and what is sent. */
static void prepare(void) {
  long length = bytes / sizeof(double);
  if (bytes * ranks > 0x7fffffff) refuse("more bytes than an int can count", "");
  parts = realloc(parts, bytes * ranks);
  received = realloc(received, bytes * ranks);
  for (int r = 0; r < ranks; r++) {
    counts[r] = (int)bytes;
    starts[r] = (int)(r * bytes);
    for (long i = 0; i < length; i++) parts[r * length + i] = mark(rank, r);
  }
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU[,CPU...] BYTES[,BYTES...] (multiples of 8)";
  read_arguments(argc, argv, 5, usage);
  start(argc, argv);
  if (ranks > MAX_RANKS) refuse("too many ranks", "");
  char *end = argv[4];
  for (char *at = end; *end; at = end + 1) {
    bytes = strtol(at, &end, 10);
    if (end == at || (*end && (*end != ',' || !end[1])) || bytes < 8 || bytes % 8 || bytes > 0x7fffffff) refuse(usage, "");
    char what[64];
    snprintf(what, sizeof what, "parts of %ld B", bytes);
    prepare();
    measure(what, exchanges, 1);
  }
  MPI_Finalize();
  return 0;
}
