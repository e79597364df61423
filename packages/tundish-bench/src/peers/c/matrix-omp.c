/*
 * The matrix product of examples/kernels/matrix.c by OpenMP: each thread has a block of rows.
 *
 *   clang -std=c11 -O3 -fopenmp matrix-omp.c ../../../../examples/kernels/matrix.c -o matrix-omp
 *   ./matrix-omp RUNS N CPU,CPU[,CPU...]          e.g. ./matrix-omp 5 1024 0,1
 *
 * One thread per CPU of the list, bound to it. N is a multiple of 4. One line of JSON: ns of each run; two more run first.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "matrix-omp"
#include "threads.h"
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>

enum { TILE = 4, PACKED = 256 * 128, DROPPED = 2 };

void multiply(const double *a, const double *b, double *c, int rows, int n, double *packed);

static double *numbers(long count) {
  double *array = aligned_alloc(128, (sizeof(double) * count + 127) / 128 * 128);
  if (!array) die(2, "out of memory", "");
  return array;
}

int main(int argc, char **argv) {
  static const char usage[] =
      "expected RUNS (1 to 100000) N (4 to 8000, a multiple of 4) CPU,CPU[,CPU...], two CPUs or more and none twice";
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive whoever started it */
  if (argc != 4) die(2, usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  batch_ns = elapsed = 0;
  const int n = (int)read_number(argv[2], 4, 8000, usage);
  if (n % TILE) die(2, usage, "");
  read_cpus(argv[3], usage);
  const int pes = n_cpus;
  double *a = numbers((long)n * n), *b = numbers((long)n * n), *c = numbers((long)n * n);
  for (long i = 0; i < (long)n * n; i++) {
    a[i] = i % 7 - 3;
    b[i] = i % 11 - 5;
  }
  omp_set_dynamic(0);
  printf("{\"what\": \"matrix product\", \"batch\": 1, \"samples\": [");
#pragma omp parallel num_threads(pes)
  {
    if (omp_get_num_threads() != pes) die(2, "OpenMP gave fewer threads than CPUs", "");
    const long pe = omp_get_thread_num(), first = n / TILE * pe / pes * TILE, end = n / TILE * (pe + 1) / pes * TILE;
    pin(cpus[pe]);
    double *packed = numbers(PACKED), start = 0;
    for (int run = -DROPPED; run < batches; run++) {
#pragma omp barrier
      if (pe == 0) start = now();
      multiply(a + first * n, b, c + first * n, (int)(end - first), n, packed);
#pragma omp barrier
      if (pe == 0 && run >= 0) printf("%s%.0f", run ? ", " : "", now() - start);
    }
  }
  printf("]}\n");
  for (long at = 0; at < (long)n * n; at += n + 7) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[at / n * n + k] * b[(long)k * n + at % n];
    if (sum != c[at]) die(1, "wrong: an element of the product", "");
  }
  return 0;
}
