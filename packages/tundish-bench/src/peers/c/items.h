/*
 * What the works of items.c share: arguments, threads, a barrier, links between two PEs each.
 *
 * A link has two buffers in shared memory and a flag for each: 0 when it is free, else its bytes. The sender writes items
 * where they will be read, and stores the flag with release when no more fit; the receiver, who loads it with acquire,
 * reads them there and stores 0 with release, which the sender loads with acquire before it writes again.
 *
 *     sender   fills buffer 0 | flag 0 = 16384 | fills buffer 1       | flag 1 = 16384 | waits for flag 0 = 0
 *     receiver                                 | reads buffer 0, flag 0 = 0            | reads buffer 1 ...
 *
 * The last buffer of a session says so in its flag, so that nobody counts. A PE is linked to itself in the same way. Staged
 * items are written into a buffer of the sender's own, and copied when it is full, by memcpy or by non-temporal stores.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "items"
#include "threads.h"
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MAX_PES 64
#define LAST 1u /* in a flag: no buffer follows in this session */
#define FULL 2u /* in a flag: not free, though it may have no bytes */
#define SHIFT 2 /* of the bytes in a flag */

/* Two lines of 64 bytes: the prefetcher of x86 fetches lines in pairs. */
typedef struct {
  alignas(128) _Atomic uint32_t value;
} Flag;

/* The sender's side of a link; `at` is `end` when the buffer is full, or there is none. */
typedef struct {
  char *at, *end;
  char *buffers[2];
  char *stage;
  Flag *flags;
  int index;
  int is_open;
} Out;

/* The receiver's side; `at` to `end` is what it has not read of the buffer. */
typedef struct {
  char *at, *end;
  char *buffers[2];
  Flag *flags;
  int index;
  int is_last; /* the buffer is */
  int is_over; /* it was the last */
} In;

/* Both sides of all links of a PE, by PE. */
typedef struct {
  Out out[MAX_PES];
  In in[MAX_PES];
} Links;

static int is_staged, is_nontemporal, pes;
static long buffer_bytes;
static Flag arrived, passed;

/* A whole number in a range; wrong arguments end the program. */
static long number(const char *text, long least, long most, const char *usage) {
  char *rest;
  long value = strtol(text, &rest, 10);
  if (!*text || *rest || value < least || value > most) die(2, usage, "");
  return value;
}

/* Of a PE that waits. No `pause`: the limit is what is sought. */
static inline void idle(void) {
  if (pes > n_cpus) sched_yield();
}

static void *allocate(size_t count, size_t size) {
  void *memory = aligned_alloc(4096, (count * size + 4095) / 4096 * 4096);
  if (!memory) die(2, "there is not enough memory", "");
  return memset(memory, 0, count * size);
}

/* The last that arrives lets all others pass. */
static void barrier(void) {
  uint32_t round = atomic_load_explicit(&passed.value, memory_order_relaxed);
  if (atomic_fetch_add(&arrived.value, 1) == (uint32_t)pes - 1) {
    atomic_store_explicit(&arrived.value, 0, memory_order_relaxed); /* published by the next */
    atomic_store_explicit(&passed.value, round + 1, memory_order_release);
  }
  while (atomic_load_explicit(&passed.value, memory_order_acquire) == round) idle();
}

/*
 * The round trip of a cache line between PEs 0 and 1, in ns at PE 0, the least of some counts. By seq_cst stores, as
 * Atomics.store's are in JavaScript.
 */
static double distance(int me) {
  static Flag ball[2];
  double least = 1e18;
  if (me > 1 || pes > n_cpus) return 0;
  uint32_t served = atomic_load(&ball[me].value);
  for (int i = 0; i < 4; i++) {
    double start = now();
    for (int k = 0; k < 100; k++) {
      served++;
      if (me == 0) atomic_store(&ball[0].value, served);
      while (atomic_load_explicit(&ball[1 - me].value, memory_order_acquire) != served);
      if (me == 1) atomic_store(&ball[1].value, served);
    }
    if ((now() - start) / 100 < least) least = (now() - start) / 100;
  }
  return least;
}

/* Links between all PEs: the sides of each. */
static Links *make_links(void) {
  Links *links = allocate(pes, sizeof(Links));
  for (int from = 0; from < pes; from++)
    for (int to = 0; to < pes; to++) {
      Out *out = &links[from].out[to];
      In *in = &links[to].in[from];
      out->stage = allocate(buffer_bytes, 1);
      out->flags = in->flags = allocate(2, sizeof(Flag));
      for (int i = 0; i < 2; i++) out->buffers[i] = in->buffers[i] = allocate(buffer_bytes, 1);
    }
  return links;
}

/* Opens a buffer for items of `size` bytes; 0 while the receiver has not freed it. */
static inline int open_buffer(Out *out, long size) {
  if (atomic_load_explicit(&out->flags[out->index].value, memory_order_acquire)) return 0;
  out->at = is_staged ? out->stage : out->buffers[out->index];
  out->end = out->at + buffer_bytes / size * size;
  return out->is_open = 1;
}

/* Copies a buffer, and up to 15 bytes more. Non-temporal stores do not ask for the receiver's lines. */
static inline void copy_out(char *to, const char *from, uint32_t bytes) {
#ifdef __SSE2__
  if (is_nontemporal) {
    for (uint32_t i = 0; i < bytes; i += 16)
      _mm_stream_si128((__m128i *)(to + i), _mm_load_si128((const __m128i *)(from + i)));
    _mm_sfence(); /* the flag's release store orders only the other stores */
    return;
  }
#endif
  memcpy(to, from, bytes);
}

/* Sends the open buffer, full or not. */
static inline void send_buffer(Out *out, uint32_t last) {
  uint32_t bytes = (uint32_t)(out->at - (is_staged ? out->stage : out->buffers[out->index]));
  if (is_staged) copy_out(out->buffers[out->index], out->stage, bytes);
  atomic_store_explicit(&out->flags[out->index].value, bytes << SHIFT | FULL | last, memory_order_release);
  out->at = out->end = NULL;
  out->index ^= 1;
  out->is_open = 0;
}

/* Whether there is a buffer, or a rest of it, to read: from `at` to `end`. */
static inline int has_buffer(In *in) {
  if (in->at) return 1;
  if (in->is_over) return 0;
  uint32_t flag = atomic_load_explicit(&in->flags[in->index].value, memory_order_acquire);
  if (!flag) return 0;
  in->at = in->buffers[in->index];
  in->end = in->at + (flag >> SHIFT);
  in->is_last = flag & LAST;
  return 1;
}

/* Frees the buffer, all of which was read; tells whether it was the session's last. */
static inline int free_buffer(In *in) {
  atomic_store_explicit(&in->flags[in->index].value, 0, memory_order_release);
  in->at = NULL;
  in->index ^= 1;
  return in->is_over = in->is_last;
}
