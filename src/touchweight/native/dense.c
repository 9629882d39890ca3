/* dense.c: small dense systems, by rows, in place, with bounded work. */
#include "tw_core.h"

/* LU with partial pivoting; returns the smallest pivot's size (0 when singular, in which case it is left undone) */
double tw_lu(double *a, int32_t *pivot, int32_t n)
{
    double least = n ? 1e300 : 1.0;
    for (int32_t k = 0; k < n; ++k) {
        int32_t p = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (tw_size(a[i * n + k]) > tw_size(a[p * n + k])) p = i;
        pivot[k] = p;
        if (p != k)
            for (int32_t j = 0; j < n; ++j) {
                const double held = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = held;
            }
        const double top = a[k * n + k];
        if (!(tw_size(top) > 0.0)) return 0.0;
        if (tw_size(top) < least) least = tw_size(top);
        const double inverse = 1.0 / top;
        for (int32_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] * inverse;
            a[i * n + k] = factor;
            if (factor != 0.0)
                for (int32_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return least;
}

void tw_lu_solve(const double *a, const int32_t *pivot, int32_t n, double *x)
{
    for (int32_t k = 0; k < n; ++k) {
        const double held = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = held;
    }
    for (int32_t i = 1; i < n; ++i) {
        double sum = x[i];
        for (int32_t j = 0; j < i; ++j) sum -= a[i * n + j] * x[j];
        x[i] = sum;
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t j = i + 1; j < n; ++j) sum -= a[i * n + j] * x[j];
        x[i] = sum / a[i * n + i];
    }
}

void tw_lu_solve_transposed(const double *a, const int32_t *pivot, int32_t n, double *x)
{
    for (int32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (int32_t j = 0; j < i; ++j) sum -= a[j * n + i] * x[j];
        x[i] = sum / a[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int32_t j = i + 1; j < n; ++j) sum -= a[j * n + i] * x[j];
        x[i] = sum;
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        const double held = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = held;
    }
}

/* L D Lᵀ of a positive definite matrix, into its lower triangle (D on the diagonal); 0 when it is not that */
int tw_ldl(double *a, int32_t n)
{
    for (int32_t j = 0; j < n; ++j) {
        double d = a[j * n + j];
        for (int32_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        if (!(d > 0.0)) return 0;
        a[j * n + j] = d;
        for (int32_t i = j + 1; i < n; ++i) {
            double sum = a[i * n + j];
            for (int32_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            a[i * n + j] = sum / d;
        }
    }
    return 1;
}

void tw_ldl_solve(const double *a, int32_t n, double *x)
{
    for (int32_t i = 1; i < n; ++i)
        for (int32_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
    for (int32_t i = 0; i < n; ++i) x[i] /= a[i * n + i];
    for (int32_t i = n - 1; i >= 0; --i)
        for (int32_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
}

/* Complete pivoting over the columns of a (rows by columns, destroyed): the best conditioned choice of one column for
 * each row, those of the first `first` rows before the others. chosen gets the columns; returns the smallest pivot. */
double tw_choose_columns(double *a, int32_t rows, int32_t first, int32_t columns, int32_t *chosen)
{
    double least = rows ? 1e300 : 1.0;
    for (int32_t k = 0; k < rows; ++k) {
        const int32_t end = k < first ? first : rows;
        int32_t pr = k, pc = -1;
        double best = -1.0;
        for (int32_t i = k; i < end; ++i)
            for (int32_t j = 0; j < columns; ++j) {
                const double size = tw_size(a[i * columns + j]);
                if (!(size > best)) continue;
                int taken = 0;
                for (int32_t c = 0; c < k; ++c) taken |= chosen[c] == j;
                if (!taken) {
                    best = size;
                    pr = i;
                    pc = j;
                }
            }
        if (pc < 0) return 0.0;
        chosen[k] = pc;
        if (best < least) least = best;
        if (pr != k)
            for (int32_t j = 0; j < columns; ++j) {
                const double held = a[k * columns + j];
                a[k * columns + j] = a[pr * columns + j];
                a[pr * columns + j] = held;
            }
        if (!(best > 0.0)) continue;
        for (int32_t i = k + 1; i < rows; ++i) {
            const double factor = a[i * columns + pc] / a[k * columns + pc];
            if (factor != 0.0)
                for (int32_t j = 0; j < columns; ++j) a[i * columns + j] -= factor * a[k * columns + j];
        }
    }
    return least;
}
