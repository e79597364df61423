/*
 * OpenMP's synchronisation, as gcc's libgomp or LLVM's libomp do it: what syncbench of EPCC's suite measures.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp sync.c -o sync
 *   ./sync BATCHES MS THREADS CPU,CPU[,CPU...]          e.g. ./sync 9 4 4 0,1
 *
 * Lines as of loops.c: ns for one piece of work of a thread and one construct after it. `work alone` is that of one
 * thread: what is above it, times the threads that share a CPU, is the construct's.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "sync"
#include "loops.h"

#define EACH 128

static _Alignas(128) long shared; /* is changed by all threads */
static _Alignas(128) omp_lock_t lock;
static _Alignas(128) double total;

/* The construct of each measurement, after a piece of work. */
#define EVERY(name, construct)                   \
  static void name(long count, int each) {       \
    int thread = omp_get_thread_num();           \
    double sink = sinks[thread][0];              \
    for (long k = 0; k < count * each; k++) {    \
      sink = work(sink);                         \
      construct                                  \
    }                                            \
    sinks[thread][0] = sink;                     \
    counted(count * each);                       \
  }

EVERY(barriers, { _Pragma("omp barrier") })
EVERY(singles, { _Pragma("omp single") shared++; })
EVERY(atomics, { _Pragma("omp atomic") shared++; })
EVERY(locks, {
  omp_set_lock(&lock);
  shared++;
  omp_unset_lock(&lock);
})

/* One iteration for each thread, whose results are added up for all. */
static void reductions(long count, int each) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  for (long k = 0; k < count * each; k++) {
#pragma omp for schedule(static) reduction(+ : total)
    for (int i = 0; i < threads; i++) {
      sink = work(sink);
      total += sink;
    }
  }
  sinks[thread][0] = sink;
  counted(count * each);
}

/* Iterations in turn, of which each is ordered as a whole but for its work. */
static void ordered(long count, int each) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  long own = 0;
  for (long k = 0; k < count; k++) {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < each * threads; i++) {
      sink = work(sink);
#pragma omp ordered
      shared++;
      own++;
    }
  }
  sinks[thread][0] = sink;
  counted(own);
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) MS (0.01 to 10000) THREADS CPU,CPU[,CPU...]";
  if (argc != 5) die(2, usage, "");
  threads = (int)read_number(argv[3], 1, 256, usage);
  argv[3] = argv[4];
  read_batches(argv, usage);
  start_threads();
  omp_init_lock(&lock);
  measure("work alone", alone, EACH);
  measure("barrier", barriers, EACH);
  measure("for with reduction", reductions, EACH);
  measure("single", singles, EACH);
  measure("lock and unlock", locks, EACH);
  measure("atomic", atomics, EACH);
  measure("ordered", ordered, EACH);
}
