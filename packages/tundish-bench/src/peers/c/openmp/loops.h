/*
 * Common parts of the programs of OpenMP's loops and synchronisation: the work of an iteration, one thread alone, batches.
 *
 * Every iteration is counted: a program ends with 1 if one was left out or run twice, and with 2 on wrong arguments.
 *
 * Source of the method: Bull, "Measuring Synchronisation and Scheduling Overheads in OpenMP", EWOMP 1999.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../threads.h"
#include <omp.h>

static int threads;
static double sinks[CPU_SETSIZE][16]; /* a line of two for each thread */
static long iterations;               /* that were run */

/* Sixteen dependent multiplications and additions. */
static inline double work(double x) {
  for (int i = 0; i < 16; i++) x = x * 0.5 + 1.0;
  return x;
}

/* `count` loops of `each` iterations for each thread; each thread does its part and counts what it has run. */
typedef void Loops(long count, int each);

static void counted(long own) {
#pragma omp atomic
  iterations += own;
}

static void alone(long count, int each) {
  double sink = sinks[0][0];
  for (long k = 0; k < count; k++)
    for (int i = 0; i < each; i++) sink = work(sink);
  sinks[0][0] = sink;
  iterations = count * each * threads;
}

/* Returns ns, by the clock of the first thread. */
static double run(Loops *loops, long count, int each) {
  double start = 0;
  iterations = 0;
  /* here, as a thread may run tasks of others in the barrier before the loops */
  for (int i = 0; i < threads; i++) sinks[i][1] = 0;
  if (loops == alone) {
    start = now();
    alone(count, each);
    elapsed = now() - start;
  } else {
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
#pragma omp master
      start = now();
      loops(count, each);
#pragma omp barrier
#pragma omp master
      elapsed = now() - start;
    }
  }
  if (iterations != count * each * threads) die(1, "wrong: an iteration was left out, or run twice", "");
  return elapsed;
}

/* Prints one measurement: ns for an iteration of a thread. */
static void measure(const char *what, Loops *loops, int each) {
  long batch = 1;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 4; i++) {
      double ns = run(loops, batch, each);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = (long)(batch * batch_ns / quickest) + 1;
  run(loops, batch, each); /* the first is dropped */
  printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch * each);
  for (int b = 0; b < batches; b++) printf("%s%.3f", b ? ", " : "", run(loops, batch, each) / batch / each);
  printf("]}\n");
}

/* Starts the threads, thread i on the i-th CPU of the list, and again from its beginning. */
static void start_threads(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_num_threads() != threads) die(2, "the threads could not be started", "");
    pin(cpus[omp_get_thread_num() % n_cpus]);
  }
}
