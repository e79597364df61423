/*
 * Rounds (rounds.h) of OpenMP's reduction of one integer and of its barrier, as gcc's libgomp does them. OpenMP has no broadcast.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp rounds-omp.c -o rounds-omp
 *   ./rounds-omp BATCHES ROUNDS CPU,CPU[,CPU...]          e.g. ./rounds-omp 15 200 0,1
 *
 * One thread per CPU of the list, bound to it. Output as that of gomp.c: ns per operation, one sample per batch. After
 * `omp for reduction` every thread may read the sum, so it is as much as an allreduce, and it ends in a barrier.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "rounds-omp"
#include "threads.h"
#include "rounds.h"
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>

static int pes;
static long rounds_each;
static Flags flags[MAX_PES];
static _Thread_local uint32_t epoch;
static double *times[MAX_PES]; /* of each thread, by round */
static int sum;

static inline void together(int pe) {
  disseminate(flags, pe, pes, &epoch);
  disseminate(flags, pe, pes, &epoch);
}

static void reductions(int pe) {
  for (long i = 0; i < rounds_each; i++) {
    if (pe == 0) sum = 0;
    together(pe);
    double start = now();
#pragma omp for schedule(static, 1) reduction(+ : sum)
    for (int p = 0; p < pes; p++) sum += (int)i + p;
    times[pe][i] = now() - start;
    if (sum != pes * (int)i + pes * (pes - 1) / 2) die(1, "wrong: a sum of one integer", "");
    together(pe); /* all have read it */
  }
}

static void barriers(int pe) {
  for (long i = 0; i < rounds_each; i++) {
    together(pe);
    double start = now();
#pragma omp barrier
    times[pe][i] = now() - start;
  }
}

/* At thread 0. */
static double batch(int pe, void operations(int)) {
  operations(pe);
  together(pe);
  double ns = 0;
  if (pe == 0) {
    for (int other = 1; other < pes; other++)
      for (long i = 0; i < rounds_each; i++)
        if (times[other][i] > times[0][i]) times[0][i] = times[other][i];
    ns = median_of(times[0], rounds_each);
  }
  together(pe);
  return ns;
}

static void measure(int pe, const char *what, void operations(int)) {
  batch(pe, operations); /* the first is dropped */
  if (pe == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, rounds_each);
  for (int b = 0; b < batches; b++) {
    double ns = batch(pe, operations);
    if (pe == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (pe == 0) printf("]}\n");
}

int main(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) ROUNDS (1 to 100000) CPU,CPU[,CPU...], two CPUs or more and none twice";
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive whoever started it */
  if (argc != 4) die(2, usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  rounds_each = read_number(argv[2], 1, MAX_IN_BATCH, usage);
  batch_ns = elapsed = 0;
  read_cpus(argv[3], usage);
  if (n_cpus > MAX_PES) die(2, usage, "");
  pes = n_cpus;
  omp_set_dynamic(0);
#pragma omp parallel num_threads(pes)
  {
    if (omp_get_num_threads() != pes) die(2, "OpenMP gave fewer threads than CPUs", "");
    int pe = omp_get_thread_num();
    pin(cpus[pe]);
    times[pe] = malloc(rounds_each * sizeof(double));
    if (!times[pe]) die(2, "out of memory", "");
    measure(pe, "reduce", reductions);
    measure(pe, "barrier", barriers);
  }
  return 0;
}
