/*
 * The overhead of OpenMP's barrier by the method of EPCC's syncbench, BARRIER, for `tundish bench smelt`: table 2 of Smelt's
 * paper. Written from the published method, not from EPCC's code.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp epcc.c -o epcc
 *   ./epcc REPETITIONS MS CPU,CPU[,CPU...]          e.g. ./epcc 200 1 0,1
 *
 * One thread per CPU of the list, bound to it. The reference is a loop of delays by one thread; the test is the same loop with
 * a barrier after each delay, by all. Both have so many inner repetitions that the test takes about MS milliseconds. The
 * overhead of an outer repetition is its time less the median of the reference's (EPCC: their mean), for one inner repetition:
 *
 *   {"what": "EPCC BARRIER", "batch": 5000, "samples": [180.3, ...], "delay": 102.1, "length": 80}
 *
 * `delay` is what the reference takes for one, in ns, `length` the turns of its loop.
 *
 * Source: J. M. Bull, "Measuring synchronisation and scheduling overheads in OpenMP", EWOMP 1999; the delay of 0.1 us and the
 * test of 1 ms are syncbench's defaults.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NAME /* epcc-tree.c includes this file */
#define NAME "epcc"
#define TREES 0
#define WHERE ""
#define IS_USED 1
#include "threads.h"
static void read_trees(char **texts, const char *usage) {
  (void)texts;
  (void)usage;
}
#endif
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#define DELAY_NS 100
#define REFERENCES 20
#define TRIES 8
#define PER_TRY 1000

static int pes;
static double *samples;

/* Additions, each of which needs the one before: of doubles, as JavaScript has no floats. */
__attribute__((noinline)) static void delay(int length) {
  double a = 0;
  for (int i = 0; i < length; i++) a += i;
  if (a < 0) printf("%f\n", a);
}

static double delays(int length, long inner) {
  double start = now();
  for (long i = 0; i < inner; i++) delay(length);
  return now() - start;
}

/* The least of several tries, as interrupts only add. */
static double delay_ns(int length) {
  double least = 1e18;
  for (int i = 0; i < TRIES; i++) {
    double ns = delays(length, PER_TRY) / PER_TRY;
    if (ns < least) least = ns;
  }
  return least;
}

/* The turns that take DELAY_NS. */
static int find_length(void) {
  int length = 1;
  while (delay_ns(length) < DELAY_NS) length = (int)(length * 1.1) + 1;
  return length;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double test(int length, long inner) {
  double ns = 0;
#pragma omp parallel num_threads(pes)
  {
    pin(cpus[omp_get_thread_num()]);
#pragma omp barrier
    double start = now();
    for (long i = 0; i < inner; i++) {
      delay(length);
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) ns = now() - start;
  }
  return ns;
}

/* Of several: interrupts must not count. */
static double quickest_test(int length, long inner) {
  double least = 1e18;
  for (int i = 0; i < TRIES; i++) {
    double ns = test(length, inner);
    if (ns < least) least = ns;
  }
  return least;
}

/* No thread may leave a barrier before all have entered: their counts are equal, or one ahead. */
static void check(void) {
  static _Atomic long counts[CPU_SETSIZE];
#pragma omp parallel num_threads(pes)
  {
    int me = omp_get_thread_num();
    for (long i = 1; i <= 200; i++) {
      atomic_store_explicit(&counts[me], i, memory_order_relaxed);
#pragma omp barrier
      for (int other = 0; other < pes; other++) {
        long ahead = atomic_load_explicit(&counts[other], memory_order_relaxed) - i;
        if (ahead < 0 || ahead > 1) die(1, "wrong: a thread left a barrier before another had come", "");
      }
    }
  }
}

int main(int argc, char **argv) {
  static const char usage[] =
      "expected REPETITIONS (1 to 100000) MS (0.01 to 10000) CPU,CPU[,CPU...], two CPUs or more and none twice" WHERE;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive whoever started it */
  if (argc != 4 + TREES) die(2, usage, "");
  read_batches(argv, usage);
  read_trees(argv + 4, usage);
  elapsed = 0;
  pes = n_cpus;
  samples = malloc(batches * sizeof *samples);
  if (!samples) die(2, "out of memory", "");
  omp_set_dynamic(0);
  check();
  if (!IS_USED) die(1, "wrong: the barrier was GOMP's own", "");
  pin(cpus[0]);
  int length = find_length();
  long inner = 1;
  while (quickest_test(length, inner) < batch_ns) inner *= 2;
  double references[REFERENCES];
  for (int i = 0; i < REFERENCES; i++) references[i] = delays(length, inner);
  qsort(references, REFERENCES, sizeof *references, by_size);
  double reference = references[REFERENCES / 2];
  test(length, inner); /* the first is dropped */
  for (int k = 0; k < batches; k++) samples[k] = (test(length, inner) - reference) / inner;
  printf("{\"what\": \"EPCC BARRIER\", \"batch\": %ld, \"samples\": [", inner);
  for (int k = 0; k < batches; k++) printf("%s%.2f", k ? ", " : "", samples[k]);
  printf("], \"delay\": %.2f, \"length\": %d}\n", reference / inner, length);
  return 0;
}
