/*
 * epcc.c with another barrier in GOMP, up and down a tree, for `tundish bench smelt`: section 5.3 of Smelt's paper replaces
 * GOMP's barrier by that of its trees. gcc compiles a barrier directive to a call of GOMP_barrier, and the linker takes that of
 * a program before that of libgomp. What GOMP waits by at the ends of parallel regions, which are not measured, is its own.
 *
 *   gcc -std=c11 -O3 -march=native -fopenmp epcc-tree.c -o epcc-tree
 *   ./epcc-tree REPETITIONS MS CPU,CPU[,CPU...] UP DOWN          e.g. ./epcc-tree 200 1 0,1,2 '0>2,0>1' '0>1,0>2'
 *
 * UP and DOWN: the edges of the trees, PARENT>CHILD; of one parent in the order in which it waits for, or tells, its children.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "epcc-tree"
#define TREES 2
#define WHERE " UP DOWN, trees of these: PARENT>CHILD[,PARENT>CHILD...]"
#define IS_USED (own[0].count > 0)
#include "threads.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define MAX_PES 1024

/* Written by one PE, read by another, two lines of 64 bytes: the number of the last barrier of the writer. */
typedef struct {
  alignas(128) _Atomic uint32_t value;
} Flag;

/* Of each PE, which nobody else writes after main has begun the first region. */
static struct {
  alignas(128) uint32_t count;
  int n_up, n_down;
  int up[MAX_PES], down[MAX_PES];
} own[MAX_PES];
static int root;
static Flag arrived[MAX_PES], released[MAX_PES];

/* Reads one tree. @return its root */
static int read_tree(char *text, int is_up, const char *usage) {
  static char has_parent[MAX_PES];
  int edges = 0, found = -1;
  char *end = text;
  memset(has_parent, 0, sizeof has_parent);
  for (char *at = text; *end; at = end + 1, edges++) {
    long parent = strtol(at, &end, 10);
    if (end == at || *end != '>' || parent < 0 || parent >= n_cpus) die(2, usage, "");
    at = end + 1;
    long child = strtol(at, &end, 10);
    if (end == at || (*end && *end != ',') || child < 0 || child >= n_cpus || has_parent[child]++) die(2, usage, "");
    if (is_up) own[parent].up[own[parent].n_up++] = (int)child;
    else own[parent].down[own[parent].n_down++] = (int)child;
  }
  for (int pe = 0; pe < n_cpus; pe++)
    if (!has_parent[pe]) found = found < 0 ? pe : n_cpus;
  if (edges != n_cpus - 1 || found < 0 || found == n_cpus) die(2, usage, "");
  return found;
}

static void read_trees(char **texts, const char *usage) {
  if (n_cpus > MAX_PES) die(2, usage, "");
  root = read_tree(texts[0], 1, usage);
  if (read_tree(texts[1], 0, usage) != root) die(2, "expected trees with one root", "");
}

/* No `pause`, as in barriers.c. */
static inline void await(Flag *flag, uint32_t value) {
  while (atomic_load_explicit(&flag->value, memory_order_acquire) != value);
}

static inline void put(Flag *flag, uint32_t value) {
  atomic_store_explicit(&flag->value, value, memory_order_release);
}

#include "epcc.c"

/* A child that has arrived waits to be released before it writes its flag again, so equality is enough. */
void GOMP_barrier(void) {
  int pe = omp_get_thread_num();
  uint32_t count = ++own[pe].count;
  for (int i = 0; i < own[pe].n_up; i++) await(&arrived[own[pe].up[i]], count);
  if (pe != root) {
    put(&arrived[pe], count);
    await(&released[pe], count);
  }
  for (int i = 0; i < own[pe].n_down; i++) put(&released[own[pe].down[i]], count);
}
