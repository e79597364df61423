/*
 * Locks in C beside tundish/shared: a spinlock of two atomics, a spinlock that gives back by a store, pthread_mutex,
 * and glibc's pthread_spin. Each alone, and by two threads at once that add to a word under it.
 *
 *     locks BATCHES MS CPU,CPU
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "locks"
#include "threads.h"
#include <pthread.h>
#include <stdatomic.h>

#define USAGE "usage: locks BATCHES MS CPU,CPU\n"
#define MOST_THREADS 2

static _Alignas(128) atomic_int word;
static _Alignas(128) pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(128) pthread_spinlock_t spin;
static _Alignas(128) long sum;
static pthread_barrier_t barrier;

static inline void take(void) {
  for (;;) {
    int free = 0;
    if (atomic_compare_exchange_weak(&word, &free, 1)) return;
    while (atomic_load_explicit(&word, memory_order_relaxed)) __builtin_ia32_pause();
  }
}

static void pair(long n) {
  for (long i = 0; i < n; i++) {
    take();
    sum++;
    int held = 1;
    atomic_compare_exchange_strong(&word, &held, 0);
  }
}

static void store_back(long n) {
  for (long i = 0; i < n; i++) {
    take();
    sum++;
    atomic_store_explicit(&word, 0, memory_order_release);
  }
}

static void with_mutex(long n) {
  for (long i = 0; i < n; i++) {
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
  }
}

static void with_spin(long n) {
  for (long i = 0; i < n; i++) {
    pthread_spin_lock(&spin);
    sum++;
    pthread_spin_unlock(&spin);
  }
}

static const struct {
  const char *name;
  void (*run)(long);
} kinds[] = {
    {"C, two atomics", pair},
    {"C, an atomic and a store", store_back},
    {"pthread_mutex", with_mutex},
    {"pthread_spin", with_spin},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static long count; /* of one thread in a batch */
static int threads;
static void (*run)(long);

static void *member(void *argument) {
  pin(cpus[(long)argument]);
  pthread_barrier_wait(&barrier);
  run(count);
  pthread_barrier_wait(&barrier);
  return NULL;
}

/* One batch by all threads. Returns its ns. */
static double batch(void) {
  pthread_t others[MOST_THREADS];
  pthread_barrier_init(&barrier, NULL, threads);
  for (long i = 1; i < threads; i++)
    if (pthread_create(&others[i], NULL, member, (void *)i)) die(1, "cannot start a thread", "");
  sum = 0;
  pthread_barrier_wait(&barrier);
  double start = now();
  run(count);
  pthread_barrier_wait(&barrier);
  double ns = now() - start;
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
  pthread_barrier_destroy(&barrier);
  if (sum != threads * count) die(1, "two threads held a lock at once", "");
  return ns;
}

static void measure(const char *name) {
  count = 1000;
  for (double ns = batch(); ns < batch_ns; ns = batch()) count *= 2;
  printf("{\"what\":\"lock and unlock, %s: %s\",\"batch\":%ld,\"samples\":[", threads == 1 ? "alone" : "2 at once", name,
         count * threads);
  for (int i = 0; i < batches; i++) printf("%s%.3f", i ? "," : "", batch() / count / threads);
  printf("]}\n");
}

int main(int argc, char **argv) {
  if (argc != 4) die(2, USAGE, "");
  read_batches(argv, USAGE);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pin(cpus[0]);
  for (threads = 1; threads <= MOST_THREADS; threads++)
    for (int kind = 0; kind < KINDS; kind++) {
      run = kinds[kind].run;
      measure(kinds[kind].name);
    }
}
