//! Matrix product of f64 for one PE, as matrix.c beside it: C = A B for some rows of A and C.
#![no_std]

use core::arch::wasm32::{f64x2_add, f64x2_mul, f64x2_splat, v128, v128_load, v128_load64_splat, v128_store};

const ROWS: usize = 4;
const COLUMNS: usize = 4;
const DEPTH: usize = 256;
const WIDE: usize = 128;

/// Never called: nothing here panics, and the linker drops it.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[inline(never)]
unsafe fn pack(b: *const f64, n: usize, depth: usize, wide: usize, mut to: *mut f64) {
    let mut j = 0;
    while j < wide {
        let mut from = b.add(j);
        for _ in 0..depth {
            v128_store(to.cast(), v128_load(from.cast()));
            v128_store(to.add(2).cast(), v128_load(from.add(2).cast()));
            from = from.add(n);
            to = to.add(COLUMNS);
        }
        j += COLUMNS;
    }
}

#[inline(always)]
unsafe fn add(c: *mut f64, left: v128, right: v128) {
    v128_store(c.cast(), f64x2_add(v128_load(c.cast()), left));
    v128_store(c.add(2).cast(), f64x2_add(v128_load(c.add(2).cast()), right));
}

/// Adds `depth` products to each of 4 x 4 elements.
#[inline(never)]
unsafe fn tile(a: *const f64, n: usize, mut b: *const f64, depth: usize, c: *mut f64) {
    let mut sums = [[f64x2_splat(0.0); 2]; ROWS];
    let mut rows = [a, a.add(n), a.add(2 * n), a.add(3 * n)];
    for _ in 0..depth {
        let (left, right) = (v128_load(b.cast()), v128_load(b.add(2).cast()));
        for r in 0..ROWS {
            let one = v128_load64_splat(rows[r].cast());
            sums[r][0] = f64x2_add(sums[r][0], f64x2_mul(one, left));
            sums[r][1] = f64x2_add(sums[r][1], f64x2_mul(one, right));
            rows[r] = rows[r].add(1);
        }
        b = b.add(COLUMNS);
    }
    for r in 0..ROWS {
        add(c.add(r * n), sums[r][0], sums[r][1]);
    }
}

/// `rows` and `n` are multiples of 4, B is n x n, and `packed` has room for DEPTH x WIDE numbers.
#[no_mangle]
pub unsafe extern "C" fn multiply(
    a: *const f64,
    b: *const f64,
    c: *mut f64,
    rows: usize,
    n: usize,
    packed: *mut f64,
) {
    c.write_bytes(0, rows * n);
    for k in (0..n).step_by(DEPTH) {
        let depth = DEPTH.min(n - k);
        for j in (0..n).step_by(WIDE) {
            let wide = WIDE.min(n - j);
            pack(b.add(k * n + j), n, depth, wide, packed);
            for i in (0..rows).step_by(ROWS) {
                for w in (0..wide).step_by(COLUMNS) {
                    tile(a.add(i * n + k), n, packed.add(w * depth), depth, c.add(i * n + j + w));
                }
            }
        }
    }
}
