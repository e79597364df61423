/*
 * Barriers of the literature in a tight loop, for `tundish bench smelt`: table 3 of Smelt's paper. C11 atomics, and pthread's.
 *
 *   gcc -std=c11 -O3 -march=native -pthread barriers.c -o barriers
 *   ./barriers BATCHES MS CPU,CPU[,CPU...]         e.g. ./barriers 15 4 0,1
 *
 * One thread (PE) per CPU of the list, bound to it. One line of JSON per barrier; `samples` are ns per barrier, one per batch
 * of about MS milliseconds, by the clock of PE 0:
 *
 *   {"what": "central", "batch": 78000, "samples": [51.20, 51.31, ...]}
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * central          one counter and one sense, which the last to come reverses.
 * dissemination    rounds with a partner each; a flag for each round holds the number of the barrier (flags.c).
 * MCS dissemination the same with two sets of flags and a sense, written where they are read.
 * tournament       pairs; who is expected to lose tells the other one; the champion wakes the losers, round by round.
 * MCS tree         a tree with four children to arrive, and one with two to be woken, each PE spins on its own line.
 * pthread          pthread_barrier_wait, which sleeps.
 *
 * Source: J. Mellor-Crummey and M. Scott, "Algorithms for scalable synchronization on shared-memory multiprocessors", ACM TOCS
 * 9(1), 1991: algorithms 7, 9, 10 and 11; written from the published text.
 *
 * Limit: all but pthread's only spin, so every PE needs a CPU of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "barriers"
#include "threads.h"
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>

#define MAX_PES 1024
#define MAX_ROUNDS 10 /* 2^10 = MAX_PES */

/* Two lines of 64 bytes: the prefetcher of x86 fetches lines in pairs. */
typedef struct {
  alignas(128) _Atomic uint32_t value;
} Flag;

typedef void Operations(int pe, long count);

static int pes;
static Flag arrived[MAX_PES];

static inline void put(Flag *flag, uint32_t value) {
  atomic_store_explicit(&flag->value, value, memory_order_release);
}

/* No `pause`: the limit is what is sought. */
static inline void await(Flag *flag, uint32_t value) {
  while (atomic_load_explicit(&flag->value, memory_order_acquire) != value);
}

static Flag counter, sense;

static inline void central(int pe) {
  static _Thread_local uint32_t mine;
  (void)pe;
  mine ^= 1;
  if (atomic_fetch_add_explicit(&counter.value, 1, memory_order_acq_rel) == (uint32_t)pes - 1) {
    atomic_store_explicit(&counter.value, 0, memory_order_relaxed); /* published by the next */
    put(&sense, mine);
  } else {
    await(&sense, mine);
  }
}

static Flag rounds[MAX_PES][MAX_ROUNDS];

static inline void dissemination(int pe) {
  static _Thread_local uint32_t epoch;
  epoch++;
  for (int round = 0, distance = 1; distance < pes; round++, distance *= 2) {
    int from = pe < distance ? pe - distance + pes : pe - distance;
    put(&rounds[pe][round], epoch);
    /* the other may be one barrier ahead already, hence "at least"; by difference, as counters wrap */
    while ((int32_t)(atomic_load_explicit(&rounds[from][round].value, memory_order_acquire) - epoch) < 0);
  }
}

static Flag parities[MAX_PES][2][MAX_ROUNDS];

static inline void mcs_dissemination(int pe) {
  static _Thread_local uint32_t parity, other; /* `other`: of the sense, which is 1 first */
  for (int round = 0, distance = 1; distance < pes; round++, distance *= 2) {
    int to = pe + distance < pes ? pe + distance : pe + distance - pes;
    put(&parities[to][parity][round], !other);
    await(&parities[pe][parity][round], !other);
  }
  if (parity) other ^= 1;
  parity ^= 1;
}

static Flag games[MAX_PES][MAX_ROUNDS + 1];

static inline void tournament(int pe) {
  static _Thread_local uint32_t mine;
  int round = 1;
  mine ^= 1;
  for (; 1 << (round - 1) < pes; round++) {
    int step = 1 << (round - 1);
    if (pe & step) { /* loses, and waits for the winner to come back */
      put(&games[pe - step][round], mine);
      await(&games[pe][round], mine);
      break;
    }
    if (pe + step < pes) await(&games[pe][round], mine); /* else there is nobody to play with */
  }
  for (round--; round > 0; round--) {
    int step = 1 << (round - 1);
    if (pe + step < pes) put(&games[pe + step][round], mine);
  }
}

/* Of the arrival tree: which children have not come, a byte each, all in one line. */
static struct {
  alignas(128) _Atomic uint8_t waiting[4];
} missing[MAX_PES];
static Flag woken[MAX_PES];

static void plant(int pe) {
  for (int child = 0; child < 4; child++) atomic_store(&missing[pe].waiting[child], 4 * pe + child + 1 < pes);
}

static inline void mcs_tree(int pe) {
  static _Thread_local uint32_t mine;
  mine ^= 1;
  for (int child = 0; child < 4; child++)
    while (atomic_load_explicit(&missing[pe].waiting[child], memory_order_acquire));
  /* none of them comes again before it was woken, and that is after what follows */
  for (int child = 0; child < 4 && 4 * pe + child + 1 < pes; child++)
    atomic_store_explicit(&missing[pe].waiting[child], 1, memory_order_relaxed);
  if (pe > 0) {
    atomic_store_explicit(&missing[(pe - 1) / 4].waiting[(pe - 1) % 4], 0, memory_order_release);
    await(&woken[pe], mine);
  }
  for (int child = 2 * pe + 1; child <= 2 * pe + 2 && child < pes; child++) put(&woken[child], mine);
}

static pthread_barrier_t sleeping;

static inline void sleeps(int pe) {
  (void)pe;
  pthread_barrier_wait(&sleeping);
}

/* A loop of its own for each, so that the barrier is inlined. */
#define LOOP(barrier) \
  static void barrier##_loop(int pe, long count) { \
    for (long i = 0; i < count; i++) barrier(pe); \
  }
LOOP(central)
LOOP(dissemination)
LOOP(mcs_dissemination)
LOOP(tournament)
LOOP(mcs_tree)
LOOP(sleeps)

/* No PE may leave a barrier before all have entered: counts of arrivals are equal or one ahead. */
static void check(int pe, Operations *barriers) {
  uint32_t before = atomic_load(&arrived[pe].value);
  for (uint32_t i = before + 1; i <= before + 200; i++) {
    atomic_store_explicit(&arrived[pe].value, i, memory_order_relaxed);
    barriers(pe, 1);
    for (int other = 0; other < pes; other++) {
      uint32_t ahead = atomic_load_explicit(&arrived[other].value, memory_order_relaxed) - i;
      if (ahead > 1) die(1, "wrong: a PE left a barrier before another had come", "");
    }
  }
  dissemination(pe);
}

/* The time of `count` barriers in ns by the clock of PE 0, on every PE. */
static double run(int pe, Operations *barriers, long count) {
  dissemination(pe);
  double start = now();
  barriers(pe, count);
  if (pe == 0) elapsed = now() - start;
  dissemination(pe);
  return elapsed;
}

static void measure(int pe, const char *what, Operations *barriers) {
  /* doubled until the quickest of several runs fills a quarter of a batch: interrupts must not count */
  long batch = 8;
  double quickest;
  check(pe, barriers);
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 8; i++) {
      double ns = run(pe, barriers, batch);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = (long)(batch * batch_ns / quickest) + 1;
  run(pe, barriers, batch); /* the first is dropped */
  if (pe == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", what, batch);
  for (int b = 0; b < batches; b++) {
    double ns = run(pe, barriers, batch) / batch;
    if (pe == 0) printf("%s%.2f", b ? ", " : "", ns);
  }
  if (pe == 0) printf("]}\n");
}

static void *thread(void *argument) {
  int pe = (int)(intptr_t)argument;
  pin(cpus[pe]);
  plant(pe);
  dissemination(pe);
  measure(pe, "central", central_loop);
  measure(pe, "dissemination", dissemination_loop);
  measure(pe, "MCS dissemination", mcs_dissemination_loop);
  measure(pe, "tournament", tournament_loop);
  measure(pe, "MCS tree", mcs_tree_loop);
  measure(pe, "pthread", sleeps_loop);
  return NULL;
}

int main(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU,CPU[,CPU...], two CPUs or more and none twice";
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* spins for ever otherwise when whoever started it is killed */
  if (argc != 4) die(2, usage, "");
  read_batches(argv, usage);
  pes = n_cpus;
  pthread_barrier_init(&sleeping, NULL, (unsigned)pes);
  for (intptr_t pe = 1; pe < pes; pe++) {
    pthread_t id;
    int error = pthread_create(&id, NULL, thread, (void *)pe);
    if (error) die(2, "a thread cannot be started: ", strerror(error));
  }
  thread(NULL); /* all have passed its last barrier then, and none prints after it */
  return 0;
}
