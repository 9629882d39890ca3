/* tw_math.h: the arithmetic of generated code, one number at a time or several lanes side by side.
 *
 * The generated text is compiled twice: with TW_LANES = 1, tw_real is a double; with TW_LANES = 2, 4 or 8,
 * tw_real is that many doubles in one vector register and every function below works on all of them at once.
 * Lanes never influence each other: a lane's result has the same bits whatever its neighbours hold.
 *
 * C11 with the vector extensions of gcc (>= 9) and clang (>= 10); no heap, no OS, no include but stdint.h.
 * Meant for -fno-math-errno -fno-trapping-math -ffp-contract=fast, never for -ffast-math. TW_LANES above
 * TW_LANES_NATIVE is right but slow with gcc, which then compares lane by lane (and wants -Wno-psabi).
 *
 * Who computes what (errors in ulp, measured by tests/native/test_math.py):
 *   sincos, sin, cos              polynomial here, <= 1.1 ulp for |x| <= 1e6 (0.85 with fma); libm beyond
 *   exp, log, tanh, pow           lanes: polynomial here, <= 1, 1, 1.1, 2 ulp; scalar: libm
 *   tan, asin, acos, atan, atan2  libm, lane by lane
 *   sqrt, abs, floor, sign, min, max, comparisons, select: exact
 *
 * One rule keeps scalar and lanes equal to the last bit although the compiler may contract a*b + c as it
 * likes: here no product enters a sum except through an explicit fma, or where the product is exact.
 *
 * Where the polynomials come from: minimax (remez exchange, 60 digits) for the relative error of the function
 * itself; coefficients rounded to double from the lowest power up, the others fitted again after each.
 */
#ifndef TW_MATH_H
#define TW_MATH_H

#include <stdint.h>

#ifndef TW_LANES
#define TW_LANES 1
#endif
#if TW_LANES != 1 && TW_LANES != 2 && TW_LANES != 4 && TW_LANES != 8
#error "TW_LANES must be 1, 2, 4 or 8"
#endif

#define TW_ALIGN __attribute__((aligned(64)))
#define TW_NOINLINE __attribute__((noinline))
#define TW_COLD __attribute__((cold))
#define TW_RESTRICT __restrict
#define TW_INLINE static inline __attribute__((always_inline, unused))
#define TW_UNLIKELY(p) __builtin_expect(!!(p), 0)

/* the widest lanes the target holds in one register */
#if defined(__AVX512F__)
#define TW_LANES_NATIVE 8
#elif defined(__AVX2__)
#define TW_LANES_NATIVE 4
#else
#define TW_LANES_NATIVE 2
#endif

#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
#define TW_HAS_FMA 1
#else
#define TW_HAS_FMA 0
#endif

#ifdef __has_builtin
#define TW_HAS_BUILTIN(b) __has_builtin(b)
#elif defined(__x86_64__)
#define TW_HAS_BUILTIN(b) 1 /* gcc 9 cannot be asked, but it has those named here; asked for on gcc only */
#else
#define TW_HAS_BUILTIN(b) 0
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define TW_GCC_X86 1
#else
#define TW_GCC_X86 0
#endif

/* passing wide vectors by value: every function is inlined, the calling convention never matters */
#if TW_LANES > 1
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* round to nearest integer: adding 1.5 * 2^52 leaves the integer in the low bits of the significand */
#define TW_MAGIC_ 0x1.8p52
#define TW_SIGN_ 0x8000000000000000u

/* ------------------------------------------------------------------ vectors of W doubles, W = 2, 4, 8 */

/* three things the vector extensions have no operator for; where no builtin has it a loop over the lanes
   does, which the compilers turn into the one instruction */
#define TW_VECTOR_(W)                                                                                        \
    typedef double tw_v##W##_ __attribute__((vector_size(8 * W)));                                           \
    typedef uint64_t tw_u##W##_ __attribute__((vector_size(8 * W)));                                         \
    TW_INLINE tw_v##W##_ tw_fma##W##_(tw_v##W##_ a, tw_v##W##_ b, tw_v##W##_ c)                              \
    {                                                                                                        \
        TW_FMA_BODY_(W)                                                                                      \
    }                                                                                                        \
    TW_INLINE tw_v##W##_ tw_sqrt##W##_(tw_v##W##_ a)                                                         \
    {                                                                                                        \
        TW_SQRT_BODY_(W)                                                                                     \
    }                                                                                                        \
    TW_INLINE int tw_any##W##_(tw_u##W##_ m) /* is the top bit of any lane set? */                           \
    {                                                                                                        \
        TW_ANY_BODY_(W)                                                                                      \
    }

#define TW_FMA_LOOP_(W)                                                                                      \
    tw_v##W##_ r = a;                                                                                        \
    for (int i = 0; i < W; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);                                      \
    return r;
#define TW_SQRT_LOOP_(W)                                                                                     \
    tw_v##W##_ r = a;                                                                                        \
    for (int i = 0; i < W; i++) r[i] = __builtin_sqrt(a[i]);                                                 \
    return r;
#define TW_ANY_LOOP_(W)                                                                                      \
    uint64_t r = 0;                                                                                          \
    for (int i = 0; i < W; i++) r |= m[i] >> 63;                                                             \
    return (int)r;

#if !TW_HAS_FMA
#define TW_FMA_2_ return a * b + c;
#define TW_FMA_4_ return a * b + c;
#define TW_FMA_8_ return a * b + c;
#elif TW_GCC_X86 && TW_HAS_BUILTIN(__builtin_ia32_vfmaddpd) && TW_HAS_BUILTIN(__builtin_ia32_vfmaddpd256)
#define TW_FMA_2_ return __builtin_ia32_vfmaddpd(a, b, c);
#define TW_FMA_4_ return __builtin_ia32_vfmaddpd256(a, b, c);
#if defined(__AVX512F__) && TW_HAS_BUILTIN(__builtin_ia32_vfmaddpd512_mask)
#define TW_FMA_8_ return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4 /* rounding as it stands */);
#endif
#elif defined(__clang__) && TW_HAS_BUILTIN(__builtin_elementwise_fma)
#define TW_FMA_2_ return __builtin_elementwise_fma(a, b, c);
#define TW_FMA_4_ return __builtin_elementwise_fma(a, b, c);
#define TW_FMA_8_ return __builtin_elementwise_fma(a, b, c);
#endif
#ifndef TW_FMA_2_
#define TW_FMA_2_ TW_FMA_LOOP_(2)
#define TW_FMA_4_ TW_FMA_LOOP_(4)
#endif
#ifndef TW_FMA_8_
#define TW_FMA_8_ TW_FMA_LOOP_(8)
#endif

#if TW_GCC_X86 && TW_HAS_BUILTIN(__builtin_ia32_sqrtpd)
#define TW_SQRT_2_ return __builtin_ia32_sqrtpd(a);
#endif
#if TW_GCC_X86 && defined(__AVX__) && TW_HAS_BUILTIN(__builtin_ia32_sqrtpd256)
#define TW_SQRT_4_ return __builtin_ia32_sqrtpd256(a);
#endif
#if TW_GCC_X86 && defined(__AVX512F__) && TW_HAS_BUILTIN(__builtin_ia32_sqrtpd512_mask)
#define TW_SQRT_8_ return __builtin_ia32_sqrtpd512_mask(a, a, -1, 4);
#endif
#ifndef TW_SQRT_2_
#define TW_SQRT_2_ TW_SQRT_LOOP_(2)
#endif
#ifndef TW_SQRT_4_
#define TW_SQRT_4_ TW_SQRT_LOOP_(4)
#endif
#ifndef TW_SQRT_8_
#define TW_SQRT_8_ TW_SQRT_LOOP_(8)
#endif

#if TW_GCC_X86 && TW_HAS_BUILTIN(__builtin_ia32_movmskpd)
#define TW_ANY_2_ return __builtin_ia32_movmskpd((tw_v2_)m) != 0;
#endif
#if TW_GCC_X86 && defined(__AVX__) && TW_HAS_BUILTIN(__builtin_ia32_movmskpd256)
#define TW_ANY_4_ return __builtin_ia32_movmskpd256((tw_v4_)m) != 0;
#endif
#if TW_GCC_X86 && defined(__AVX512DQ__) && TW_HAS_BUILTIN(__builtin_ia32_cvtq2mask512)
typedef long long tw_i8_ __attribute__((vector_size(64)));
#define TW_ANY_8_ return __builtin_ia32_cvtq2mask512((tw_i8_)m) != 0;
#endif
#ifndef TW_ANY_2_
#define TW_ANY_2_ TW_ANY_LOOP_(2)
#endif
#ifndef TW_ANY_4_
#define TW_ANY_4_ TW_ANY_LOOP_(4)
#endif
#ifndef TW_ANY_8_
#define TW_ANY_8_ TW_ANY_LOOP_(8)
#endif

#define TW_FMA_BODY_(W) TW_FMA_##W##_
#define TW_SQRT_BODY_(W) TW_SQRT_##W##_
#define TW_ANY_BODY_(W) TW_ANY_##W##_

/* ------------------------------------------------------------------ sine and cosine together */

/* the polynomial holds up to here (k below stays under 2^20, so k times a 33-bit part of pi/2 is exact) */
#define TW_SINCOS_BOUND 1e6
#define TW_SINCOS_BOUND_BITS_ 0x412e848000000000u

/* a - k pi/2 in three parts, left as b + lo. with fma: parts of 53, 33 and 53 bits; d is exact (a multiple of
   2^-53 below 1) and so is the second product, hence e. without: 33, 33 and 53 bits, two exact products. */
#if TW_HAS_FMA
#define TW_REDUCE_(W)                                                                                        \
    tw_v##W##_ d = tw_fma##W##_(k, (tw_v##W##_){0} - 0x1.921fb54442d18p+0, a);                               \
    tw_v##W##_ b = tw_fma##W##_(k, (tw_v##W##_){0} - 0x1.1a626331p-54, d);                              \
    tw_v##W##_ e = tw_fma##W##_(k, (tw_v##W##_){0} - 0x1.1a626331p-54, d - b);                          \
    tw_v##W##_ lo = tw_fma##W##_(k, (tw_v##W##_){0} - 0x1.1701b839a252p-88, e);
#else
#define TW_REDUCE_(W)                                                                                        \
    tw_v##W##_ d = a - k * 0x1.921fb544p+0;                                                                  \
    tw_v##W##_ p = k * 0x1.0b4611a6p-34, q = k * 0x1.3198a2e037073p-69;                                      \
    tw_v##W##_ h = d - p, b = h - q;                                                                         \
    tw_v##W##_ lo = ((h - b) - q) + ((d - h) - p);
#endif

/* c0 + c1 z + ... + c5 z^5, y = z^2, as (c0 + c1 z) + y ((c2 + c3 z) + y (c4 + c5 z)): shorter than horner */
#define TW_POLY6_(W, c0, c1, c2, c3, c4, c5)                                                                 \
    tw_fma##W##_(y,                                                                                          \
        tw_fma##W##_(y, tw_fma##W##_(z, o + c5, o + c4), tw_fma##W##_(z, o + c3, o + c2)),                   \
        tw_fma##W##_(z, o + c1, o + c0))

/* on |x|: sin(b + lo) = b + (b^3 S(b^2) + lo cos b), cos(b + lo) = 1 - b^2/2 + (b^4 C(b^2) - b lo), the
   rounding of 1 - b^2/2 given back; |relative error| of the two polynomials < 2^-57.8 and 2^-63.9 on
   |b| <= pi/4. then the quadrant k mod 4 swaps and signs them. returns whether some lane is out of range. */
#define TW_SINCOS_(W)                                                                                        \
    TW_INLINE int tw_sincos##W##_(tw_v##W##_ x, tw_v##W##_ *sine, tw_v##W##_ *cosine)                        \
    {                                                                                                        \
        const tw_v##W##_ o = {0};                                                                            \
        tw_u##W##_ ua = (tw_u##W##_)x & ~TW_SIGN_;                                                           \
        tw_v##W##_ a = (tw_v##W##_)ua;                                                                       \
        tw_v##W##_ t = tw_fma##W##_(a, o + 0x1.45f306dc9c883p-1, o + TW_MAGIC_), k = t - TW_MAGIC_;          \
        TW_REDUCE_(W)                                                                                        \
        tw_v##W##_ z = b * b, y = z * z, w = 1.0 - 0.5 * z, g = (1.0 - w) - 0.5 * z;                         \
        tw_v##W##_ ps = TW_POLY6_(W, -0x1.5555555555548p-3, 0x1.111111110f730p-7, -0x1.a01a019be9217p-13,    \
                                  0x1.71de35552b589p-19, -0x1.ae5e4b83ef74dp-26, 0x1.5d8b559ae36cbp-33);     \
        tw_v##W##_ pc = TW_POLY6_(W, 0x1.555555555554bp-5, -0x1.6c16c16c15015p-10, 0x1.a01a019c8f254p-16,    \
                                  -0x1.27e4f7f19141fp-22, 0x1.1ee9dbceee5fep-29, -0x1.8fa6847a01cc2p-37);    \
        tw_u##W##_ s = (tw_u##W##_)(b + tw_fma##W##_(b * z, ps, lo * w));                                    \
        tw_u##W##_ c = (tw_u##W##_)(w + tw_fma##W##_(y, pc, tw_fma##W##_(b, -lo, g)));                       \
        tw_u##W##_ j = (tw_u##W##_)t;                                                                        \
        tw_u##W##_ swap = (0 - (j & 1)) & (s ^ c);                                                           \
        *sine = (tw_v##W##_)(s ^ swap ^ (((j << 62) ^ (tw_u##W##_)x) & TW_SIGN_));                           \
        *cosine = (tw_v##W##_)(c ^ swap ^ (((j + 1) << 62) & TW_SIGN_));                                     \
        return tw_any##W##_(TW_SINCOS_BOUND_BITS_ - ua); /* as integers, inf and NaN are large too */        \
    }

/* the rare rest by libm; values in range keep their polynomial */
static TW_NOINLINE TW_COLD __attribute__((unused))
void tw_sincos_far_(const double *x, double *s, double *c, int n)
{
    for (int i = 0; i < n; i++)
        if (!(__builtin_fabs(x[i]) <= TW_SINCOS_BOUND)) {
            s[i] = __builtin_sin(x[i]);
            c[i] = __builtin_cos(x[i]);
        }
}

#if TW_LANES == 1
/* ================================================================== one number at a time */

typedef double tw_real;
typedef int tw_mask;

TW_VECTOR_(2)
TW_SINCOS_(2)
#if TW_LANES_NATIVE >= 4
TW_VECTOR_(4)
TW_SINCOS_(4)
#endif
#if TW_LANES_NATIVE >= 8
TW_VECTOR_(8)
TW_SINCOS_(8)
#endif

TW_INLINE tw_real tw_set1(double v) { return v; }
TW_INLINE tw_real tw_load(const void *p) { return *(const double *)p; }
TW_INLINE void tw_store(void *p, tw_real v) { *(double *)p = v; }

TW_INLINE tw_mask tw_lt(tw_real a, tw_real b) { return a < b; }
TW_INLINE tw_mask tw_le(tw_real a, tw_real b) { return a <= b; }
TW_INLINE tw_mask tw_gt(tw_real a, tw_real b) { return a > b; }
TW_INLINE tw_mask tw_ge(tw_real a, tw_real b) { return a >= b; }
TW_INLINE tw_mask tw_eq(tw_real a, tw_real b) { return a == b; }
TW_INLINE tw_mask tw_ne(tw_real a, tw_real b) { return a != b; }
TW_INLINE tw_mask tw_and(tw_mask a, tw_mask b) { return a & b; }
TW_INLINE tw_mask tw_or(tw_mask a, tw_mask b) { return a | b; }
TW_INLINE tw_mask tw_not(tw_mask a) { return !a; }
TW_INLINE int tw_any(tw_mask m) { return m; }
TW_INLINE int tw_all(tw_mask m) { return m; }
TW_INLINE tw_real tw_select(tw_mask m, tw_real a, tw_real b) { return m ? a : b; }
TW_INLINE tw_real tw_mask_real(tw_mask m) { return m ? 1.0 : 0.0; }

TW_INLINE tw_real tw_sqrt(tw_real x) { return __builtin_sqrt(x); }
TW_INLINE tw_real tw_abs(tw_real x) { return __builtin_fabs(x); }
TW_INLINE tw_real tw_floor(tw_real x) { return __builtin_floor(x); }
TW_INLINE tw_real tw_exp(tw_real x) { return __builtin_exp(x); }
TW_INLINE tw_real tw_log(tw_real x) { return __builtin_log(x); }
TW_INLINE tw_real tw_tanh(tw_real x) { return __builtin_tanh(x); }
TW_INLINE tw_real tw_pow(tw_real x, tw_real y) { return __builtin_pow(x, y); }
TW_INLINE tw_real tw_tan(tw_real x) { return __builtin_tan(x); }
TW_INLINE tw_real tw_asin(tw_real x) { return __builtin_asin(x); }
TW_INLINE tw_real tw_acos(tw_real x) { return __builtin_acos(x); }
TW_INLINE tw_real tw_atan(tw_real x) { return __builtin_atan(x); }
TW_INLINE tw_real tw_atan2(tw_real y, tw_real x) { return __builtin_atan2(y, x); }

TW_INLINE void tw_sincos(tw_real x, tw_real *s, tw_real *c)
{
    tw_v2_ sv, cv; /* a vector register even for one: its bit operations cost no trip to the integer side */
    tw_sincos2_((tw_v2_){x, 0.0}, &sv, &cv);
    if (TW_UNLIKELY(!(__builtin_fabs(x) <= TW_SINCOS_BOUND))) {
        double xd = x, sd, cd; /* named here, so that the likely path never goes through memory */
        tw_sincos_far_(&xd, &sd, &cd, 1);
        *s = sd;
        *c = cd;
    } else {
        *s = sv[0];
        *c = cv[0];
    }
}

/* W angles in one register. up to four are gathered one by one: they tend to come fresh from scalar code, and
   a wide load must wait until narrow stores have reached the cache. */
#define TW_CHUNK_(W)                                                                                         \
    TW_INLINE int tw_chunk##W##_(const double *x, double *s, double *c)                                      \
    {                                                                                                        \
        tw_v##W##_ xv = {0}, sv, cv;                                                                         \
        if (W <= 4) for (int i = 0; i < W; i++) xv[i] = x[i];                                                \
        else __builtin_memcpy(&xv, x, sizeof xv);                                                            \
        int far = tw_sincos##W##_(xv, &sv, &cv);                                                             \
        __builtin_memcpy(s, &sv, sizeof sv);                                                                 \
        __builtin_memcpy(c, &cv, sizeof cv);                                                                 \
        return far;                                                                                          \
    }
TW_CHUNK_(2)
#if TW_LANES_NATIVE >= 4
TW_CHUNK_(4)
#endif
#if TW_LANES_NATIVE >= 8
TW_CHUNK_(8)
#endif

/* n angles of one evaluation together; n a constant. s and c must not overlap x. chunks of 8, 4, 2 and a last
   single one: measured faster than a part-filled wider register. */
TW_INLINE void tw_sincos_n(const double *TW_RESTRICT x, double *TW_RESTRICT s, double *TW_RESTRICT c, int n)
{
    int i = 0, far = 0;
#if TW_LANES_NATIVE >= 8
    for (; i + 8 <= n; i += 8) far |= tw_chunk8_(x + i, s + i, c + i);
#endif
#if TW_LANES_NATIVE >= 4
    for (; i + 4 <= n; i += 4) far |= tw_chunk4_(x + i, s + i, c + i);
#endif
    for (; i + 2 <= n; i += 2) far |= tw_chunk2_(x + i, s + i, c + i);
    if (TW_UNLIKELY(far)) tw_sincos_far_(x, s, c, i);
    if (i < n) tw_sincos(x[i], s + i, c + i);
}

#else
/* ================================================================== lanes side by side */

#define TW_CAT_(a, b, c) a##b##c
#define TW_CAT(a, b, c) TW_CAT_(a, b, c)
#define TW_W_(name) TW_CAT(name, TW_LANES, _)
#define TW_EXPAND_(m, W) m(W)

TW_EXPAND_(TW_VECTOR_, TW_LANES)
TW_EXPAND_(TW_SINCOS_, TW_LANES)

typedef TW_W_(tw_v) tw_real;
typedef TW_W_(tw_u) tw_bits_;
typedef int64_t tw_mask __attribute__((vector_size(8 * TW_LANES))); /* all ones or all zeros per lane */

TW_INLINE tw_real tw_set1(double v) { return v - (tw_real){0}; /* minus, for -0 + 0 would lose its sign */ }
TW_INLINE tw_real tw_load(const void *p) { return *(const tw_real *)p; }
TW_INLINE void tw_store(void *p, tw_real v) { *(tw_real *)p = v; }

TW_INLINE tw_mask tw_lt(tw_real a, tw_real b) { return (tw_mask)(a < b); }
TW_INLINE tw_mask tw_le(tw_real a, tw_real b) { return (tw_mask)(a <= b); }
TW_INLINE tw_mask tw_gt(tw_real a, tw_real b) { return (tw_mask)(a > b); }
TW_INLINE tw_mask tw_ge(tw_real a, tw_real b) { return (tw_mask)(a >= b); }
TW_INLINE tw_mask tw_eq(tw_real a, tw_real b) { return (tw_mask)(a == b); }
TW_INLINE tw_mask tw_ne(tw_real a, tw_real b) { return (tw_mask)(a != b); }
TW_INLINE tw_mask tw_and(tw_mask a, tw_mask b) { return a & b; }
TW_INLINE tw_mask tw_or(tw_mask a, tw_mask b) { return a | b; }
TW_INLINE tw_mask tw_not(tw_mask a) { return ~a; }
TW_INLINE int tw_any(tw_mask m) { return TW_W_(tw_any)((tw_bits_)m); }
TW_INLINE int tw_all(tw_mask m) { return !TW_W_(tw_any)((tw_bits_)~m); }
TW_INLINE tw_real tw_select(tw_mask m, tw_real a, tw_real b)
{
    tw_mask k = (tw_mask)(m != 0); /* says again that m is a mask, so that the compilers make a blend of it */
    return (tw_real)((k & (tw_mask)a) | (~k & (tw_mask)b));
}
TW_INLINE tw_real tw_mask_real(tw_mask m) { return (tw_real)(m & (tw_mask)tw_set1(1.0)); }

TW_INLINE tw_real tw_sqrt(tw_real x) { return TW_W_(tw_sqrt)(x); }
TW_INLINE tw_real tw_abs(tw_real x) { return (tw_real)((tw_bits_)x & ~TW_SIGN_); }

#define TW_LANEWISE1_(name, f)                                                                               \
    TW_INLINE tw_real name(tw_real x)                                                                        \
    {                                                                                                        \
        tw_real r = x;                                                                                       \
        for (int i = 0; i < TW_LANES; i++) r[i] = f(x[i]);                                                   \
        return r;                                                                                            \
    }
TW_LANEWISE1_(tw_floor, __builtin_floor)
TW_LANEWISE1_(tw_tan, __builtin_tan)
TW_LANEWISE1_(tw_asin, __builtin_asin)
TW_LANEWISE1_(tw_acos, __builtin_acos)
TW_LANEWISE1_(tw_atan, __builtin_atan)
TW_INLINE tw_real tw_atan2(tw_real y, tw_real x)
{
    tw_real r = x;
    for (int i = 0; i < TW_LANES; i++) r[i] = __builtin_atan2(y[i], x[i]);
    return r;
}

TW_INLINE void tw_sincos(tw_real x, tw_real *s, tw_real *c)
{
    tw_real sv, cv;
    if (TW_UNLIKELY(TW_W_(tw_sincos)(x, &sv, &cv))) {
        union { tw_real v; double d[TW_LANES]; } ux = {x}, us = {sv}, uc = {cv};
        tw_sincos_far_(ux.d, us.d, uc.d, TW_LANES);
        sv = us.v;
        cv = uc.v;
    }
    *s = sv;
    *c = cv;
}

TW_INLINE void tw_sincos_n(const tw_real *x, tw_real *s, tw_real *c, int n)
{
    for (int i = 0; i < n; i++) tw_sincos(x[i], s + i, c + i);
}

/* a b + c with one rounding where the target has it */
TW_INLINE tw_real tw_fma_(tw_real a, tw_real b, tw_real c) { return TW_W_(tw_fma)(a, b, c); }

/* a b rounded, and *low = what the rounding took, exactly */
TW_INLINE tw_real tw_product_(tw_real a, tw_real b, tw_real *low)
{
#if TW_HAS_FMA
    tw_real p = tw_fma_(a, b, tw_set1(0.0)); /* not a * b, which might be contracted into a sum later */
    *low = tw_fma_(a, b, -p);
#else
    tw_real p = a * b;
    tw_real ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27; /* veltkamp split, dekker product */
    tw_real ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh;
    *low = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
    return p;
}

/* c - a b with one rounding, where c and a b nearly cancel */
TW_INLINE tw_real tw_residual_(tw_real a, tw_real b, tw_real c)
{
#if TW_HAS_FMA
    return tw_fma_(-a, b, c);
#else
    tw_real e, p = tw_product_(a, b, &e);
    return (c - p) - e;
#endif
}

/* P in exp r = 1 + r + r^2 P(r), |relative error of exp| < 2^-57.8 on |r| <= ln 2 / 2; z = r^2 */
TW_INLINE tw_real tw_exp_poly_(tw_real r, tw_real z)
{
    const tw_real o = {0};
    tw_real y = z * z;
    tw_real p01 = tw_fma_(r, o + 0x1.5555555555505p-3, o + 0x1.000000000000ap-1);
    tw_real p23 = tw_fma_(r, o + 0x1.1111111125202p-7, o + 0x1.55555555506c1p-5);
    tw_real p45 = tw_fma_(r, o + 0x1.a01a0137cae4ep-13, o + 0x1.6c16c184751d8p-10);
    tw_real p67 = tw_fma_(r, o + 0x1.71df087f91cfcp-19, o + 0x1.a0199965c4e65p-16);
    tw_real p89 = tw_fma_(r, o + 0x1.adab89cda7703p-26, o + 0x1.28adf5724a619p-22);
    tw_real p4 = tw_fma_(y, p89, tw_fma_(z, p67, p45));
    return tw_fma_(y, p4, tw_fma_(z, p23, p01));
}

/* x - k ln 2 = r + *low, k = x / ln 2 rounded; ln 2 in 42 + 53 bits, so k times the first is exact */
TW_INLINE tw_real tw_exp_reduce_(tw_real x, tw_real *k, tw_real *low)
{
    const tw_real o = {0};
    *k = tw_fma_(x, o + 0x1.71547652b82fep+0, o + TW_MAGIC_) - TW_MAGIC_;
    tw_real d = tw_fma_(*k, o - 0x1.62e42fefa3800p-1, x), r = tw_fma_(*k, o - 0x1.ef35793c76730p-45, d);
    *low = tw_fma_(*k, o - 0x1.ef35793c76730p-45, d - r);
    return r;
}

/* m 2^k for whole |k| <= 1100, in two steps of half the exponent: right also where 2^k is out of range */
TW_INLINE tw_real tw_scale_(tw_real m, tw_real k)
{
    tw_bits_ q = (tw_bits_)(k + (TW_MAGIC_ + 2046.0)) & 0xfff, h = q >> 1;
    return m * (tw_real)(h << 52) * (tw_real)((q - h) << 52);
}

TW_INLINE tw_real tw_exp(tw_real x)
{
    tw_real a = tw_select(tw_gt(x, tw_set1(710.0)), tw_set1(710.0), x), k, l;
    a = tw_select(tw_lt(x, tw_set1(-746.0)), tw_set1(-746.0), a); /* beyond both ends inf and 0 anyway */
    tw_real r = tw_exp_reduce_(a, &k, &l), z = r * r;
    return tw_scale_(1.0 + (r + tw_fma_(z, tw_exp_poly_(r, z), l)), k);
}

/* t / (t + 2), t = exp(2 |x|) - 1 = 2^k (exp r - 1) + (2^k - 1); 1 to the last bit from 22 on */
TW_INLINE tw_real tw_tanh(tw_real x)
{
    tw_real a = tw_abs(x), k, l;
    a = 2.0 * tw_select(tw_gt(a, tw_set1(22.0)), tw_set1(22.0), a);
    tw_real r = tw_exp_reduce_(a, &k, &l), z = r * r, m = tw_fma_(z, tw_exp_poly_(r, z), l);
    tw_real p = (tw_real)((tw_bits_)(k + (TW_MAGIC_ + 1023.0)) << 52), q = p - 1.0; /* p = 2^k */
    tw_real h = tw_fma_(p, r, q), e = tw_fma_(p, r, q - h);                         /* h + e = p r + q */
    tw_real w = tw_fma_(p, m, e), t = h + w, tl = (h - t) + w;                      /* t + tl = exp - 1 */
    tw_real d = t + 2.0, dl = (t - (d - 2.0)) + tl, i = 1.0 / d;
    tw_real y = t * i; /* the quotient within two ulp, then its remainder */
    y = tw_fma_(i, tw_fma_(-y, dl, tw_residual_(y, d, t) + tl), y);
    return (tw_real)((tw_bits_)y | ((tw_bits_)x & TW_SIGN_));
}

/* x = 2^k m with sqrt(1/2) <= m < sqrt(2), for positive finite x, denormals included */
TW_INLINE tw_real tw_split_(tw_real x, tw_real *k)
{
    tw_mask tiny = tw_lt(x, tw_set1(0x1p-1022));
    tw_bits_ u = (tw_bits_)tw_select(tiny, x * 0x1p54, x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    *k = (tw_real)((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    *k = *k - (tw_real)(tiny & (tw_mask)tw_set1(54.0));
    return (tw_real)((u & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
}

/* f = m - 1, s = f / (2 + f), log m = 2 atanh s = 2 s + s^3 L(s^2) = f - (f^2/2 - s (f^2/2 + s^2 L));
   |relative error| < 2^-59.4. log 0 = -inf, NaN below. */
TW_INLINE tw_real tw_log(tw_real x)
{
    const tw_real o = {0};
    tw_real k, f = tw_split_(x, &k) - 1.0, s = f / (2.0 + f), z = s * s, y = z * z, h = 0.5 * f;
    tw_real p = tw_fma_(z, o + 0x1.39a1e8a709101p-3, o + 0x1.74663ced9a7fep-3);
    tw_real q = tw_fma_(z, o + 0x1.c71c521455a71p-3, o + 0x1.24924941e149fp-2);
    tw_real l = tw_fma_(z, o + 0x1.999999997ff1ap-2, o + 0x1.5555555555592p-1);
    l = tw_fma_(y, tw_fma_(y, tw_fma_(y, o + 0x1.2f03bca3f7850p-3, p), q), l);
    tw_real low = tw_fma_(k, o + 0x1.ef35793c76730p-45, s * tw_fma_(h, f, z * l));
    tw_real v = tw_fma_(k, o + 0x1.62e42fefa3800p-1, f - tw_fma_(h, f, -low));
    v = tw_select(tw_eq(x, tw_set1(__builtin_inf())), x, v);
    v = tw_select(tw_eq(x, o), tw_set1(-__builtin_inf()), v);
    return tw_select(tw_or(tw_lt(x, o), tw_ne(x, x)), tw_set1(__builtin_nan("")), v);
}

/* log2 x = k + (2 / ln 2) atanh s as high + low, |relative error| about 2^-62: s and the terms s + s^3/3 in
   twice the precision, the rest s^5 A(s^2) (relative to s < 2^-73) in one */
TW_INLINE tw_real tw_log2_(tw_real x, tw_real *low)
{
    const tw_real o = {0};
    tw_real k, m = tw_split_(x, &k), f = m - 1.0;
    tw_real g = m + 1.0, gl = m - (g - 1.0), i = 1.0 / g; /* 1 + m = g + gl */
    tw_real s = f * i, sl = tw_fma_(-s, gl, tw_residual_(s, g, f)) * i;
    tw_real zl, z = tw_product_(s, s, &zl), y = z * z;
    zl = tw_fma_(s + s, sl, zl);
    tw_real a = tw_fma_(z, o + 0x1.2492492492f51p-3, o + 0x1.9999999999996p-3);
    tw_real b = tw_fma_(z, o + 0x1.745d182956721p-4, o + 0x1.c71c71c5968f9p-4);
    tw_real c = tw_fma_(z, o + 0x1.11206f2a43612p-4, o + 0x1.3b1364c957508p-4);
    tw_real d = tw_fma_(z, o + 0x1.eac5b44bfa381p-5, o + 0x1.de3d717a1b70dp-5);
    a = tw_fma_(y, tw_fma_(y, tw_fma_(y, d, c), b), a); /* A(s^2) */
    /* w + wl = s^2 / 3, t + tl = s w */
    tw_real wl, w = tw_product_(z, o + 0x1.5555555555555p-2, &wl);
    wl = tw_fma_(z, o + 0x1.5555555555555p-56, tw_fma_(zl, o + 0x1.5555555555555p-2, wl));
    tw_real tl, t = tw_product_(s, w, &tl);
    tl = tw_fma_(s, tw_fma_(y, a, wl), tw_fma_(sl, w, tl)) + sl;
    tw_real h = s + t;
    tl = tl + (t - (h - s));
    /* times 2 / ln 2, plus k */
    tw_real vl, v = tw_product_(h, o + 0x1.71547652b82fep+1, &vl);
    vl = tw_fma_(tl, o + 0x1.71547652b82fep+1, tw_fma_(h, o + 0x1.777d0ffda0d24p-55, vl));
    h = k + v;
    vl = vl + (v - (h - k));
    v = h + vl;
    *low = vl - (v - h);
    return v;
}

/* x^y = 2^(y log2 |x|), then the table of exceptions of C's annex F, all by selection */
TW_INLINE tw_real tw_pow(tw_real x, tw_real y)
{
    const tw_real zero = {0}, one = tw_set1(1.0), inf = tw_set1(__builtin_inf());
    const tw_real huge = tw_set1(0x1p100), end = tw_set1(1080.0);
    tw_real a = tw_abs(x), b = tw_abs(y);
    tw_mask ends = tw_or(tw_eq(a, zero), tw_eq(a, inf));
    tw_real ll, l = tw_log2_(tw_select(ends, one, a), &ll);
    /* |y| > 2^100 acts as 2^100: log2 |x| is 0 or over 2^-53 in size */
    tw_real c = (tw_real)((tw_bits_)tw_select(tw_gt(b, huge), huge, b) | ((tw_bits_)y & TW_SIGN_));
    tw_real pl, p = tw_product_(c, l, &pl);
    pl = tw_fma_(c, ll, pl);
    tw_mask over = tw_gt(tw_abs(p), end); /* inf or 0 */
    p = tw_select(over, (tw_real)((tw_bits_)end | ((tw_bits_)p & TW_SIGN_)), p);
    pl = tw_select(over, zero, pl);
    tw_real k = (p + TW_MAGIC_) - TW_MAGIC_;
    tw_real g = p - k, f = g + pl, fl = (g - f) + pl;
    tw_real rl, r = tw_product_(f, zero + 0x1.62e42fefa39efp-1, &rl), z = r * r;
    rl = tw_fma_(fl, zero + 0x1.62e42fefa39efp-1, rl);
    tw_real v = tw_scale_(1.0 + (r + tw_fma_(z, tw_exp_poly_(r, z), rl)), k);
    /* |x| = 0 or inf: inf where it grows, 0 where it shrinks */
    tw_mask grows = (tw_mask)(tw_gt(a, one) ^ tw_lt(y, zero));
    v = tw_select(ends, tw_select(grows, inf, zero), v);
    /* negative base: is y whole, is it odd? 2^52 <= |y| is whole; 2^53 <= |y| is even */
    tw_real n = tw_select(tw_lt(b, tw_set1(0x1p52)), (b + 0x1p52) - 0x1p52, b);
    tw_bits_ odd = (tw_bits_)tw_select(tw_lt(b, tw_set1(0x1p52)), b + 0x1p52, b) << 63;
    tw_mask whole = tw_eq(n, b);
    odd = odd & (tw_bits_)tw_and(whole, tw_lt(b, tw_set1(0x1p53)));
    v = tw_select(tw_and(tw_lt(x, zero), tw_not(tw_or(whole, ends))), tw_set1(__builtin_nan("")), v);
    v = (tw_real)((tw_bits_)v | ((tw_bits_)x & odd));
    v = tw_select(tw_or(tw_ne(x, x), tw_ne(y, y)), x + y, v);
    return tw_select(tw_or(tw_eq(x, one), tw_eq(y, zero)), one, v);
}

#endif /* TW_LANES */

/* ================================================================== the same text for both */

/* always through the polynomial, so that sin, cos and sincos agree to the last bit */
TW_INLINE tw_real tw_sin(tw_real x)
{
    tw_real s, c;
    tw_sincos(x, &s, &c);
    return s;
}
TW_INLINE tw_real tw_cos(tw_real x)
{
    tw_real s, c;
    tw_sincos(x, &s, &c);
    return c;
}

/* NaN in either argument comes out; of two zeros the second */
TW_INLINE tw_real tw_min(tw_real a, tw_real b)
{
    tw_real m = tw_select(tw_lt(a, b), a, b);
    return tw_select(tw_ne(a, a), a, m);
}
TW_INLINE tw_real tw_max(tw_real a, tw_real b)
{
    tw_real m = tw_select(tw_gt(a, b), a, b);
    return tw_select(tw_ne(a, a), a, m);
}

/* -1, 0 or 1; NaN stays NaN */
TW_INLINE tw_real tw_sign(tw_real x)
{
    tw_real zero = tw_set1(0.0), s = tw_mask_real(tw_gt(x, zero)) - tw_mask_real(tw_lt(x, zero));
    return tw_select(tw_ne(x, x), x, s);
}

#endif /* TW_MATH_H */
