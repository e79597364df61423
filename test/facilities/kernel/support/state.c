/* A kernel with all that a linker places: static data, pointers in it, a constructor, thread-local data, a table, a stack. */
#define EXPORT(name) __attribute__((export_name(#name)))

__attribute__((import_module("env"), import_name("offset"))) int offset(void);

static int counter = 3;
static _Thread_local int calls = 40;
static const double numbers[4] = {1.5, 2.5, 3.5, 4.5};
static const double *const pointers[2] = {numbers + 3, numbers + 1};
static int constructed;

__attribute__((constructor)) static void construct(void) { constructed += counter + 4; }

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int (*volatile const operations[2])(int) = {twice, square};

EXPORT(count) int count(void) { return __atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST); }
EXPORT(callsHere) int calls_here(void) { return ++calls; }
EXPORT(number) double number(int i) { return *pointers[i]; }
EXPORT(constructedTimes7) int constructed_times_7(void) { return constructed; }
EXPORT(apply) int apply(int i, int x) { return operations[i](x) + offset(); }

/* Fills a part of the stack with x, and counts what is still there after some time. */
EXPORT(onStack) int on_stack(int x, int rounds) {
  volatile int local[1000];
  int found = 0;
  for (int i = 0; i < 1000; i++) local[i] = x;
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < 1000; i++) found += local[i] == x;
  return found / rounds;
}
