/*
 * A queue between two threads in C, for `tundish bench channels`: a ring of slots of one cache line whose header says which message is there
 * (UMP, Kaestle et al., OSDI 2016, "Message-passing backends"), and for longer messages a block beside each slot. Not a library: a reference.
 *
 *   gcc -std=c11 -O3 -march=native -pthread channel.c -o channel
 *   ./channel BATCHES CPU,CPU BYTES:MESSAGES[,BYTES:MESSAGES...]         e.g. ./channel 15 0,1 8:100000
 *
 * In a batch the first thread sends MESSAGES messages of BYTES bytes to the second one ("one way"), or each is sent back ("round trip"). The
 * sender writes each byte, the receiver copies it out. One line of JSON per measurement; a sample is the time of a batch by messages, ns:
 *
 *   {"name": "C", "what": "one way, 8 B", "batch": 100000, "samples": [17.20, 17.31, ...]}
 *
 * Both spin. Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "channel"
#include "threads.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define SLOTS 64
#define PAYLOAD 56
#define MAX_BYTES (1 << 20)

typedef struct {
  alignas(64) _Atomic uint32_t header;
  uint32_t bytes;
  char payload[PAYLOAD];
} Slot;
typedef struct {
  alignas(128) _Atomic uint32_t progress;
  alignas(128) Slot slots[SLOTS];
  char *blocks;
} Queue;

static Queue queues[2];
static long bytes, messages;
static _Atomic int come;

/* Both meet. */
static void meet(int *generation) {
  int wanted = 2 * ++*generation;
  atomic_fetch_add(&come, 1);
  while (atomic_load_explicit(&come, memory_order_acquire) < wanted);
}

static inline char *place(Queue *queue, uint32_t number) {
  Slot *slot = &queue->slots[number % SLOTS];
  return bytes <= PAYLOAD ? slot->payload : queue->blocks + (size_t)(number % SLOTS) * MAX_BYTES;
}

static inline void send_one(Queue *queue, uint32_t number, uint32_t *received, const char *data) {
  while (number - *received >= SLOTS) *received = atomic_load_explicit(&queue->progress, memory_order_acquire);
  Slot *slot = &queue->slots[number % SLOTS];
  memcpy(place(queue, number), data, bytes);
  slot->bytes = (uint32_t)bytes;
  atomic_store_explicit(&slot->header, number + 1, memory_order_release);
}

static inline void receive_one(Queue *queue, uint32_t number, char *into) {
  Slot *slot = &queue->slots[number % SLOTS];
  while (atomic_load_explicit(&slot->header, memory_order_acquire) != number + 1);
  memcpy(into, place(queue, number), slot->bytes);
  if ((number + 1) % (SLOTS / 4) == 0) atomic_store_explicit(&queue->progress, number + 1, memory_order_release);
}

typedef struct {
  uint32_t sent, received, seen;
} Ends;

static void run(int pe, int both, Ends *ends, char *data, int *generation) {
  meet(generation);
  double began = now();
  for (long i = 0; i < messages; i++) {
    if (pe == 0) {
      data[0] = (char)i;
      send_one(&queues[0], ends->sent++, &ends->received, data);
      if (!both) continue;
      receive_one(&queues[1], ends->seen++, data);
      if (data[0] != (char)i) die(1, "wrong: a message is not the one that was sent", "");
    } else {
      receive_one(&queues[0], ends->seen++, data);
      if (data[0] != (char)i) die(1, "wrong: a message is not the one that was sent", "");
      if (both) send_one(&queues[1], ends->sent++, &ends->received, data);
    }
  }
  meet(generation);
  if (pe == 0) elapsed = now() - began;
}

static char *loads;

static void *thread(void *argument) {
  int pe = (int)(intptr_t)argument, generation = 0;
  pin(cpus[pe]);
  char *data = calloc(1, MAX_BYTES);
  Ends ends = {0, 0, 0};
  for (char *at = loads; *at;) {
    char *end;
    meet(&generation);
    if (pe == 0) {
      bytes = strtol(at, &end, 10);
      messages = strtol(end + 1, &end, 10);
    } else {
      strtol(at, &end, 10);
      strtol(end + 1, &end, 10);
    }
    meet(&generation);
    for (int both = 0; both < 2; both++) {
      if (pe == 0) printf("{\"name\": \"C\", \"what\": \"%s, %ld B\", \"batch\": %ld, \"samples\": [", both ? "round trip" : "one way", bytes, messages);
      for (int batch = -1; batch < batches; batch++) {
        run(pe, both, &ends, data, &generation);
        if (pe == 0 && batch >= 0) printf("%s%.2f", batch > 0 ? ", " : "", elapsed / messages);
      }
      if (pe == 0) printf("]}\n");
    }
    at = *end ? end + 1 : end;
  }
  return NULL;
}

int main(int argc, char **argv) {
  const char *usage = "usage: channel BATCHES CPU,CPU BYTES:MESSAGES[,BYTES:MESSAGES...]";
  if (argc != 4) die(2, usage, "");
  batches = (int)read_number(argv[1], 1, 100000, usage);
  read_cpus(argv[2], usage);
  loads = argv[3];
  for (char *at = loads; *at;) {
    char *end;
    long size = strtol(at, &end, 10);
    if (end == at || *end != ':' || size < 1 || size > MAX_BYTES) die(2, usage, "");
    at = end + 1;
    long count = strtol(at, &end, 10);
    if (end == at || count < 1 || (*end && (*end != ',' || !end[1]))) die(2, usage, "");
    at = *end ? end + 1 : end;
  }
  for (int i = 0; i < 2; i++) queues[i].blocks = malloc((size_t)SLOTS * MAX_BYTES);
  pthread_t other;
  if (pthread_create(&other, NULL, thread, (void *)1)) die(1, "no thread", "");
  thread((void *)0);
  pthread_join(other, NULL);
  return 0;
}
