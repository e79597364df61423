/*
 * MPI, whichever it is compiled with: a barrier, a broadcast of 8 B, 64 KiB and 1 MiB, and a sum over
 * all ranks of one double and of 8192.
 *
 *   mpicc -std=c11 -O3 -march=native mpi.c -o mpi
 *   mpirun -n 2 --bind-to none ./mpi BATCHES MS CPU,CPU[,CPU...]      e.g. ./mpi 15 4 0,1
 *
 * Rank r binds itself to CPU r of the list, so the launcher must bind nobody. With more ranks than
 * CPUs all ranks share all CPUs of the list and only the barrier is measured. One line of JSON per
 * measurement; `samples` are ns per operation, one per batch of about MS milliseconds, by rank 0's
 * clock:
 *
 *   {"what": "broadcast 8 B", "batch": 34000, "samples": [116.20, 116.31, ...]}
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * The root of the broadcasts alternates between the first rank and the last. With one root for all it
 * could run ahead of the others, and the figure would be how often it can send, not how long that
 * takes; so the last rank cannot send before it has what the first one sent, and the other way round.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define MAX_CPUS CPU_SETSIZE
#define LONG 8192
#define KIB 1024
#define MIB (1024 * 1024)

/* Gives the ns that `count` operations took; what it prepares and checks does not count. */
typedef double Operations(long count);

static int batches, n_cpus, cpus[MAX_CPUS], rank, ranks;
static double batch_ns;

static double box[MIB / sizeof(double)]; /* what is broadcast */
static double share[LONG], sum[LONG];    /* what is summed, and the result */

/* Before MPI_Init, and where every rank fails alike. */
static void refuse(const char *message, const char *detail) {
  fprintf(stderr, "mpi: %s%s\n", message, detail);
  exit(2);
}

static void wrong(const char *what) {
  fprintf(stderr, "mpi: wrong result at rank %d of %d: %s\n", rank, ranks, what);
  /* MPICH's launcher often drops what it has not passed on when it hears of the abort */
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Reads BATCHES MS CPU,CPU[,...]: every number whole, every CPU once. */
static void read_arguments(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU[,CPU...], no CPU twice";
  if (argc != 4) refuse(usage, "");
  char *rest, *end = argv[3];
  long count = strtol(argv[1], &rest, 10);
  if (*rest || count < 1 || count > 100000) refuse(usage, "");
  double ms = strtod(argv[2], &rest);
  if (*rest || !(ms >= 0.01 && ms <= 10000)) refuse(usage, "");
  batches = (int)count;
  batch_ns = ms * 1e6;
  for (char *at = end; *end; at = end + 1) {
    long cpu = strtol(at, &end, 10);
    if (end == at || (*end && (*end != ',' || !end[1])) || cpu < 0 || cpu >= CPU_SETSIZE) refuse(usage, "");
    for (int i = 0; i < n_cpus; i++)
      if (cpus[i] == cpu) refuse(usage, "");
    cpus[n_cpus++] = (int)cpu;
  }
  if (n_cpus == 0) refuse(usage, "");
}

/* Binds the calling process to these CPUs, and to all of them: the kernel drops those it lacks unasked. */
static void pin(const int *list, int count) {
  cpu_set_t wanted, got;
  CPU_ZERO(&wanted);
  for (int i = 0; i < count; i++) CPU_SET(list[i], &wanted);
  if (sched_setaffinity(0, sizeof wanted, &wanted) || sched_getaffinity(0, sizeof got, &got))
    refuse("a CPU of the list cannot be used: ", strerror(errno));
  if (!CPU_EQUAL(&wanted, &got)) refuse("a CPU of the list cannot be used", "");
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/* The time when all ranks have come. */
static double begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return now();
}

/* Nobody may leave a barrier before all have come; all ranks read the same clock. Each is late in turn. */
static void check_barrier(void) {
  for (int i = 0; i < 2 * ranks; i++) {
    double came = now(), left, first, last;
    if (i % ranks == rank)
      while (now() < came + 20e3);
    came = now();
    MPI_Barrier(MPI_COMM_WORLD);
    left = now();
    MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (first < last) wrong("a rank left a barrier before another had come");
  }
}

static double barriers(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
  return now() - start;
}

/* Rank 0 fills the box with what nobody has seen before; after the last broadcast all must have it. */
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

/* What the operations took by rank 0's clock, on every rank. */
static double run(Operations *operations, long count) {
  double ns = operations(count);
  MPI_Bcast(&ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return ns;
}

static void measure(const char *what, Operations *operations) {
  /* doubled until the quickest of several runs fills a quarter of a batch: interrupts must not count */
  long batch = 8;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 8; i++) {
      double ns = run(operations, batch);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = 2 * ((long)(batch * batch_ns / quickest / 2) + 1);
  run(operations, batch); /* the first is dropped */
  if (rank == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch);
  for (int b = 0; b < batches; b++) {
    double ns = run(operations, batch) / batch;
    if (rank == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (rank == 0) printf("]}\n");
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* spins for ever otherwise when the launcher is killed */
  read_arguments(argc, argv);
  pin(cpus, n_cpus); /* so that what MPI_Init allocates and starts is there too */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* so it goes, without a word, when one MPI's program is started by another MPI's launcher */
  if (ranks < 2) refuse("one rank only: start two or more, by the mpirun of the MPI it is compiled with", "");
  check_barrier();
  if (ranks > n_cpus) {
    char what[64];
    snprintf(what, sizeof what, "barrier, %d PEs", ranks);
    measure(what, barriers);
  } else {
    pin(&cpus[rank], 1);
    measure("barrier", barriers);
    measure("broadcast 8 B", broadcasts_8);
    measure("broadcast 64 KiB", broadcasts_64k);
    measure("broadcast 64 KiB, written and read", used_broadcasts_64k);
    measure("broadcast 1 MiB", broadcasts_1m);
    measure("allreduce f64", sums);
    measure("allreduce f64[8192]", long_sums);
  }
  MPI_Finalize();
  return 0;
}
