/*
 * The raw limit: the cost of a barrier and a round trip in C with C11 atomics only, and the cost of
 * pthread_barrier and of sleeping in a futex. Not a library: a reference for the libraries.
 *
 *   gcc -std=c11 -O3 -march=native -pthread flags.c -o flags
 *   ./flags BATCHES MS CPU,CPU[,CPU...]         e.g. ./flags 15 4 0,1
 *
 * One thread (PE) per CPU of the list, bound to it. One line of JSON per measurement; `samples` are
 * ns per operation, one per batch of about MS milliseconds, by the clock of PE 0:
 *
 *   {"what": "barrier", "batch": 78000, "samples": [51.20, 51.31, ...]}
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * Barrier: dissemination (Hensgen, Finkel, Manber, Int. J. Parallel Programming 17(1), 1988). In round
 * k a PE raises its flag k and waits for flag k of the PE 2^k before it. Of 4 PEs, PE 3 waits for 2
 * (who has not waited for anyone yet), then for 1, who by then has waited for 0: it knows of all. With 2
 * PEs there is one round: each raises its own flag and waits for the other's.
 *
 * Limit: it only spins, so every PE needs a CPU of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "flags"
#include "threads.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_PES CPU_SETSIZE
#define MAX_ROUNDS 10 /* 2^10 = CPU_SETSIZE */

/* Two lines of 64 bytes: the prefetcher of x86 fetches lines in pairs. */
typedef struct {
  alignas(128) _Atomic uint32_t value;
} Flag;

/* Long enough for a thread to fall asleep in a futex. */
#define FALL_ASLEEP_NS 10e3

typedef void Operations(int pe, long count);

static int pes;
static double excluded; /* ns of the last run that do not count; PE 0 writes and reads it */

static Flag flags[MAX_PES][MAX_ROUNDS]; /* counters of barriers: each has one writer and one reader */
static Flag ball[2];
static Flag arrived[MAX_PES];
static pthread_barrier_t sleeping;

static void read_arguments(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU,CPU[,CPU...], two CPUs or more and none twice";
  if (argc != 4) die(2, usage, "");
  read_batches(argv, usage);
  pes = n_cpus;
}

/* No `pause` while waiting: it costs up to 140 cycles, and the limit is what is sought. */
static inline void barrier(int pe, memory_order order) {
  static _Thread_local uint32_t epoch;
  epoch++;
  for (int round = 0, distance = 1; distance < pes; round++, distance *= 2) {
    int from = pe < distance ? pe - distance + pes : pe - distance;
    atomic_store_explicit(&flags[pe][round].value, epoch, order);
    /* the other may be one barrier ahead already, hence "at least"; by difference, as counters wrap */
    while ((int32_t)(atomic_load_explicit(&flags[from][round].value, memory_order_acquire) - epoch) < 0);
  }
}

static void release_barriers(int pe, long count) {
  for (long i = 0; i < count; i++) barrier(pe, memory_order_release);
}

/* A release store may rest in the store buffer; a seq_cst store is out of it before the waiting begins. */
static void sequential_barriers(int pe, long count) {
  for (long i = 0; i < count; i++) barrier(pe, memory_order_seq_cst);
}

static void sleeping_barriers(int pe, long count) {
  (void)pe;
  for (long i = 0; i < count; i++) pthread_barrier_wait(&sleeping);
}

/* PEs 0 and 1 raise a flag each in turn; the others wait at the barrier after the run. */
static void round_trips(int pe, long count) {
  if (pe > 1) return;
  uint32_t served = atomic_load_explicit(&ball[pe].value, memory_order_relaxed);
  for (long i = 0; i < count; i++) {
    served++;
    if (pe == 0) atomic_store_explicit(&ball[0].value, served, memory_order_release);
    while (atomic_load_explicit(&ball[1 - pe].value, memory_order_acquire) != served);
    if (pe == 1) atomic_store_explicit(&ball[1].value, served, memory_order_release);
  }
}

static void raise_and_wake(_Atomic uint32_t *word, uint32_t value) {
  for (double until = now() + FALL_ASLEEP_NS; now() < until;);
  atomic_store_explicit(word, value, memory_order_seq_cst);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/*
 * The same where each sleeps until the other wakes it. Before each raise the other gets the time to fall
 * asleep, which does not count: without it, many rounds end before anybody sleeps.
 */
static void sleeping_round_trips(int pe, long count) {
  if (pe > 1) return;
  if (pe == 0) excluded = 2 * count * FALL_ASLEEP_NS;
  _Atomic uint32_t *mine = &ball[pe].value, *other = &ball[1 - pe].value;
  uint32_t served = atomic_load_explicit(mine, memory_order_relaxed);
  for (long i = 0; i < count; i++) {
    uint32_t seen;
    if (pe == 0) raise_and_wake(mine, served + 1);
    while ((seen = atomic_load_explicit(other, memory_order_acquire)) == served)
      syscall(SYS_futex, other, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    if (pe == 1) raise_and_wake(mine, served + 1);
    served++;
  }
}

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
  barrier(pe, memory_order_seq_cst);
}

/* The time of `count` operations in ns by the clock of PE 0, on every PE. */
static double run(int pe, Operations *operations, long count) {
  barrier(pe, memory_order_seq_cst);
  double start = now();
  operations(pe, count);
  if (pe == 0) {
    elapsed = now() - start - excluded;
    excluded = 0;
  }
  barrier(pe, memory_order_seq_cst);
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

static void *thread(void *argument) {
  int pe = (int)(intptr_t)argument;
  pin(cpus[pe]);
  check(pe, release_barriers);
  check(pe, sequential_barriers);
  check(pe, sleeping_barriers);
  measure(pe, "barrier", release_barriers);
  measure(pe, "barrier, seq_cst", sequential_barriers);
  measure(pe, "barrier, pthread", sleeping_barriers);
  measure(pe, "ping-pong round trip", round_trips);
  measure(pe, "wake-up round trip", sleeping_round_trips);
  return NULL;
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* spins for ever otherwise when whoever started it is killed */
  read_arguments(argc, argv);
  pthread_barrier_init(&sleeping, NULL, (unsigned)pes);
  for (intptr_t pe = 1; pe < pes; pe++) {
    pthread_t id;
    int error = pthread_create(&id, NULL, thread, (void *)pe);
    if (error) die(2, "a thread cannot be started: ", strerror(error));
  }
  thread(NULL); /* all have passed its last barrier then, and none prints after it */
  return 0;
}
