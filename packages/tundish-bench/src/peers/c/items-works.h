/*
 * The works of items.c: sessions in which each PE pushes so many items and receives what the others push to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "items.h"

#define BLOCK (1 << 14)    /* items whose destinations are prepared; then they repeat */
#define REQUESTS (1 << 20) /* the same of histogram and index-gather */
#define TABLE 10000

typedef struct {
  Links *links, *replies;
  uint8_t *dests; /* BLOCK or REQUESTS */
  uint32_t *slots;
  double *worths; /* by items that each PE has pushed of a block: the sum that this PE receives */
  uint32_t *counts;
  double *table, *got;
  uint32_t *asked[MAX_PES]; /* rings of the queries that a PE has not answered yet */
  uint32_t asked_mask;
  double sum;
} PE;

/* A session in which each PE pushes `count` items. */
typedef void Session(PE *my, int me, long count);

/* Reads all there is, item by item; READ has `at` and `from`. Yields if there was nothing. */
#define RECEIVE(links, size, READ)                              \
  do {                                                          \
    int got_any = 0;                                            \
    for (int from = 0; from < pes; from++)                      \
      for (In *in = &(links)->in[from]; has_buffer(in);) {      \
        got_any = 1;                                            \
        for (char *at = in->at; at < in->end; at += (size)) READ; \
        over += free_buffer(in);                                \
      }                                                         \
    if (!got_any) idle();                                       \
  } while (0)

/* Pushes all items; WRITE has `at` and `k`, the item's index in its block. TURN receives, and is done while it waits. */
#define PUSH(links, size, block, WRITE, TURN)              \
  for (long i = 0; i < count;) {                           \
    Out *out;                                              \
    for (;; i++) {                                         \
      if (i == count) break;                               \
      uint32_t k = (uint32_t)i & ((block) - 1);            \
      out = &(links)->out[my->dests[k]];                   \
      char *at = out->at;                                  \
      if (at == out->end) break;                           \
      WRITE;                                               \
      out->at = at + (size);                               \
    }                                                      \
    if (i == count) break;                                 \
    if (out->is_open) send_buffer(out, 0);                 \
    TURN;                                                  \
    while (!open_buffer(out, size)) TURN;                  \
  }                                                        \
  for (int to = 0; to < pes; to++) {                       \
    Out *out = &(links)->out[to];                          \
    while (!out->is_open && !open_buffer(out, size)) TURN; \
    send_buffer(out, LAST);                                \
  }

/* A session of items that need no reply. */
#define STREAM(size, block, WRITE, READ)                                                \
  do {                                                                                  \
    Links *links = my->links;                                                           \
    int over = 0;                                                                       \
    for (int from = 0; from < pes; from++) links->in[from].is_over = 0;                 \
    PUSH(links, size, block, WRITE, RECEIVE(links, size, READ))                         \
    while (over < pes) RECEIVE(links, size, READ);                                      \
  } while (0)

#define SET(size)                                          \
  do {                                                     \
    double *x = (double *)at;                              \
    x[0] = k;                                              \
    for (int j = 1; j < (size) / 8; j++) x[j] = j;         \
  } while (0)
#define ADD(value)                  \
  do {                              \
    const double *x = (double *)at; \
    sum += value;                   \
  } while (0)
#define ITEMS(size, value)                                  \
  static void items_##size(PE *my, int me, long count) {    \
    double sum = 0;                                         \
    STREAM(size, BLOCK, SET(size), ADD(value));             \
    my->sum = sum;                                          \
    (void)me;                                               \
  }
ITEMS(8, x[0])
ITEMS(16, x[0] + x[1])
ITEMS(32, x[0] + x[1] + x[2] + x[3])
ITEMS(128, x[0])

static void histogram(PE *my, int me, long count) {
  uint32_t *counts = my->counts;
  STREAM(4, REQUESTS, *(uint32_t *)at = my->slots[k], counts[*(uint32_t *)at]++);
  (void)me;
}

/* Takes replies, and answers queries while there is room for replies; gives the number of sides that came to their end. */
static int take_and_answer(PE *my, uint32_t *heads) {
  int over = 0, got_any = 0;
  for (int from = 0; from < pes; from++) {
    uint32_t head = heads[from], *asked = my->asked[from];
    for (In *in = &my->replies->in[from]; has_buffer(in); over += free_buffer(in)) {
      got_any = 1;
      for (char *at = in->at; at < in->end; at += 8) my->got[asked[head++ & my->asked_mask]] = *(double *)at;
    }
    heads[from] = head;
    Out *out = &my->replies->out[from];
    for (In *in = &my->links->in[from]; has_buffer(in); over += free_buffer(in)) {
      char *query = in->at, *reply = out->at;
      for (; query < in->end; query += 4, reply += 8) {
        if (reply == out->end) {
          out->at = reply;
          if (out->is_open) send_buffer(out, 0);
          if (!open_buffer(out, 8)) break;
          reply = out->at;
        }
        *(double *)reply = my->table[*(uint32_t *)query];
      }
      got_any |= query > in->at;
      in->at = query;
      if (out->is_open) out->at = reply;
      if (query < in->end || (in->is_last && !out->is_open && !open_buffer(out, 8))) break;
      if (in->is_last) send_buffer(out, LAST);
    }
  }
  if (!got_any) idle();
  return over;
}

static void index_gather(PE *my, int me, long count) {
  uint32_t heads[MAX_PES] = {0}, tails[MAX_PES] = {0};
  int over = 0;
  for (int from = 0; from < pes; from++) my->links->in[from].is_over = my->replies->in[from].is_over = 0;
#define ASK                                                                      \
  *(uint32_t *)at = my->slots[k];                                                \
  my->asked[my->dests[k]][tails[my->dests[k]]++ & my->asked_mask] = k
  PUSH(my->links, 4, REQUESTS, ASK, over += take_and_answer(my, heads))
  while (over < 2 * pes) over += take_and_answer(my, heads);
  (void)me;
}
