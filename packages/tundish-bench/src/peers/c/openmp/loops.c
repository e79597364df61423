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
 * SPDX-License-Identifier: MIT
 */
#define NAME "loops"
#include "loops.h"

#define EACH 1024
#define MOST_CHUNKS 16

static int n_chunks, chunks[MOST_CHUNKS];

static void scheduled(long count, int each) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  long own = 0;
  for (long k = 0; k < count; k++) {
#pragma omp for schedule(runtime)
    for (int i = 0; i < each * threads; i++) {
      sink = work(sink);
      own++;
    }
  }
  sinks[thread][0] = sink;
  counted(own);
}

static void blocks(long count, int each) {
  int thread = omp_get_thread_num();
  double sink = sinks[thread][0];
  long own = 0;
  for (long k = 0; k < count; k++) {
#pragma omp for schedule(static)
    for (int i = 0; i < each * threads; i++) {
      sink = work(sink);
      own++;
    }
  }
  sinks[thread][0] = sink;
  counted(own);
}

/* Each thread makes a task for each of its iterations; the barrier ends when all are done. */
static void tasks(long count, int each) {
  for (long k = 0; k < count; k++) {
    for (int i = 0; i < each; i++) {
#pragma omp task
      {
        double *sink = sinks[omp_get_thread_num()];
        sink[0] = work(sink[0]);
        sink[1]++;
      }
    }
#pragma omp barrier
  }
  counted((long)sinks[omp_get_thread_num()][1]);
}

int main(int argc, char **argv) {
  static const char usage[] = "expected BATCHES (1 to 100000) MS (0.01 to 10000) THREADS CHUNK[,CHUNK...] CPU,CPU[,CPU...]";
  if (argc != 6) die(2, usage, "");
  threads = (int)read_number(argv[3], 1, 256, usage);
  for (char *at = strtok(argv[4], ","); at && n_chunks < MOST_CHUNKS; at = strtok(NULL, ","))
    chunks[n_chunks++] = (int)read_number(at, 1, 1 << 20, usage);
  argv[3] = argv[5];
  read_batches(argv, usage);
  start_threads();
  measure("alone", alone, EACH);
  measure("static", blocks, EACH);
  measure("task", tasks, EACH);
  static const struct {
    const char *name;
    omp_sched_t kind;
  } kinds[] = {{"static", omp_sched_static}, {"dynamic", omp_sched_dynamic}, {"guided", omp_sched_guided}};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < n_chunks; c++) {
      char what[64];
      snprintf(what, sizeof what, "%s, %d", kinds[k].name, chunks[c]);
      omp_set_schedule(kinds[k].kind, chunks[c]);
      measure(what, scheduled, EACH);
    }
}
