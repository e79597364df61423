/*
 * OpenMP, as gcc's libgomp does it: a barrier, and a sum over all threads of one double and of 8192,
 * all inside one parallel region, so that nothing is measured but the waiting and the summing.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp gomp.c -o gomp
 *   ./gomp BATCHES MS CPU,CPU[,CPU...]          e.g. ./gomp 15 4 0,1
 *   OMP_WAIT_POLICY=active ./gomp ...           threads that wait spin far longer before they sleep
 *
 * One thread (PE) per CPU of the list, bound to it. One line of JSON per measurement; `samples` are
 * ns per operation, one per batch of about MS milliseconds, by the clock of PE 0:
 *
 *   {"what": "barrier", "batch": 22000, "samples": [175.30, 175.11, ...]}
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * The sums: `omp for reduction` adds every thread's share to a shared variable and ends in a barrier;
 * then all may read it, as after an allreduce. OpenMP itself would want a second barrier before the
 * variable is used again; we spare it that by two variables in turn:
 *
 *   PE 0:  even += 1 | read even | odd += 1 | read odd | even += 1 ...
 *   PE 1:  even += 2 | read even | odd += 2 | read odd | even += 2 ...      (| is the barrier)
 *
 * No PE adds to `even` again before all have read it, since all have passed the barrier of `odd`.
 * Neither is ever set to zero: after k sums of n PEs a variable holds k (1 + 2 + ... + n).
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "gomp"
#include "threads.h"
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#define MAX_PES CPU_SETSIZE
#define LONG 8192

/* Returns the ns that `count` operations took, without the checks afterwards. */
typedef double Operations(long count);

static int pes;

static _Atomic long arrived[MAX_PES];
static double even, odd, even_long[LONG], odd_long[LONG];
static double (*shares)[LONG]; /* what each PE adds: element j of PE p is (p + 1) + j % 3 */

static void read_arguments(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU,CPU[,CPU...], two CPUs or more and none twice";
  if (argc != 4) die(2, usage, "");
  read_batches(argv, usage);
  pes = n_cpus;
}

/* The time when all PEs have arrived. */
static double begin(void) {
#pragma omp barrier
  return now();
}

/* No PE may leave a barrier before all have entered: counts of arrivals are equal or one ahead. */
static void check_barrier(int pe) {
  for (long i = 1; i <= 200; i++) {
    atomic_store_explicit(&arrived[pe], i, memory_order_relaxed);
#pragma omp barrier
    for (int other = 0; other < pes; other++) {
      long ahead = atomic_load_explicit(&arrived[other], memory_order_relaxed) - i;
      if (ahead < 0 || ahead > 1) die(1, "wrong: a PE left a barrier before another had come", "");
    }
  }
}

static double barriers(long count) {
  double start = begin();
  for (long i = 0; i < count; i++) {
#pragma omp barrier
  }
  return now() - start;
}

/* `count` is even: two sums in every turn. */
static double sums(long count) {
  static _Thread_local double expected;
  double once = pes * (pes + 1.0) / 2, start = begin();
  for (long i = 0; i < count; i += 2) {
    expected += once;
#pragma omp for schedule(static, 1) reduction(+ : even)
    for (int p = 0; p < pes; p++) even += p + 1;
    if (even != expected) die(1, "wrong: a sum of one double", "");
#pragma omp for schedule(static, 1) reduction(+ : odd)
    for (int p = 0; p < pes; p++) odd += p + 1;
    if (odd != expected) die(1, "wrong: a sum of one double", "");
  }
  return now() - start;
}

/* After this many sums of all shares. */
static void check_long(const double *sum, long times) {
  for (int j = 0; j < LONG; j++)
    if (sum[j] != times * pes * ((pes + 1) / 2.0 + j % 3)) die(1, "wrong: a sum of 8192 doubles", "");
}

/* `count` is even. The sums of all operations so far are in the two variables: checking them is enough. */
static double long_sums(long count) {
  static _Thread_local long times;
  double start = begin();
  for (long i = 0; i < count; i += 2) {
    times++;
#pragma omp for schedule(static, 1) reduction(+ : even_long[:LONG])
    for (int p = 0; p < pes; p++)
      for (int j = 0; j < LONG; j++) even_long[j] += shares[p][j];
#pragma omp for schedule(static, 1) reduction(+ : odd_long[:LONG])
    for (int p = 0; p < pes; p++)
      for (int j = 0; j < LONG; j++) odd_long[j] += shares[p][j];
  }
  double ns = now() - start;
  check_long(even_long, times);
  check_long(odd_long, times);
  return ns;
}

/* The time of the operations by the clock of PE 0, on every PE. */
static double run(int pe, Operations *operations, long count) {
  double ns = operations(count);
  if (pe == 0) elapsed = ns;
#pragma omp barrier
  return elapsed;
}

static void measure(int pe, const char *what, Operations *operations) {
  /* doubled until the quickest of several runs fills a quarter of a batch: interrupts must not count */
  long batch = 8;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 8; i++) {
      double ns = run(pe, operations, batch);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = 2 * ((long)(batch * batch_ns / quickest / 2) + 1);
  run(pe, operations, batch); /* the first is dropped */
  if (pe == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch);
  for (int b = 0; b < batches; b++) {
    double ns = run(pe, operations, batch) / batch;
    if (pe == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (pe == 0) printf("]}\n");
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive whoever started it */
  read_arguments(argc, argv);
  shares = malloc((size_t)pes * sizeof *shares);
  if (!shares) die(2, "out of memory", "");
  omp_set_dynamic(0);
#pragma omp parallel num_threads(pes)
  {
    if (omp_get_num_threads() != pes) die(2, "OpenMP gave fewer threads than CPUs", "");
    int pe = omp_get_thread_num();
    pin(cpus[pe]);
    for (int j = 0; j < LONG; j++) shares[pe][j] = (pe + 1) + j % 3; /* by its PE: near to it */
    check_barrier(pe);
    measure(pe, "barrier", barriers);
    measure(pe, "reduction f64", sums);
    measure(pe, "reduction f64[8192]", long_sums);
  }
  return 0;
}
