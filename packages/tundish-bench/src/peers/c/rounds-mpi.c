/*
 * Rounds (rounds.h) of MPI_Bcast of one byte, MPI_Reduce and MPI_Allreduce of one integer, and MPI_Barrier.
 *
 *   mpicc -std=c11 -O3 -march=native rounds-mpi.c -o rounds-mpi
 *   mpirun -n 2 --bind-to none ./rounds-mpi BATCHES ROUNDS CPU,CPU[,CPU...]      e.g. ./rounds-mpi 15 200 0,1
 *
 * As many CPUs as ranks; rank r is bound to CPU r of the list. Output as that of mpi.c: ns per operation, one sample per batch.
 * The flags lie in a shared window of MPI, so all ranks must be on one machine.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "rounds-mpi"
#include "ranks.h"
#include "rounds.h"

static long rounds_each;
static Flags *flags;
static uint32_t epoch;
static double *times;

static void bcast(long i) {
  char byte = (char)i;
  MPI_Bcast(&byte, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (byte != (char)i) wrong("a broadcast");
}

static void reduce(long i) {
  int mine = (int)i + rank, all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all != ranks * (int)i + ranks * (ranks - 1) / 2) wrong("a reduction");
}

static void allreduce(long i) {
  int mine = (int)i + rank, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all != ranks * (int)i + ranks * (ranks - 1) / 2) wrong("an allreduce");
}

static void barrier(long i) {
  (void)i;
  MPI_Barrier(MPI_COMM_WORLD);
}

static double batch(void operation(long)) {
  for (long i = 0; i < rounds_each; i++) {
    disseminate(flags, rank, ranks, &epoch);
    disseminate(flags, rank, ranks, &epoch);
    double start = now();
    operation(i);
    times[i] = now() - start;
  }
  void *own = rank == 0 ? MPI_IN_PLACE : times;
  MPI_Reduce(own, times, (int)rounds_each, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return rank == 0 ? median_of(times, rounds_each) : 0;
}

static void measure_rounds(const char *what, void operation(long)) {
  batch(operation); /* the first is dropped */
  if (rank == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, rounds_each);
  for (int b = 0; b < batches; b++) {
    double ns = batch(operation);
    if (rank == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (rank == 0) printf("]}\n");
}

/* One window of all flags at rank 0, which all ranks see. */
static Flags *shared_flags(void) {
  MPI_Win window;
  MPI_Aint bytes = rank == 0 ? (MPI_Aint)(ranks * sizeof(Flags) + sizeof(Flag)) : 0;
  int unit;
  void *base;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
  /* aligned within the page, so at the same place for all */
  uintptr_t aligned = ((uintptr_t)base + sizeof(Flag) - 1) / sizeof(Flag) * sizeof(Flag);
  if (rank == 0) memset((void *)aligned, 0, ranks * sizeof(Flags));
  MPI_Barrier(MPI_COMM_WORLD);
  return (Flags *)aligned;
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) ROUNDS (1 to 100000) CPU[,CPU...], no CPU twice";
  if (argc != 4) refuse(usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  rounds_each = read_number(argv[2], 1, MAX_IN_BATCH, usage);
  batch_ns = 0;
  read_cpus(argv[3], usage);
  start(argc, argv);
  if (ranks > n_cpus || ranks > MAX_PES) refuse("expected a CPU for each rank", "");
  times = malloc(rounds_each * sizeof *times);
  if (!times) refuse("out of memory", "");
  flags = shared_flags();
  check_barrier();
  measure_rounds("broadcast", bcast);
  measure_rounds("reduce", reduce);
  measure_rounds("allreduce", allreduce);
  measure_rounds("barrier", barrier);
  MPI_Finalize();
  return 0;
}
