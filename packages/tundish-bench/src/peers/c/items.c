/*
 * The limit of conveyors: threads that push items into each other's buffers, by C11 atomics, and nothing else. Not a
 * library: a reference for ours.
 *
 *   gcc -std=c11 -O3 -march=native -pthread items.c -o items
 *   ./items BATCHES MS CPU,CPU[,CPU...] PES FORM BYTES WORK[,WORK...]
 *   e.g. ./items 5 20 0,1 2 direct 16384 8,128,histogram
 *
 * One thread for each PE, bound to a CPU of the list, round robin; with more PEs than CPUs those that wait yield. Each link
 * has two buffers of BYTES (items.h). FORM: direct, items are written where they will be read; staged, into memory of the
 * sender's own, and copied when a buffer is full; nontemporal, copied by stores that pass the caches (x64; elsewhere as
 * staged). Which is fastest depends on the distance of the CPUs: when they are far from each other, a store to a line that
 * the other has read holds up those after it, and a copy asks for many lines at once. One line of JSON per work; `samples`
 * are ns per item that a PE pushes, while all PEs do, one per batch of about MS milliseconds, by the clock of PE 0:
 *
 *   {"what": "8 B", "batch": 4100000, "samples": [4.91, 4.93, ...], "probes": [[108.1, 110.3], [109.0, 108.4], ...]}
 *
 * `probes` are the round trips of a cache line between PEs 0 and 1 before and after each batch, ns, if each PE has a CPU:
 * on some machines the distance changes within seconds.
 *
 * Works: items of 8, 16, 32 or 128 bytes to random PEs, half of them to itself with 2 PEs: made in registers, the first
 * number the item's index. The receiver sums all numbers, of 128 bytes the first, one after the other as in JavaScript:
 * a compiler may not add doubles in another order. histogram: u32 indices, counted in tables of 10000 slots per PE.
 * index-gather: u32 indices, answered by the f64 in such a table. Replies come in the order of the queries of one pair, and
 * the PE that asked remembers which those were: when the CPUs are far, faster than sending the index there and back (11.4
 * against 16.8 ns), and as fast when they are near (6.5).
 *
 * Ends with 2 on wrong arguments and with 1 on a wrong result.
 *
 * SPDX-License-Identifier: MIT
 */
#include "items-works.h"

#define MAX_WORKS 6

static PE all[MAX_PES];

static const char usage[] =
    "expected BATCHES (1 to 100000) MS (0.01 to 10000) CPU,CPU[,CPU...], two CPUs or more and none twice, PES (2 to 64) "
    "direct|staged|nontemporal "
    "BYTES (256 to 1048576) WORK[,WORK...]: 8, 16, 32, 128, histogram, index-gather";

static uint32_t random_below(uint64_t *state, uint32_t n) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (uint32_t)((*state >> 32) * n >> 32);
}

/* Everything that is prepared, of all PEs together: what each receives depends on what the others push. */
static void prepare(void) {
  Links *links = make_links(), *replies = make_links();
  for (int me = 0; me < pes; me++) {
    PE *my = &all[me];
    uint64_t random = 0x9e3779b97f4a7c15u * (me + 1);
    my->links = &links[me];
    my->replies = &replies[me];
    my->dests = allocate(REQUESTS, 1);
    my->slots = allocate(REQUESTS, sizeof(uint32_t));
    for (int i = 0; i < REQUESTS; i++) {
      my->dests[i] = (uint8_t)random_below(&random, pes);
      my->slots[i] = random_below(&random, TABLE);
    }
    my->counts = allocate(TABLE, sizeof(uint32_t));
    my->table = allocate(TABLE, sizeof(double));
    for (int i = 0; i < TABLE; i++) my->table[i] = (double)i * pes + me;
    my->got = allocate(REQUESTS, sizeof(double));
    /* all buffers of a link full, of queries and of replies */
    uint32_t asked = 256;
    while (asked < 2 * buffer_bytes / 4 + 2 * buffer_bytes / 8) asked *= 2;
    my->asked_mask = asked - 1;
    for (int to = 0; to < pes; to++) my->asked[to] = allocate(asked, sizeof(uint32_t));
  }
  for (int me = 0; me < pes; me++) {
    double *worths = all[me].worths = allocate(BLOCK + 1, 2 * sizeof(double));
    for (int i = 0; i < BLOCK; i++) {
      double *next = &worths[2 * (i + 1)];
      memcpy(next, next - 2, 2 * sizeof(double));
      for (int from = 0; from < pes; from++)
        if (all[from].dests[i] == me) next[0] += i, next[1]++;
    }
  }
}

/* Each item's numbers add up to its index and a constant. */
static int is_sum_wrong(PE *my, long count, double constant) {
  double *block = &my->worths[2 * BLOCK], *rest = &my->worths[2 * (count % BLOCK)];
  double indices = (double)(count / BLOCK) * block[0] + rest[0];
  double items = (double)(count / BLOCK) * block[1] + rest[1];
  return my->sum != indices + constant * items;
}
static int is_wrong_8(PE *my, int me, long count) { return (void)me, is_sum_wrong(my, count, 0); }
static int is_wrong_16(PE *my, int me, long count) { return (void)me, is_sum_wrong(my, count, 1); }
static int is_wrong_32(PE *my, int me, long count) { return (void)me, is_sum_wrong(my, count, 6); }

static int is_histogram_wrong(PE *my, int me, long count) {
  static _Thread_local uint32_t expected[TABLE];
  memset(expected, 0, sizeof expected);
  for (int from = 0; from < pes; from++)
    for (long i = 0; i < REQUESTS && i < count; i++)
      if (all[from].dests[i] == me) expected[all[from].slots[i]] += (uint32_t)((count - 1 - i) / REQUESTS + 1);
  int is_wrong = memcmp(expected, my->counts, sizeof expected) != 0;
  memset(my->counts, 0, sizeof expected);
  return is_wrong;
}

static int is_gather_wrong(PE *my, int me, long count) {
  int wrong = 0;
  for (long i = 0; i < REQUESTS && i < count; i++)
    wrong |= my->got[i] != (double)my->slots[i] * pes + my->dests[i];
  memset(my->got, 0xff, (count < REQUESTS ? count : REQUESTS) * sizeof(double));
  return (void)me, wrong;
}

typedef struct {
  const char *name, *what;
  Session *session;
  int (*is_wrong)(PE *my, int me, long count);
} Work;

static const Work works[] = {
    {"8", "8 B", items_8, is_wrong_8},
    {"16", "16 B", items_16, is_wrong_16},
    {"32", "32 B", items_32, is_wrong_32},
    {"128", "128 B", items_128, is_wrong_8},
    {"histogram", "histogram", histogram, is_histogram_wrong},
    {"index-gather", "index-gather", index_gather, is_gather_wrong},
};
static const Work *chosen[MAX_WORKS];
static int n_chosen;

/* The time of a session in ns by the clock of PE 0, on every PE. */
static double run(int me, const Work *work, long count) {
  barrier();
  double start = now();
  work->session(&all[me], me, count);
  barrier();
  if (me == 0) elapsed = now() - start;
  if (work->is_wrong(&all[me], me, count)) die(1, "wrong: items are missing, or too many, in ", work->what);
  barrier();
  return elapsed;
}

static void measure(int me, const Work *work) {
  /* doubled until the quickest of several runs fills a quarter of a batch: interrupts must not count */
  long batch = 1000;
  double quickest;
  for (;; batch *= 2) {
    quickest = 1e18;
    for (int i = 0; i < 4; i++) {
      double ns = run(me, work, batch);
      if (ns < quickest) quickest = ns;
    }
    if (quickest >= batch_ns / 4) break;
  }
  batch = (long)(batch * batch_ns / quickest) + 1;
  run(me, work, batch); /* the first is dropped */
  double *before = allocate(batches, sizeof(double)), *after = allocate(batches, sizeof(double));
  if (me == 0) printf("{\"what\": \"%s\", \"batch\": %ld, \"samples\": [", work->what, batch);
  for (int b = 0; b < batches; b++) {
    before[b] = distance(me);
    double ns = run(me, work, batch) / batch;
    after[b] = distance(me);
    if (me == 0) printf("%s%.3f", b ? ", " : "", ns);
  }
  if (me == 0 && pes <= n_cpus) {
    printf("], \"probes\": [");
    for (int b = 0; b < batches; b++) printf("%s[%.1f, %.1f]", b ? ", " : "", before[b], after[b]);
  }
  if (me == 0) printf("]}\n");
  free(before);
  free(after);
}

static void *thread(void *argument) {
  int me = (int)(intptr_t)argument;
  pin(cpus[me % n_cpus]);
  for (int i = 0; i < n_chosen; i++) measure(me, chosen[i]);
  return NULL;
}

static void choose(char *list) {
  for (char *name; (name = strsep(&list, ","));) {
    const Work *found = NULL;
    for (int i = 0; i < MAX_WORKS; i++)
      if (strcmp(works[i].name, name) == 0) found = &works[i];
    if (!found || n_chosen == MAX_WORKS) die(2, usage, "");
    chosen[n_chosen++] = found;
  }
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* spins for ever otherwise when whoever started it is killed */
  if (argc != 8) die(2, usage, "");
  read_batches(argv, usage);
  pes = (int)number(argv[4], 2, MAX_PES, usage);
  is_staged = strcmp(argv[5], "staged") == 0;
  is_nontemporal = strcmp(argv[5], "nontemporal") == 0;
  if (!is_staged && !is_nontemporal && strcmp(argv[5], "direct") != 0) die(2, usage, "");
  is_staged |= is_nontemporal;
  buffer_bytes = number(argv[6], 256, 1 << 20, usage);
  choose(argv[7]);
  prepare();
  pthread_t ids[MAX_PES];
  for (intptr_t pe = 1; pe < pes; pe++) {
    int error = pthread_create(&ids[pe], NULL, thread, (void *)pe);
    if (error) die(2, "a thread cannot be started: ", strerror(error));
  }
  thread(NULL);
  for (int pe = 1; pe < pes; pe++) pthread_join(ids[pe], NULL);
  return 0;
}
