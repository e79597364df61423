/*
 * Matrix product of f64 for one PE: C = A B for some rows of A and C.
 *
 * 4 x 4 elements of C are in registers at a time. A block of B, DEPTH x WIDE, is packed in the order in which it is used, and stays
 * in the caches while all rows go by. `tile` is a function of its own, called often: V8 begins with code that it makes quickly, and
 * goes over to its best one between two calls.
 */
typedef double pair __attribute__((vector_size(16), aligned(8)));

enum { ROWS = 4, COLUMNS = 4, DEPTH = 256, WIDE = 128 };

static __attribute__((noinline)) void pack(const double *b, int n, int depth, int wide, double *restrict to) {
  for (int j = 0; j < wide; j += COLUMNS)
    for (int k = 0; k < depth; k++, to += COLUMNS) {
      const double *from = b + (long)k * n + j;
      for (int s = 0; s < COLUMNS; s++) to[s] = from[s];
    }
}

static inline void add(double *c, pair left, pair right) {
  *(pair *)c += left;
  *(pair *)(c + 2) += right;
}

/*
 * Adds `depth` products to each of 4 x 4 elements. One at a turn: of several, clang loads all first, and V8 has no registers for that.
 */
static __attribute__((noinline)) void tile(const double *a, int n, const double *b, int depth, double *c) {
  pair s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};
  const double *r0 = a, *r1 = r0 + n, *r2 = r1 + n, *r3 = r2 + n;
#pragma clang loop unroll(disable)
  for (const double *end = a + depth; r0 < end; r0++, r1++, r2++, r3++, b += COLUMNS) {
    const pair b0 = *(const pair *)b, b1 = *(const pair *)(b + 2);
    const pair a0 = {*r0, *r0}, a1 = {*r1, *r1}, a2 = {*r2, *r2}, a3 = {*r3, *r3};
    s00 += a0 * b0;
    s01 += a0 * b1;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s30 += a3 * b0;
    s31 += a3 * b1;
  }
  add(c, s00, s01);
  add(c + n, s10, s11);
  add(c + 2 * n, s20, s21);
  add(c + 3 * n, s30, s31);
}

#ifdef __wasm__
__attribute__((export_name("multiply")))
#endif
/* rows and n are multiples of 4, B is n x n, and `packed` has room for DEPTH x WIDE numbers. */
void multiply(const double *a, const double *b, double *c, int rows, int n, double *packed) {
  for (long i = 0; i < (long)rows * n; i++) c[i] = 0;
  for (int k = 0; k < n; k += DEPTH) {
    const int depth = n - k < DEPTH ? n - k : DEPTH;
    for (int j = 0; j < n; j += WIDE) {
      const int wide = n - j < WIDE ? n - j : WIDE;
      pack(b + (long)k * n + j, n, depth, wide, packed);
      for (int i = 0; i < rows; i += ROWS)
        for (int w = 0; w < wide; w += COLUMNS)
          tile(a + (long)i * n + k, n, packed + w * depth, depth, c + (long)i * n + j + w);
    }
  }
}
