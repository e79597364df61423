/*
 * Many-to-many without conveyors, for `tundish bench mpi`: each rank has items for random ranks, itself among them;
 * they are counted and sorted by destination, the counts exchanged by MPI_Alltoall and the items by MPI_Alltoallv, and
 * each received item is read. Arguments and output: ranks.h; then BYTES of an item (8, 16, 32 or 128) and LOADS,
 * items per pair of ranks, comma-separated. An operation is an exchange:
 *
 *   mpicc -std=c11 -O3 -march=native nodes-exchange.c -o nodes-exchange
 *   mpirun -n 2 --bind-to none ./nodes-exchange 15 4 0,1 16 1,1000
 *   {"what": "16 B, 1 per pair", "batch": 900, "samples": [4123.70, ...]}
 *
 * The items are those of conveyors/payloads.ts: item i has the number i % BLOCK first, then 1, 2, 3, and its destination
 * comes from a list of BLOCK that is used again and again, so that both stay in the caches. The received items are summed
 * and compared with what was sent to each. The memory to receive into is allocated in advance, in favour of MPI.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "nodes-exchange"
#include "ranks.h"

#define BLOCK 16384
#define LONG 128
#define MAX_RANKS 1024

static int dests[BLOCK];
static long items;              /* that this rank sends in an exchange */
static int bytes;               /* of an item */
static char *sorted, *received; /* the items by destination, and those that have come */
static int counts[MAX_RANKS], starts[MAX_RANKS], come[MAX_RANKS], places[MAX_RANKS];
static double expected, found; /* sums of what comes in an exchange */

/* The value of item i in the sum. Of 128 bytes the first 8 are added, one by one. */
static double worth(long i) {
  double number = (double)(i % BLOCK), sum = 0;
  if (bytes < LONG) return number + (bytes == 16 ? 1 : bytes == 32 ? 6 : 0);
  for (int b = 0; b < 8; b++) sum += ((unsigned char *)&number)[b];
  return sum;
}

/* Exchanges the counts of items; returns the number of items to receive. */
static long count_items(void) {
  memset(counts, 0, sizeof(int) * ranks);
  for (long i = 0; i < items; i++) counts[dests[i % BLOCK]] += bytes;
  MPI_Alltoall(counts, 1, MPI_INT, come, 1, MPI_INT, MPI_COMM_WORLD);
  int start = 0, place = 0;
  for (int r = 0; r < ranks; r++) {
    starts[r] = start;
    places[r] = place;
    start += counts[r];
    place += come[r];
  }
  return place / bytes;
}

/* An exchange of items of N doubles: a function for each N, so that the compiler knows how long they are. */
#define EXCHANGE(N, WORTH)                                                                          \
  static void exchange_##N(void) {                                                                  \
    long coming = count_items();                                                                    \
    static const double rest[16] = {0, 1, 2, 3};                                                    \
    char *next[MAX_RANKS];                                                                          \
    for (int r = 0; r < ranks; r++) next[r] = sorted + starts[r];                                   \
    for (long i = 0; i < items; i++) {                                                              \
      double *item = (double *)next[dests[i % BLOCK]];                                              \
      next[dests[i % BLOCK]] += N * sizeof(double);                                                 \
      memcpy(item, rest, N * sizeof(double));                                                       \
      item[0] = (double)(i % BLOCK);                                                                \
    }                                                                                               \
    MPI_Alltoallv(sorted, counts, starts, MPI_BYTE, received, come, places, MPI_BYTE, MPI_COMM_WORLD); \
    double sum = 0;                                                                                 \
    for (const double *item = (double *)received; coming-- > 0; item += N) sum += WORTH;            \
    found = sum;                                                                                    \
  }

static inline double first_bytes(const double *item) {
  const unsigned char *b = (const unsigned char *)item;
  return b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + b[7];
}

EXCHANGE(1, item[0])
EXCHANGE(2, item[0] + item[1])
EXCHANGE(4, item[0] + item[1] + item[2] + item[3])
EXCHANGE(16, first_bytes(item))

static void (*exchange)(void);

static double exchanges(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) {
    exchange();
    if (found != expected) wrong("items are missing, or too many");
  }
  return now() - start;
}

/* Memory, and the expected sum. */
static void prepare(long load) {
  items = load * ranks;
  long coming = count_items();
  if (items * bytes > 0x7fffffff || coming * bytes > 0x7fffffff) refuse("more bytes than an int can count", "");
  sorted = realloc(sorted, items * bytes);
  received = realloc(received, coming * bytes + 1);
  double sums[MAX_RANKS] = {0};
  for (long i = 0; i < items; i++) sums[dests[i % BLOCK]] += worth(i);
  MPI_Allreduce(MPI_IN_PLACE, sums, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expected = sums[rank];
}

int main(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU[,CPU...] BYTES (8, 16, 32, 128) LOAD[,LOAD...]";
  read_arguments(argc, argv, 6, usage);
  bytes = atoi(argv[4]);
  exchange = bytes == 8 ? exchange_1 : bytes == 16 ? exchange_2 : bytes == 32 ? exchange_4 : exchange_16;
  if (bytes != 8 && bytes != 16 && bytes != 32 && bytes != LONG) refuse(usage, "");
  start(argc, argv);
  if (ranks > MAX_RANKS) refuse("too many ranks", "");
  unsigned state = 12345u + 7919u * rank;
  for (int i = 0; i < BLOCK; i++) {
    state = state * 1664525u + 1013904223u;
    dests[i] = (int)((unsigned long)state * ranks >> 32);
  }
  char *end = argv[5];
  for (char *at = end; *end; at = end + 1) {
    long load = strtol(at, &end, 10);
    if (end == at || (*end && (*end != ',' || !end[1])) || load < 1 || load > 100000000) refuse(usage, "");
    char what[64];
    snprintf(what, sizeof what, "%d B, %ld per pair", bytes, load);
    prepare(load);
    measure(what, exchanges, 1);
  }
  MPI_Finalize();
  return 0;
}
