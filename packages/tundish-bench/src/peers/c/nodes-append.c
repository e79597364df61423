/*
 * Appending to a buffer of another rank by MPI windows, for `tundish bench append`: room is reserved by MPI_Fetch_and_op and the bytes are
 * written by MPI_Put, as in listing 1 of Dinan, Flajslik, "One-Sided Append". CPUs and the clock: ranks.h.
 *
 *   mpicc -std=c11 -O3 -march=native nodes-append.c -o nodes-append
 *   mpirun -n 2 --bind-to none ./nodes-append BATCHES CPU[,CPU...] BYTES:PUSHES[,BYTES:PUSHES...]
 *
 * In a batch each writer pushes BYTES bytes PUSHES times: rank 0 alone into the buffer of the last rank, then all ranks at the same time,
 * each into that of the next rank. A rank that does not write waits in MPI_Barrier. The buffer holds a batch, and is empty again before
 * the next one. One line of JSON per measurement; a sample is the time of a batch at the rank that took longest, by pushes, ns:
 *
 *   {"name": "C", "what": "8 B, 1 writer", "batch": 1000, "samples": [812.20, 811.31, ...]}
 *
 * "C" completes each push before the next one: a flush after the addition, one after the put. "C, 100 at a time" begins 100 additions,
 * waits for all, begins 100 puts, and waits for all.
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result: in the first batch and the last one every byte is compared.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "nodes-append"
#include "ranks.h"
#include <stdint.h>

#define MAX_BYTES (1 << 20)
#define MAX_ROOM (1L << 30)
#define TOGETHER 100
/* The counter has two lines of its own before the buffer. */
#define HEAD 128

static int64_t bytes;       /* of a push */
static long pushes;         /* of each writer in a batch */
static int64_t room;        /* bytes of a batch */
static char *memory, *data; /* counter and buffer; what is pushed */
static MPI_Win window;

static void check_room(int64_t at) {
  if (at < 0 || at + bytes > room) wrong("more was reserved than pushed");
}

static void put(int dest, int64_t at) {
  check_room(at);
  MPI_Put(data, (int)bytes, MPI_BYTE, dest, HEAD + at, (int)bytes, MPI_BYTE, window);
}

static void each(int dest) {
  for (long i = 0; i < pushes; i++) {
    int64_t at;
    MPI_Fetch_and_op(&bytes, &at, MPI_INT64_T, dest, 0, MPI_SUM, window);
    MPI_Win_flush(dest, window);
    put(dest, at);
    MPI_Win_flush(dest, window);
  }
}

static void hundreds(int dest) {
  static int64_t at[TOGETHER];
  for (long left = pushes; left > 0; left -= TOGETHER) {
    long count = left < TOGETHER ? left : TOGETHER;
    for (long i = 0; i < count; i++) MPI_Fetch_and_op(&bytes, &at[i], MPI_INT64_T, dest, 0, MPI_SUM, window);
    MPI_Win_flush(dest, window);
    for (long i = 0; i < count; i++) put(dest, at[i]);
    MPI_Win_flush(dest, window);
  }
}

/* Each record is whole and of `writer`, and there are as many as it has pushed. */
static void check(int writer) {
  if (*(int64_t *)memory != room) wrong("not as much was reserved as pushed");
  for (int64_t at = 0; at < room; at++)
    if ((unsigned char)memory[HEAD + at] != (unsigned char)(writer + 1)) wrong("a record is not as it was pushed");
}

/* The buffer is empty again: between the two meetings of this rank with the writers. */
static void empty(int writer, int is_checked) {
  MPI_Win_sync(window);
  if (is_checked && writer >= 0) check(writer);
  *(int64_t *)memory = 0;
  MPI_Win_sync(window);
}

static void measure_pushes(const char *name, void (*push)(int dest), int all) {
  int dest = all ? (rank + 1) % ranks : ranks - 1;
  int writer = all ? (rank - 1 + ranks) % ranks : rank == ranks - 1 ? 0 : -1;
  int writers = all ? ranks : 1;
  double *samples = malloc(batches * sizeof(double));
  for (int b = -1; b < batches; b++) { /* the first is dropped */
    double began = begin();
    if (all || rank == 0) push(dest);
    double ns = now() - began;
    if (!all && rank != 0) ns = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (b >= 0) samples[b] = ns / pushes;
    empty(writer, b < 0 || b == batches - 1);
  }
  if (rank == 0) {
    printf("{\"name\": \"%s\", \"what\": \"%ld B, %d writer%s\", \"batch\": %ld, \"samples\": [", name, (long)bytes, writers,
           writers > 1 ? "s" : "", pushes * writers);
    for (int b = 0; b < batches; b++) printf("%s%.2f", b ? ", " : "", samples[b]);
    printf("]}\n");
  }
  free(samples);
}

/* Reads the next BYTES:PUSHES. */
static char *read_size(char *at, const char *usage) {
  char *colon, *end;
  bytes = strtol(at, &colon, 10);
  if (colon == at || *colon != ':' || bytes < 1 || bytes > MAX_BYTES) refuse(usage, "");
  pushes = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || (*end && (*end != ',' || !end[1])) || pushes < 1 || pushes > MAX_ROOM / bytes) refuse(usage, "");
  room = bytes * pushes;
  return *end ? end + 1 : end;
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) CPU[,CPU...] BYTES:PUSHES[,BYTES:PUSHES...]";
  if (argc != 4 || !*argv[3]) refuse(usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  read_cpus(argv[2], usage);
  int64_t most = 0;
  for (char *at = argv[3]; *at;) {
    at = read_size(at, usage);
    if (room > most) most = room;
  }
  start(argc, argv);
  data = malloc(MAX_BYTES);
  memset(data, rank + 1, MAX_BYTES);
  MPI_Win_allocate(HEAD + most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, HEAD + most);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (char *at = argv[3]; *at;) {
    at = read_size(at, usage);
    for (int all = 0; all < 2; all++) {
      measure_pushes("C", each, all);
      measure_pushes("C, 100 at a time", hundreds, all);
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
