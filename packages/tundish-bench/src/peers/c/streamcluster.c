/*
 * Streamcluster in C, by threads and pthread_barrier_wait as PARSEC has it, for `tundish bench smelt`: the same steps, sums and
 * random numbers as apps/streamcluster.ts and apps/streamcluster-search.ts, which explain them. So the cost and the checksum must
 * be the same, too.
 *
 *   gcc -std=c11 -O3 -march=native -pthread streamcluster.c -o streamcluster
 *   ./streamcluster POINTS CHUNK DIM KMIN KMAX CENTERS SEED CPU,CPU[,CPU...]      e.g. ./streamcluster 4096 4096 32 10 20 1000 1 0,1
 *
 * One thread (PE) per CPU of the list, bound to it. One line of JSON: the time of one run in ns, by the clock of PE 0:
 *
 *   {"what": "streamcluster", "batch": 1, "samples": [412345678], "cost": 13511.9, "checksum": 368549}
 *
 * SPDX-License-Identifier: MIT
 */
#define NAME "streamcluster"
#include "threads.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>

#define BLOCKS 64
#define ITERATIONS 3
#define MOST_TRIES 100
#define GRAINS 16777216.0

typedef struct {
  int num;
  float *at; /* coordinates, by id */
  int *id, *assign;
  double *weight, *cost;
} Points;

static int pes, dim, k_min, k_max, most_centers;
static long all_points;
static int chunk, room;
static uint32_t seed;
static pthread_barrier_t together;

/* Shared by all. */
static Points points, centers;
static unsigned char *is_center, *switches;
static int *feasible, *table, *numbers;
static double sums[BLOCKS], *lower, *gains;
static int counts[BLOCKS];

/* Each PE has the same values in these. */
static _Thread_local int me, k;
static _Thread_local uint32_t state;
static double total_cost; /* of PE 0 */

static void wait_all(void) { pthread_barrier_wait(&together); }

static uint32_t mixed(uint32_t s) {
  uint32_t t = (s ^ (s >> 15)) * (s | 1);
  t ^= t + (t ^ (t >> 7)) * (t | 61);
  return t ^ (t >> 14);
}
static double draw(void) { return mixed(state += 0x6d2b79f5u) / 4294967296.0; }
static int below(int end) { return (int)(draw() * end); }

static int first_block(int pe) { return BLOCKS * pe / pes; }
static int start_of(const Points *p, int block) { return (int)((long)p->num * block / BLOCKS); }
#define OWN(p, i) for (int i = start_of(p, first_block(me)), end_ = start_of(p, first_block(me + 1)); i < end_; i++)

static double distance(const Points *p, int a, int b) {
  const float *x = p->at + (long)p->id[a] * dim, *y = p->at + (long)p->id[b] * dim;
  double sum = 0;
  for (int i = 0; i < dim; i++) {
    double d = (double)x[i] - y[i];
    sum += d * d;
  }
  return sum;
}

static double sum_of(double sum) {
  for (int block = 0; block < BLOCKS; block++) sum += sums[block];
  return sum;
}

/* The sum of the costs, or of the weighted distances to the first point. */
static double total(const Points *p, int of_costs) {
  for (int block = first_block(me); block < first_block(me + 1); block++) {
    sums[block] = 0;
    for (int i = start_of(p, block); i < start_of(p, block + 1); i++)
      sums[block] += of_costs ? p->cost[i] : distance(p, i, 0) * p->weight[i];
  }
  wait_all();
  double sum = sum_of(0);
  wait_all();
  return sum;
}

static void shuffle(Points *p) {
  for (int i = 0; i < p->num - 1; i++) {
    int j = i + below(p->num - i), id = p->id[i];
    double weight = p->weight[i];
    if (me > 0) continue;
    p->id[i] = p->id[j], p->id[j] = id;
    p->weight[i] = p->weight[j], p->weight[j] = weight;
  }
  wait_all();
}

static double speedy(Points *p, double z) {
  OWN(p, i) p->cost[i] = distance(p, i, 0) * p->weight[i], p->assign[i] = 0;
  k = 1;
  wait_all();
  for (int x = 1; x < p->num; x++) {
    if (draw() >= p->cost[x] / z) continue;
    if (++k > room) die(1, "there are more centers than there is room for", "");
    wait_all();
    OWN(p, i) {
      double own = distance(p, i, x) * p->weight[i];
      if (own < p->cost[i]) p->cost[i] = own, p->assign[i] = x;
    }
    wait_all();
  }
  return total(p, 1) + z * k;
}

static int select_candidates(const Points *p) {
  int wanted = (int)(ITERATIONS * k_min * log(k_min));
  double *ends = malloc(p->num * sizeof *ends), all = 0;
  if (wanted >= p->num || wanted < 1) {
    for (int i = 0; me == 0 && i < p->num; i++) feasible[i] = i;
    wanted = p->num;
  } else {
    for (int i = 0; i < p->num; i++) ends[i] = all += p->weight[i];
    for (int i = 0; i < wanted; i++) {
      double at = draw() * all;
      int low = 0, high = p->num - 1;
      while (low < high) {
        int middle = (low + high) / 2;
        if (ends[middle] > at) high = middle;
        else low = middle + 1;
      }
      if (me == 0) feasible[i] = low;
    }
  }
  free(ends);
  wait_all();
  return wanted;
}

static double gain(Points *p, int x, double z) {
  int first = first_block(me), end = first_block(me + 1), number = 0, closing = 0;
  if (k >= room) die(1, "there are more centers than there is room for", "");
  for (int block = first; block < end; block++) {
    counts[block] = 0;
    for (int i = start_of(p, block); i < start_of(p, block + 1); i++) counts[block] += is_center[i];
  }
  wait_all();
  for (int block = 0; block < first; block++) number += counts[block];
  OWN(p, i) if (is_center[i]) table[i] = number++;
  wait_all();
  for (int block = first; block < end; block++) {
    double *row = lower + (long)block * k, sum = 0;
    memset(row, 0, k * sizeof *row);
    for (int i = start_of(p, block); i < start_of(p, block + 1); i++) {
      double change = distance(p, i, x) * p->weight[i] - p->cost[i];
      switches[i] = change < 0;
      if (change < 0) sum += change;
      else row[table[p->assign[i]]] -= change;
    }
    sums[block] = sum;
  }
  wait_all();
  for (int center = k * me / pes; center < k * (me + 1) / pes; center++) {
    gains[center] = z;
    for (int block = 0; block < BLOCKS; block++) gains[center] += lower[(long)block * k + center];
  }
  wait_all();
  double price = sum_of(z);
  for (int center = 0; center < k; center++)
    if (gains[center] > 0) closing++, price -= gains[center];
  if (price >= 0) return 0;
  OWN(p, i) if (switches[i] || gains[table[p->assign[i]]] > 0)
    p->cost[i] = distance(p, i, x) * p->weight[i], p->assign[i] = x;
  OWN(p, i) {
    if (i == x) is_center[i] = 1;
    else if (is_center[i] && gains[table[i]] > 0) is_center[i] = 0;
  }
  k += 1 - closing;
  wait_all();
  return -price;
}

static double locate(Points *p, int candidates, double z, double cost, int times, double share) {
  for (double change = cost; change / cost > share; cost -= change) {
    change = 0;
    for (int i = 0; i < candidates - 1; i++) {
      int j = i + below(candidates - i), one = feasible[i];
      if (me == 0) feasible[i] = feasible[j], feasible[j] = one;
    }
    wait_all();
    for (int i = 0; i < times; i++) change += gain(p, feasible[i % candidates], z);
  }
  return cost;
}

static double search(Points *p) {
  if (p->num <= k_max) {
    OWN(p, i) p->assign[i] = i, p->cost[i] = 0;
    wait_all();
    return 0;
  }
  double low = 0, high = total(p, 0), z = (high + low) / 2;
  shuffle(p);
  double cost = speedy(p, z);
  for (int tries = 1; k < k_min && tries < MOST_TRIES; tries++) {
    if (tries > 1) {
      high = z, z = (high + low) / 2;
      shuffle(p);
    }
    cost = speedy(p, z);
  }
  int candidates = select_candidates(p), times = (int)(ITERATIONS * k_max * log(k_max));
  OWN(p, i) is_center[i] = p->assign[i] == i;
  wait_all();
  for (;;) {
    cost = locate(p, candidates, z, cost, times, 0.1);
    if ((k <= 1.1 * k_max && k >= 0.9 * k_min) || (k <= k_max + 2 && k >= k_min - 2))
      cost = locate(p, candidates, z, cost, times, 0.001);
    double before = z;
    if (k > k_max) low = z;
    else if (k < k_min) high = z;
    else break;
    if (low >= 0.999 * high) break;
    z = (high + low) / 2;
    cost += (z - before) * k;
  }
  return cost - z * k;
}

/* By PE 0: to the means of their points, whose weights they get. */
static void move_centers(Points *p) {
  wait_all();
  for (int i = 0; i < p->num && me == 0; i++) {
    int center = p->assign[i];
    if (center == i) continue;
    double part = p->weight[i] / (p->weight[center] + p->weight[i]);
    float *to = p->at + (long)p->id[center] * dim, *from = p->at + (long)p->id[i] * dim;
    for (int d = 0; d < dim; d++) to[d] = (float)(to[d] * (1 - part) + from[d] * part);
    p->weight[center] += p->weight[i];
  }
  wait_all();
}

static void read_points(long first, int num) {
  points.num = num; /* all write the same */
  wait_all();
  for (int i = me; i < num; i += pes) {
    points.id[i] = i;
    points.weight[i] = 1;
    for (int d = 0; d < dim; d++) {
      uint32_t index = (uint32_t)((first + i) * dim + d);
      points.at[(long)i * dim + d] =
          (float)(floor(mixed(seed + (index + 1) * 0x6d2b79f5u) / 4294967296.0 * GRAINS) / GRAINS);
    }
  }
  wait_all();
}

static void keep(long first) {
  move_centers(&points);
  for (int i = 0; i < points.num && me == 0; i++) {
    if (points.assign[i] != i) continue;
    int n = centers.num++;
    if (n == most_centers) die(1, "there are more centers than CENTERS", "");
    memcpy(centers.at + (long)n * dim, points.at + (long)points.id[i] * dim, dim * sizeof(float));
    centers.weight[n] = points.weight[i];
    centers.id[n] = n;
    numbers[n] = (int)(first + points.id[i]);
  }
  wait_all();
}

static void *thread(void *argument) {
  me = (int)(intptr_t)argument;
  state = seed;
  pin(cpus[me]);
  wait_all();
  double began = now(), cost = 0;
  for (long first = 0; first < all_points; first += chunk) {
    read_points(first, (int)(all_points - first < chunk ? all_points - first : chunk));
    cost += search(&points);
    keep(first);
  }
  cost += search(&centers);
  move_centers(&centers);
  if (me == 0) elapsed = now() - began, total_cost = cost;
  return NULL;
}

static void *get(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) die(2, "there is not enough memory", "");
  return memory;
}

static void make(Points *p, int most) {
  p->at = get((size_t)most * dim, sizeof(float));
  p->id = get(most, sizeof(int)), p->assign = get(most, sizeof(int));
  p->weight = get(most, sizeof(double)), p->cost = get(most, sizeof(double));
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv) {
  static const char usage[] = "expected POINTS CHUNK DIM KMIN KMAX CENTERS SEED CPU,CPU[,CPU...], none twice";
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* do not outlive whoever started it */
  if (argc != 9) die(2, usage, "");
  all_points = read_number(argv[1], 1, 1 << 26, usage);
  chunk = (int)read_number(argv[2], 1, 1 << 20, usage);
  dim = (int)read_number(argv[3], 1, 4096, usage);
  k_min = (int)read_number(argv[4], 1, 10000, usage);
  k_max = (int)read_number(argv[5], k_min, 10000, usage);
  most_centers = (int)read_number(argv[6], 1, 1 << 20, usage);
  seed = (uint32_t)read_number(argv[7], 0, 4294967295, usage);
  batches = 1, batch_ns = 0;
  read_cpus(argv[8], usage);
  pes = n_cpus;
  int most = chunk > most_centers ? chunk : most_centers;
  room = most < 16 * k_max + 256 ? most : 16 * k_max + 256;
  make(&points, chunk);
  make(&centers, most_centers);
  is_center = get(most, 1), switches = get(most, 1);
  feasible = get(most, sizeof(int)), table = get(most, sizeof(int)), numbers = get(most_centers, sizeof(int));
  lower = get((size_t)BLOCKS * room, sizeof(double)), gains = get(room, sizeof(double));
  pthread_barrier_init(&together, NULL, (unsigned)pes);
  pthread_t ids[CPU_SETSIZE];
  for (intptr_t pe = 1; pe < pes; pe++) {
    int error = pthread_create(&ids[pe], NULL, thread, (void *)pe);
    if (error) die(2, "a thread cannot be started: ", strerror(error));
  }
  thread(NULL);
  for (int pe = 1; pe < pes; pe++) pthread_join(ids[pe], NULL);
  int found[CPU_SETSIZE * 16], count = 0;
  for (int i = 0; i < centers.num && count < CPU_SETSIZE * 16; i++)
    if (centers.assign[i] == i) found[count++] = numbers[centers.id[i]];
  qsort(found, count, sizeof *found, by_number);
  double checksum = 0;
  for (int i = 0; i < count; i++) checksum = fmod(checksum + (double)found[i] * (i + 1), 4294967296.0);
  printf("{\"what\": \"streamcluster\", \"batch\": 1, \"samples\": [%.0f], \"cost\": %.17g, \"checksum\": %.0f}\n", elapsed,
         total_cost, checksum);
  return 0;
}
