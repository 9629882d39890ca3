/* the functions of tw_math.h over arrays; built once per TW_LANES by test_math.py, called through ctypes */
#include "tw_math.h"

int lanes(void) { return TW_LANES; }
int lanes_native(void) { return TW_LANES_NATIVE; }
int has_fma(void) { return TW_HAS_FMA; }

/* n is a multiple of TW_LANES; arrays come from anywhere, so go through aligned copies */
static tw_real get(const double *p)
{
    TW_ALIGN double a[TW_LANES];
    __builtin_memcpy(a, p, sizeof a);
    return tw_load(a);
}
static void put(double *p, tw_real v)
{
    TW_ALIGN double a[TW_LANES];
    tw_store(a, v);
    __builtin_memcpy(p, a, sizeof a);
}

#define UNARY(f)                                                                                             \
    void f##_(const double *x, double *r, long n)                                                            \
    {                                                                                                        \
        for (long i = 0; i < n; i += TW_LANES) put(r + i, tw_##f(get(x + i)));                               \
    }
#define BINARY(f)                                                                                            \
    void f##_(const double *x, const double *y, double *r, long n)                                           \
    {                                                                                                        \
        for (long i = 0; i < n; i += TW_LANES) put(r + i, tw_##f(get(x + i), get(y + i)));                   \
    }
#define COMPARE(f)                                                                                           \
    void f##_(const double *x, const double *y, double *r, long n)                                           \
    {                                                                                                        \
        for (long i = 0; i < n; i += TW_LANES) put(r + i, tw_mask_real(tw_##f(get(x + i), get(y + i))));     \
    }

UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(exp) UNARY(log) UNARY(tanh)
UNARY(sqrt) UNARY(abs) UNARY(sign) UNARY(floor)
BINARY(atan2) BINARY(pow) BINARY(min) BINARY(max)
COMPARE(lt) COMPARE(le) COMPARE(gt) COMPARE(ge) COMPARE(eq) COMPARE(ne)

void sincos_(const double *x, double *s, double *c, long n)
{
    for (long i = 0; i < n; i += TW_LANES) {
        tw_real sv, cv;
        tw_sincos(get(x + i), &sv, &cv);
        put(s + i, sv);
        put(c + i, cv);
    }
}

/* x < y ? x : y through the mask, its negation and the connectives: (x < y and not (x >= y)) or x < y */
void select_(const double *x, const double *y, double *r, long n)
{
    for (long i = 0; i < n; i += TW_LANES) {
        tw_real a = get(x + i), b = get(y + i);
        tw_mask m = tw_or(tw_and(tw_lt(a, b), tw_not(tw_ge(a, b))), tw_lt(a, b));
        put(r + i, tw_select(m, a, b));
    }
}

int any_positive(const double *x) { return tw_any(tw_gt(get(x), tw_set1(0.0))); }
int all_positive(const double *x) { return tw_all(tw_gt(get(x), tw_set1(0.0))); }
void set1_(double v, double *r) { put(r, tw_set1(v)); }

#if TW_LANES == 1
#define GROUP(n) case n: tw_sincos_n(x, s, c, n); break;
void sincos_n(const double *x, double *s, double *c, int n)
{
    switch (n) {
        GROUP(1) GROUP(2) GROUP(3) GROUP(4) GROUP(5) GROUP(6) GROUP(7) GROUP(8) GROUP(9) GROUP(10) GROUP(11)
        GROUP(12) GROUP(13) GROUP(14) GROUP(15) GROUP(16) GROUP(17) GROUP(23) GROUP(32)
    }
}
#else
void sincos_n(const double *x, double *s, double *c, int n)
{
    TW_ALIGN double a[64 * TW_LANES], b[64 * TW_LANES], d[64 * TW_LANES];
    __builtin_memcpy(a, x, 8 * TW_LANES * (unsigned)n);
    tw_sincos_n((const tw_real *)a, (tw_real *)b, (tw_real *)d, n);
    __builtin_memcpy(s, b, 8 * TW_LANES * (unsigned)n);
    __builtin_memcpy(c, d, 8 * TW_LANES * (unsigned)n);
}
#endif
