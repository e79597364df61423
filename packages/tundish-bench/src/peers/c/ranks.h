/*
 * Common parts of the MPI programs: arguments, CPUs, the clock, batches. Each defines its NAME first.
 *
 *   mpirun -n RANKS --bind-to none PROGRAM BATCHES MS CPU,CPU[,CPU...] [more]
 *
 * Rank r binds itself to CPU r of the list, so the launcher must bind no process; with more ranks than CPUs all share all
 * of the list. One line of JSON per measurement; `samples` are ns per operation, one per batch of about MS
 * milliseconds, by rank 0's clock, each from a barrier on:
 *
 *   {"what": "barrier", "batch": 34000, "samples": [116.20, 116.31, ...]}
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* Gives the ns that `count` operations took; what it prepares and checks does not count. */
typedef double Operations(long count);

static int batches, n_cpus, cpus[CPU_SETSIZE], rank, ranks;
static double batch_ns;

/* Before MPI_Init, and where every rank fails alike. */
static void refuse(const char *message, const char *detail) {
  fprintf(stderr, NAME ": %s%s\n", message, detail);
  exit(2);
}

static void wrong(const char *what) {
  fprintf(stderr, NAME ": wrong result at rank %d of %d: %s\n", rank, ranks, what);
  /* MPICH's launcher often drops what it has not passed on when it hears of the abort */
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A whole number within limits. */
static inline long read_number(const char *text, long least, long most, const char *usage) {
  char *rest;
  long number = strtol(text, &rest, 10);
  if (rest == text || *rest || number < least || number > most) refuse(usage, "");
  return number;
}

/* Reads CPU[,CPU...]: every CPU once. */
static inline void read_cpus(char *list, const char *usage) {
  char *end = list;
  for (char *at = end; *end; at = end + 1) {
    long cpu = strtol(at, &end, 10);
    if (end == at || (*end && (*end != ',' || !end[1])) || cpu < 0 || cpu >= CPU_SETSIZE) refuse(usage, "");
    for (int i = 0; i < n_cpus; i++)
      if (cpus[i] == cpu) refuse(usage, "");
    cpus[n_cpus++] = (int)cpu;
  }
  if (n_cpus == 0) refuse(usage, "");
}

/* Reads BATCHES MS CPU,CPU[,...]: every number whole, every CPU once. */
static inline void read_arguments(int argc, char **argv, int expected, const char *usage) {
  if (argc != expected) refuse(usage, "");
  char *rest;
  batches = (int)read_number(argv[1], 1, 100000, usage);
  double ms = strtod(argv[2], &rest);
  if (*rest || !(ms >= 0.01 && ms <= 10000)) refuse(usage, "");
  batch_ns = ms * 1e6;
  read_cpus(argv[3], usage);
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

/* MPI, on the CPUs: bound before, so that what it allocates and starts is there too. */
static void start(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* spins for ever otherwise when the launcher is killed */
  pin(cpus, n_cpus);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* this happens silently when one MPI's program is started by another MPI's launcher */
  if (ranks < 2) refuse("one rank only: start two or more, by the mpirun of the MPI it is compiled with", "");
  if (ranks <= n_cpus) pin(&cpus[rank], 1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/* The time when all ranks have arrived. */
static inline double begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return now();
}

/* The time of the operations by the clock of rank 0, on every rank. */
static inline double run(Operations *operations, long count) {
  double ns = operations(count);
  MPI_Bcast(&ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return ns;
}

/* Times batches of a multiple of `least` operations. */
static inline void measure(const char *what, Operations *operations, long least) {
  /* doubled until the quickest of several runs fills a quarter of a batch: interrupts must not count */
  long batch = least;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    double all = 0;
    for (int i = 0; i < 8 && all < 16 * batch_ns; i++) {
      double ns = run(operations, batch);
      all += ns;
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = least * ((long)(batch * batch_ns / quickest / least) + 1);
  run(operations, batch); /* the first is dropped */
  if (rank == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch);
  for (int b = 0; b < batches; b++) {
    double ns = run(operations, batch) / batch;
    if (rank == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (rank == 0) printf("]}\n");
}

/* No rank may leave a barrier before all have entered; all ranks read the same clock. Each is late in turn. */
static inline void check_barrier(void) {
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

static inline double barriers(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
  return now() - start;
}
