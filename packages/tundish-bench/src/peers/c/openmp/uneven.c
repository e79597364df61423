/*
 * OpenMP, as gcc's libgomp does it: loops whose iterations take different times, the same as in loops/works.ts.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp uneven.c -lm -o uneven
 *   ./uneven QUICK RUNS CPU,CPU[,CPU...]          e.g. ./uneven 0 5 0,1
 *
 * One thread for each CPU, bound to it. One line of JSON per measurement; `samples` are ns of a loop, one per run:
 *
 *   {"what": "triangle, dynamic", "batch": 1, "samples": [25310711, 25298032, ...]}
 *
 * `alone` is one thread. The first run of each is not counted. Every sum is compared with that of one thread: ends with
 * 1 on a difference, and with 2 on wrong arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "uneven"
#include "../threads.h"
#include <math.h>
#include <omp.h>

static int quick, runs;

static long mandelbrot(int row) {
  int rows = quick ? 40 : 600;
  long sum = 0;
  double ci = 2.4 * row / rows - 1.2;
  for (int column = 0; column < rows; column++) {
    double cr = 3.0 * column / rows - 2.2, r = 0, i = 0;
    int n = 0;
    while (n < 256 && r * r + i * i < 4) {
      double next = r * r - i * i + cr;
      i = 2 * r * i + ci;
      r = next;
      n++;
    }
    sum += n;
  }
  return sum;
}

static long triangle(int i) {
  int n = quick ? 300 : 10000;
  unsigned x = i;
  for (int j = i; j < n; j++) x = x * 1664525u ^ j;
  return (int)x;
}

static unsigned all;

static long ways(unsigned columns, unsigned left, unsigned right) {
  if (columns == all) return 1;
  long sum = 0;
  for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
    unsigned bit = free & -free;
    sum += ways(columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return sum;
}

static long queens(int k) {
  int n = quick ? 6 : 13;
  unsigned first = 1u << (k / n), second = 1u << (k % n);
  unsigned left = first << 1, right = first >> 1;
  if (second & (first | left | right)) return 0;
  return ways(first | second, (left | second) << 1, (right | second) >> 1);
}

static double f(double x) { return sin(100 / (x + 0.1)); }

static long halved(double a, double b, double ends, double middle, int depth) {
  double m = (a + b) / 2, h = (b - a) / 12;
  double left = f((a + m) / 2), right = f((m + b) / 2);
  double error = h * (ends + 4 * left + 2 * middle + 4 * right) - 2 * h * (ends + 4 * middle);
  if (depth == 0 || fabs(error) < 1e-17) return 2;
  return 4 + halved(a, m, f(a) + middle, left, depth - 1) + halved(m, b, middle + f(b), right, depth - 1);
}

static long quadrature(int p) {
  double pieces = quick ? 20 : 1000, a = p / pieces, b = (p + 1) / pieces;
  return 3 + halved(a, b, f(a) + f(b), f((a + b) / 2), 20);
}

static int *starts, *columns, *values, *x;

static void make_matrix(int rows) {
  starts = malloc((rows + 1) * sizeof *starts);
  x = malloc(rows * sizeof *x);
  starts[0] = 0;
  for (int k = 0; k < rows; k++) {
    starts[k + 1] = starts[k] + 1 + (int)(8L * rows / (k + 8));
    x[k] = k % 10;
  }
  columns = malloc(starts[rows] * sizeof *columns);
  values = malloc(starts[rows] * sizeof *values);
  unsigned random = 3;
  for (int e = 0; e < starts[rows]; e++) {
    random = random * 1664525u + 1013904223u;
    columns[e] = random % rows;
    values[e] = (random >> 8) % 100;
  }
}

static long matrix(int row) {
  long sum = 0;
  for (int e = starts[row]; e < starts[row + 1]; e++) sum += values[e] * x[columns[e]];
  return sum;
}

typedef long One(int i);

/* One loop, by one thread or all; its sum, and its time in `elapsed`. */
static long run(One *one, int count, int threads) {
  long sum = 0;
  double start = now();
#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < count; i++) sum += one(i);
  elapsed = now() - start;
  return sum;
}

static void measure(const char *name, One *one, int count) {
  static const struct {
    const char *name;
    omp_sched_t kind;
    int threads;
  } ways[] = {{"alone", omp_sched_static, 1},
              {"static", omp_sched_static, 0},
              {"dynamic", omp_sched_dynamic, 0},
              {"guided", omp_sched_guided, 0}};
  long whole = run(one, count, 1);
  for (int w = 0; w < 4; w++) {
    int threads = ways[w].threads ? ways[w].threads : n_cpus;
    omp_set_schedule(ways[w].kind, 0);
    run(one, count, threads);
    printf("{\"what\": \"%s, %s\", \"batch\": 1, \"samples\": [", name, ways[w].name);
    for (int k = 0; k < runs; k++) {
      if (run(one, count, threads) != whole) die(1, "wrong: another sum than by one thread in ", name);
      printf("%s%.0f", k ? ", " : "", elapsed);
    }
    printf("]}\n");
  }
}

int main(int argc, char **argv) {
  static const char usage[] = "expected QUICK (0 or 1) RUNS (1 to 1000) CPU,CPU[,CPU...]";
  if (argc != 4) die(2, usage, "");
  quick = (int)read_number(argv[1], 0, 1, usage);
  runs = (int)read_number(argv[2], 1, 1000, usage);
  read_cpus(argv[3], usage);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(n_cpus)
  {
    if (omp_get_num_threads() != n_cpus) die(2, "the threads could not be started", "");
    pin(cpus[omp_get_thread_num()]);
  }
  all = (1u << (quick ? 6 : 13)) - 1;
  int rows = quick ? 1000 : 100000;
  make_matrix(rows);
  measure("Mandelbrot rows", mandelbrot, quick ? 40 : 600);
  measure("triangle", triangle, quick ? 300 : 10000);
  measure("13 queens", queens, quick ? 36 : 169);
  measure("quadrature", quadrature, quick ? 20 : 1000);
  measure("power-law matrix", matrix, rows);
}
