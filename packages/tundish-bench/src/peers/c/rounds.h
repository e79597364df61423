/*
 * Rounds of single operations, for `tundish bench smelt`: figure 11 of Smelt's paper. What rounds-mpi.c and rounds-omp.c share.
 *
 * Before each operation there are two dissemination barriers by flags in shared memory, the same in all programs, so that all
 * PEs enter it at the same time. Each PE takes the time from its entry until its return; the longest one is the round's.
 * A sample is the median over the rounds of a batch, as a PE that loses its CPU must not count.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define MAX_PES 1024
#define MAX_FLAGS 10 /* 2^10 = MAX_PES */
#define MAX_IN_BATCH 100000

/* Two lines of 64 bytes: the prefetcher of x86 fetches lines in pairs. */
typedef struct {
  alignas(128) _Atomic uint32_t value;
} Flag;

typedef Flag Flags[MAX_FLAGS];

/* By counters of barriers, each with one writer and one reader. */
static inline void disseminate(Flags *flags, int pe, int pes, uint32_t *epoch) {
  ++*epoch;
  for (int round = 0, distance = 1; distance < pes; round++, distance *= 2) {
    int from = pe < distance ? pe - distance + pes : pe - distance;
    atomic_store_explicit(&flags[pe][round].value, *epoch, memory_order_release);
    while ((int32_t)(atomic_load_explicit(&flags[from][round].value, memory_order_acquire) - *epoch) < 0);
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median_of(double *values, long count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
