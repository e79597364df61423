/*
 * Common parts of the programs of threads: arguments, CPUs, the clock. Each defines its NAME first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int batches, n_cpus, cpus[CPU_SETSIZE];
static double batch_ns;
static double elapsed; /* ns of the last run; PE 0 writes it, all read it one barrier later */

static void die(int status, const char *message, const char *detail) {
  fprintf(stderr, NAME ": %s%s\n", message, detail);
  exit(status);
}

/* A whole number within limits. */
static inline long read_number(const char *text, long least, long most, const char *usage) {
  char *rest;
  long number = strtol(text, &rest, 10);
  if (rest == text || *rest || number < least || number > most) die(2, usage, "");
  return number;
}

/* Reads CPU,CPU[,...]: every CPU once. */
static inline void read_cpus(char *list, const char *usage) {
  char *end = list;
  for (char *at = end; *end; at = end + 1) {
    long cpu = strtol(at, &end, 10);
    if (end == at || (*end && (*end != ',' || !end[1])) || cpu < 0 || cpu >= CPU_SETSIZE) die(2, usage, "");
    for (int i = 0; i < n_cpus; i++)
      if (cpus[i] == cpu) die(2, usage, "");
    cpus[n_cpus++] = (int)cpu;
  }
  if (n_cpus < 2) die(2, usage, "");
}

/* Reads BATCHES MS CPU,CPU[,...]: every number whole, every CPU once. */
static inline void read_batches(char **argv, const char *usage) {
  char *rest;
  batches = (int)read_number(argv[1], 1, 100000, usage);
  double ms = strtod(argv[2], &rest);
  if (*rest || !(ms >= 0.01 && ms <= 10000)) die(2, usage, "");
  batch_ns = ms * 1e6;
  read_cpus(argv[3], usage);
}

/* Binds the calling thread to one CPU. */
static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) die(2, "a CPU of the list cannot be used: ", strerror(errno));
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}
