//! Matrix product of f64 for one PE, as matrix.c beside it: C = A B for some rows of A and C.
const ROWS = 4;
const COLUMNS = 4;
const DEPTH = 256;
const WIDE = 128;

const Pair = @Vector(2, f64);
const Numbers = [*]const f64;

fn load(from: Numbers) Pair {
    return from[0..2].*;
}

noinline fn pack(b: Numbers, n: usize, depth: usize, wide: usize, room: [*]f64) void {
    var to = room;
    var j: usize = 0;
    while (j < wide) : (j += COLUMNS) {
        var from = b + j;
        for (0..depth) |_| {
            to[0..2].* = load(from);
            to[2..4].* = load(from + 2);
            from += n;
            to += COLUMNS;
        }
    }
}

/// Adds `depth` products to each of 4 x 4 elements.
noinline fn tile(a: Numbers, n: usize, room: Numbers, depth: usize, c: [*]f64) void {
    var sums = [_][2]Pair{.{ @as(Pair, @splat(0)), @as(Pair, @splat(0)) }} ** ROWS;
    var rows = [ROWS]Numbers{ a, a + n, a + 2 * n, a + 3 * n };
    var b = room;
    for (0..depth) |_| {
        const left = load(b);
        const right = load(b + 2);
        inline for (0..ROWS) |r| {
            const one: Pair = @splat(rows[r][0]);
            sums[r][0] += one * left;
            sums[r][1] += one * right;
            rows[r] += 1;
        }
        b += COLUMNS;
    }
    inline for (0..ROWS) |r| {
        const to = c + r * n;
        to[0..2].* = load(to) + sums[r][0];
        to[2..4].* = load(to + 2) + sums[r][1];
    }
}

/// `rows` and `n` are multiples of 4, B is n x n, and `room` has room for DEPTH x WIDE numbers.
export fn multiply(a: Numbers, b: Numbers, c: [*]f64, rows: usize, n: usize, room: [*]f64) void {
    @memset(c[0 .. rows * n], 0);
    var k: usize = 0;
    while (k < n) : (k += DEPTH) {
        const depth = @min(DEPTH, n - k);
        var j: usize = 0;
        while (j < n) : (j += WIDE) {
            const wide = @min(WIDE, n - j);
            pack(b + k * n + j, n, depth, wide, room);
            var i: usize = 0;
            while (i < rows) : (i += ROWS) {
                var w: usize = 0;
                while (w < wide) : (w += COLUMNS) {
                    tile(a + i * n + k, n, room + w * depth, depth, c + i * n + j + w);
                }
            }
        }
    }
}
