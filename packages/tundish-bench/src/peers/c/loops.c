/*
 * OpenMP, as gcc's libgomp or LLVM's libomp do it: what the schedules of a loop cost, as schedbench of
 * EPCC's suite measures it.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp loops.c -o loops
 *   ./loops BATCHES MS THREADS CHUNK[,CHUNK...] CPU,CPU[,CPU...]          e.g. ./loops 15 4 4 1,128 0,1
 *
 * Thread i is bound to the i-th CPU of the list, and again from its beginning. One line of JSON per
 * measurement; `samples` are ns per iteration of a thread, one per batch of about MS milliseconds:
 *
 *   {"what": "dynamic, 8", "batch": 40960, "samples": [61.30, 60.11, ...]}
 *
 * A loop has 1024 iterations for each thread, which all do the same short work, and ends with its
 * barrier; `task` makes a task of each. `alone` is one thread that does 1024 iterations without any loop of OpenMP: what is above it,
 * times the threads that share a CPU, is overhead.
 *
 * Every iteration is counted: ends with 1 if one was left out or run twice, and with 2 on wrong arguments.
 *
 * Source of the method: Bull, "Measuring Synchronisation and Scheduling Overheads in OpenMP", EWOMP 1999.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "loops"
#include "threads.h"
#include <omp.h>

#define EACH 1024
#define MOST_CHUNKS 16

static int threads, n_chunks, chunks[MOST_CHUNKS];
static double sinks[CPU_SETSIZE][16]; /* a line of two for each thread */

/* Sixteen dependent multiplications and additions. */
static inline double work(double x) {
  for (int i = 0; i < 16; i++) x = x * 0.5 + 1.0;
  return x;
}

/* `count` loops; the time by the clock of the first thread. */
typedef void Loops(long count);

static long iterations; /* that were run */

static void scheduled(long count) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  long own = 0;
  for (long k = 0; k < count; k++) {
#pragma omp for schedule(runtime)
    for (int i = 0; i < EACH * threads; i++) {
      sink = work(sink);
      own++;
    }
  }
  sinks[thread][0] = sink;
#pragma omp atomic
  iterations += own;
}

static void blocks(long count) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  long own = 0;
  for (long k = 0; k < count; k++) {
#pragma omp for schedule(static)
    for (int i = 0; i < EACH * threads; i++) {
      sink = work(sink);
      own++;
    }
  }
  sinks[thread][0] = sink;
#pragma omp atomic
  iterations += own;
}

/* Each thread makes a task for each of its iterations; the barrier ends when all are done. */
static void tasks(long count) {
  int thread = omp_get_thread_num();
  double *own = sinks[thread];
  own[1] = 0;
  for (long k = 0; k < count; k++) {
    for (int i = 0; i < EACH; i++) {
#pragma omp task
      {
        double *sink = sinks[omp_get_thread_num()];
        sink[0] = work(sink[0]);
        sink[1]++;
      }
    }
#pragma omp barrier
  }
#pragma omp atomic
  iterations += (long)own[1];
}

static void alone(long count) {
  double sink = sinks[0][0];
  for (long k = 0; k < count; k++)
    for (int i = 0; i < EACH; i++) sink = work(sink);
  sinks[0][0] = sink;
  iterations = count * EACH * threads;
}

static double run(Loops *loops, long count) {
  double start = 0;
  iterations = 0;
  if (loops == alone) {
    start = now();
    alone(count);
    elapsed = now() - start;
  } else {
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
#pragma omp master
      start = now();
      loops(count);
#pragma omp barrier
#pragma omp master
      elapsed = now() - start;
    }
  }
  if (iterations != count * EACH * threads) die(1, "wrong: an iteration was left out, or run twice", "");
  return elapsed;
}

static void measure(const char *what, Loops *loops) {
  long batch = 1;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 4; i++) {
      double ns = run(loops, batch);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = (long)(batch * batch_ns / quickest) + 1;
  run(loops, batch); /* the first is dropped */
  printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch * EACH);
  for (int b = 0; b < batches; b++) printf("%s%.3f", b ? ", " : "", run(loops, batch) / batch / EACH);
  printf("]}\n");
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) MS (0.01 to 10000) THREADS CHUNK[,CHUNK...] CPU,CPU[,CPU...]";
  if (argc != 6) die(2, usage, "");
  threads = (int)read_number(argv[3], 1, 256, usage);
  for (char *at = strtok(argv[4], ","); at && n_chunks < MOST_CHUNKS; at = strtok(NULL, ","))
    chunks[n_chunks++] = (int)read_number(at, 1, 1 << 20, usage);
  argv[3] = argv[5];
  read_batches(argv, usage);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_num_threads() != threads) die(2, "the threads could not be started", "");
    pin(cpus[omp_get_thread_num() % n_cpus]);
  }
  measure("alone", alone);
  measure("static", blocks);
  measure("task", tasks);
  static const struct {
    const char *name;
    omp_sched_t kind;
  } kinds[] = {{"static", omp_sched_static}, {"dynamic", omp_sched_dynamic}, {"guided", omp_sched_guided}};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < n_chunks; c++) {
      char what[64];
      snprintf(what, sizeof what, "%s, %d", kinds[k].name, chunks[c]);
      omp_set_schedule(kinds[k].kind, chunks[c]);
      measure(what, scheduled);
    }
}
