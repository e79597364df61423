/*
 * Adaptive quadrature by OpenMP's tasks, as gcc's libgomp or LLVM's libomp run them: the work of loops/quadrature.ts.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp quadrature.c -o quadrature
 *   ./quadrature RUNS PEAKS THREADS CPU,CPU[,CPU...]          e.g. ./quadrature 7 2 2 0,1
 *
 * Lines of JSON; `samples` are ns of a whole quadrature, `alone` by plain recursion, `tasks` by a task for each half of
 * an interval wider than GRAIN. Ends with 1 if both have not the same number of intervals, and with 2 on wrong
 * arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "quadrature"
#include "../threads.h"
#include <math.h>
#include <omp.h>

#define GRAIN (1.0 / 1024)
#define TOLERANCE 1e-10

static int peaks, threads;
static struct {
  double sum;
  long intervals;
  char unused[112];
} own[CPU_SETSIZE];

/* Narrow peaks between 0 and 1. */
static inline double f(double x) {
  double sum = 0;
  for (int i = 1; i <= peaks; i++) {
    double d = x - i / (peaks + 1.0);
    sum += 1e-3 / (d * d + 1e-5);
  }
  return sum;
}

static void area(double l, double r, double fl, double fr, double whole, int thread, int by_tasks) {
  double m = (l + r) / 2, fm = f(m);
  double left = (fl + fm) * (m - l) / 2, right = (fm + fr) * (r - m) / 2;
  if (fabs(left + right - whole) <= TOLERANCE) {
    own[thread].sum += left + right;
    own[thread].intervals++;
  } else if (by_tasks && r - l > GRAIN) {
#pragma omp task
    area(l, m, fl, fm, left, omp_get_thread_num(), 1);
#pragma omp task
    area(m, r, fm, fr, right, omp_get_thread_num(), 1);
  } else {
    area(l, m, fl, fm, left, thread, 0);
    area(m, r, fm, fr, right, thread, 0);
  }
}

static long measure(const char *what, int by_tasks, int runs) {
  long intervals = 0;
  printf("{\"what\": \"adaptive quadrature, %s\", \"batch\": 1, \"samples\": [", what);
  for (int k = 0; k <= runs; k++) {
    double sum = 0;
    intervals = 0;
    memset(own, 0, sizeof own);
    double start = now(), fl = f(0), fr = f(1);
    if (by_tasks) {
#pragma omp parallel num_threads(threads)
#pragma omp single
      area(0, 1, fl, fr, (fl + fr) / 2, omp_get_thread_num(), 1);
    } else {
      area(0, 1, fl, fr, (fl + fr) / 2, 0, 0);
    }
    for (int i = 0; i < threads; i++) {
      sum += own[i].sum;
      intervals += own[i].intervals;
    }
    elapsed = now() - start;
    if (!(sum > 0)) die(1, "wrong sum", "");
    if (k > 0) printf("%s%.0f", k > 1 ? ", " : "", elapsed); /* the first is dropped */
  }
  printf("]}\n");
  return intervals;
}

int main(int argc, char **argv) {
  static const char usage[] = "expected RUNS (1 to 1000) PEAKS (1 to 1000) THREADS CPU,CPU[,CPU...]";
  if (argc != 5) die(2, usage, "");
  int runs = (int)read_number(argv[1], 1, 1000, usage);
  peaks = (int)read_number(argv[2], 1, 1000, usage);
  threads = (int)read_number(argv[3], 1, 256, usage);
  read_cpus(argv[4], usage);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  pin(cpus[omp_get_thread_num() % n_cpus]);
  if (measure("alone", 0, runs) != measure("tasks", 1, runs)) die(1, "wrong: an interval is missing", "");
}
