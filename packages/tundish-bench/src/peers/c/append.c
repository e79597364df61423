/*
 * Appending to a shared buffer in C, for `tundish bench append`: each thread reserves room by an atomic fetch-and-add and copies its
 * bytes there. Not a library: a reference for append buffers.
 *
 *   gcc -std=c11 -O3 -march=native -pthread append.c -o append
 *   ./append BATCHES CPU,CPU[,CPU...] WRITERS BYTES:PUSHES[,BYTES:PUSHES...]         e.g. ./append 15 0,1 2 8:1000,64:1000
 *
 * Thread (PE) i is bound to CPU i of the list, and they begin again at the first one if there are more. The buffer is that of PE 0, which
 * of one writer is not the one that writes. In a batch each writer pushes BYTES bytes PUSHES times. Nothing wraps: the buffer holds a
 * batch, and is empty again before the next one. One line of JSON per measurement; a sample is the time of one batch from its first push
 * to its last one, by pushes and by the CPUs that make them, ns:
 *
 *   {"name": "C", "what": "8 B, 2 writers", "batch": 2000, "samples": [41.20, 41.31, ...]}
 *
 * "C, add alone" does not copy. "one at a time" is the sum of the times that the writers take while no other one pushes, by pushes.
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result: in the first batch and the last one every byte is compared.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "append"
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

#define MAX_WRITERS 64
#define MAX_BYTES (1 << 20)
#define MAX_ROOM (1L << 30)
#define LINE 128
/* Waiting PEs sleep after this time, unless they share CPUs: then at once. */
#define SPIN_NS 20e3

/* Two lines of 64 bytes: the prefetcher of x86 fetches lines in pairs. */
typedef struct {
  alignas(LINE) _Atomic uint64_t value;
} Counter;
typedef struct {
  alignas(LINE) double began, ended;
} Times;

static int pes, writers;
static size_t bytes;   /* of a push */
static long pushes;    /* of each writer in a batch */
static size_t room;    /* bytes of a batch */
static char *buffer;
static Counter reserved;
static Times times[MAX_WRITERS];
static _Atomic uint32_t come, generation;

/* All PEs meet. */
static void meet(void) {
  uint32_t now_is = atomic_load(&generation);
  if (atomic_fetch_add(&come, 1) == (uint32_t)pes - 1) {
    atomic_store(&come, 0);
    atomic_fetch_add(&generation, 1);
    syscall(SYS_futex, &generation, FUTEX_WAKE_PRIVATE, pes, NULL, NULL, 0);
    return;
  }
  double until = now() + (pes > n_cpus ? 0 : SPIN_NS);
  while (atomic_load(&generation) == now_is)
    if (now() >= until) syscall(SYS_futex, &generation, FUTEX_WAIT_PRIVATE, now_is, NULL, NULL, 0);
}

static inline size_t reserve(void) {
  size_t at = atomic_fetch_add(&reserved.value, bytes);
  if (at + bytes > room) die(1, "wrong: more was reserved than pushed", "");
  return at;
}

typedef void Pushes(const char *data);

static void append(const char *data) {
  for (long i = 0; i < pushes; i++) memcpy(buffer + reserve(), data, bytes);
}

static void add(const char *data) {
  (void)data;
  for (long i = 0; i < pushes; i++) reserve();
}

static int is_writer(int pe) { return writers > 1 || pe == 1; }

/* Each record is whole, and there are as many as each writer has pushed. */
static void check(void) {
  long counts[MAX_WRITERS + 1] = {0};
  if (atomic_load(&reserved.value) != room) die(1, "wrong: not as much was reserved as pushed", "");
  for (size_t at = 0; at < room; at += bytes) {
    unsigned char from = (unsigned char)buffer[at];
    if (from < 1 || from > pes) die(1, "wrong: a record is of nobody", "");
    for (size_t i = 1; i < bytes; i++)
      if ((unsigned char)buffer[at + i] != from) die(1, "wrong: a record is not as it was pushed", "");
    counts[from]++;
  }
  for (int pe = 0; pe < pes; pe++)
    if (counts[pe + 1] != (is_writer(pe) ? pushes : 0)) die(1, "wrong: records are missing", "");
}

/* The time from the first push to the last one, of one writer or with -1 of all: elapsed, at PE 0. */
static void run(int pe, Pushes *work, const char *data, int alone) {
  int pushing = is_writer(pe) && (alone < 0 || alone == pe);
  meet();
  times[pe].began = now();
  if (pushing) work(data);
  times[pe].ended = now();
  meet();
  if (pe != 0) return;
  double first = 1e300, last = 0;
  for (int i = 0; i < pes; i++) {
    if (!is_writer(i) || (alone >= 0 && alone != i)) continue;
    if (times[i].began < first) first = times[i].began;
    if (times[i].ended > last) last = times[i].ended;
  }
  elapsed = last - first;
}

/* The buffer is empty again; before the next meeting, and after that of the batch. */
static void empty(void) { atomic_store(&reserved.value, 0); }

static void print_samples(const char *name, const char *more, const double *samples) {
  printf("{\"name\": \"%s\", \"what\": \"%zu B, %d writer%s%s\", \"batch\": %ld, \"samples\": [", name, bytes, writers,
         writers > 1 ? "s" : "", more, pushes * writers);
  for (int b = 0; b < batches; b++) printf("%s%.2f", b ? ", " : "", samples[b]);
  printf("]}\n");
}

static void measure(int pe, const char *name, Pushes *work, const char *data) {
  static double together[100000], single[100000];
  double all = (double)pushes * writers;
  int busy = writers < n_cpus ? writers : n_cpus;
  for (int b = -1; b < batches; b++) { /* the first is dropped */
    run(pe, work, data, -1);
    if (pe == 0) {
      if (work == append && (b < 0 || b == batches - 1)) check();
      if (b >= 0) together[b] = elapsed * busy / all;
      empty();
    }
    if (writers < 2) continue;
    double ns = 0;
    for (int alone = 0; alone < pes; alone++) {
      run(pe, work, data, alone);
      if (pe == 0) ns += elapsed;
    }
    if (pe == 0) {
      if (b >= 0) single[b] = ns / all;
      empty();
    }
  }
  if (pe != 0) return;
  print_samples(name, "", together);
  if (writers > 1) print_samples(name, ", one at a time", single);
}

static char *sizes;

static void *thread(void *argument) {
  int pe = (int)(intptr_t)argument;
  pin(cpus[pe % n_cpus]);
  char *data = aligned_alloc(LINE, MAX_BYTES);
  memset(data, pe + 1, MAX_BYTES);
  char *at = sizes;
  while (*at) {
    char *colon, *end;
    size_t size = strtoul(at, &colon, 10);
    long count = strtol(colon + 1, &end, 10);
    meet();
    if (pe == 0) {
      bytes = size;
      pushes = count;
      room = size * count * writers;
    }
    meet();
    measure(pe, "C", append, data);
    measure(pe, "C, add alone", add, data);
    at = *end ? end + 1 : end;
  }
  meet();
  return NULL;
}

static void read_arguments(int argc, char **argv) {
  static const char usage[] =
      "expected BATCHES (1 to 100000) CPU,CPU[,CPU...] WRITERS (1 to 64) BYTES:PUSHES[,BYTES:PUSHES...], two CPUs or more and none twice";
  if (argc != 5) die(2, usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  read_cpus(argv[2], usage);
  writers = (int)read_number(argv[3], 1, MAX_WRITERS, usage);
  pes = writers < 2 ? 2 : writers;
  sizes = argv[4];
  size_t most = 0;
  char *end = sizes;
  for (char *at = end; *end; at = end + 1) {
    char *colon;
    long size = strtol(at, &colon, 10);
    if (colon == at || *colon != ':' || size < 1 || size > MAX_BYTES) die(2, usage, "");
    long count = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || (*end && (*end != ',' || !end[1])) || count < 1 || count > MAX_ROOM / size / writers)
      die(2, usage, "");
    if ((size_t)size * count * writers > most) most = (size_t)size * count * writers;
  }
  if (most == 0) die(2, usage, "");
  buffer = aligned_alloc(LINE, (most + LINE - 1) / LINE * LINE);
  if (!buffer) die(2, "no memory for the buffer", "");
  memset(buffer, 0, most);
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* runs for ever otherwise when whoever started it is killed */
  read_arguments(argc, argv);
  for (intptr_t pe = 1; pe < pes; pe++) {
    pthread_t id;
    int error = pthread_create(&id, NULL, thread, (void *)pe);
    if (error) die(2, "a thread cannot be started: ", strerror(error));
  }
  thread(NULL);
  return 0;
}
