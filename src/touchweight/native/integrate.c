/* integrate.c: fixed-step integrators on the rates of a model. No heap, no system calls, bounded work. */
#include "touchweight.h"

#if defined(_WIN32)
#define TW_EXPORT __declspec(dllexport)
#else
#define TW_EXPORT __attribute__((visibility("default")))
#endif

/* only +, -, * on doubles are needed here, and one square root */
static double root(double x) { return __builtin_sqrt(x); }

static int64_t state_size(const tw_system *s) { return (int64_t)s->nq + s->nv + s->nx; }

TW_EXPORT uint32_t tw_abi(void) { return TW_ABI; }

TW_EXPORT int64_t tw_work_size(const tw_system *s) { return 3 * state_size(s) + 1; }

/* dy = f(t, y, u) */
static void rates(const tw_system *s, double t, const double *y, const double *u, double *dy)
{
    const double *in[5] = {y, y + s->nq, y + s->nq + s->nv, u, &t};
    double *out[3] = {dy, dy + s->nq, dy + s->nq + s->nv};
    s->rates->evaluate(s->c, in, out);
}

/* quaternions back to unit length */
static void normalise(const tw_system *s, double *y)
{
    for (int32_t k = 0; k < s->balls; ++k) {
        double *b = y + s->ball_start[k];
        const double size = root(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
        for (int i = 0; i < 4; ++i) b[i] /= size;
    }
}

/* semi-implicit Euler: speeds first, then coordinates with the new speeds */
static void euler(const tw_system *s, double t, double h, double *y, const double *u, double *k)
{
    const int64_t n = state_size(s);
    rates(s, t, y, u, k);
    for (int64_t i = s->nq; i < n; ++i) y[i] += h * k[i];
    rates(s, t, y, u, k);
    for (int64_t i = 0; i < s->nq; ++i) y[i] += h * k[i];
}

/* the classical fourth-order method */
static void rk4(const tw_system *s, double t, double h, double *y, const double *u, double *work)
{
    const int64_t n = state_size(s);
    double *__restrict k = work, *__restrict sum = work + n, *__restrict z = work + 2 * n;
    rates(s, t, y, u, k);
    for (int64_t i = 0; i < n; ++i) {
        sum[i] = k[i];
        z[i] = y[i] + 0.5 * h * k[i];
    }
    rates(s, t + 0.5 * h, z, u, k);
    for (int64_t i = 0; i < n; ++i) {
        sum[i] += 2.0 * k[i];
        z[i] = y[i] + 0.5 * h * k[i];
    }
    rates(s, t + 0.5 * h, z, u, k);
    for (int64_t i = 0; i < n; ++i) {
        sum[i] += 2.0 * k[i];
        z[i] = y[i] + h * k[i];
    }
    rates(s, t + h, z, u, k);
    for (int64_t i = 0; i < n; ++i) y[i] += h / 6.0 * (sum[i] + k[i]);
}

/* x - x is zero for every finite x and for nothing else */
static int all_finite(const double *y, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += y[i] - y[i];
    return sum == 0.0;
}

TW_EXPORT int32_t tw_integrate(const tw_system *s, int32_t method, double t, double h, int64_t n, double *y,
                               const double *u, int64_t u_step, int64_t every, double *record, double *work,
                               int64_t *taken)
{
    const int64_t size = state_size(s);
    *taken = 0;
    if (s->rates->abi != TW_ABI || s->rates->lanes != 1 || !(h > 0.0) || every < 1) return TW_BAD_CALL;
    int64_t until = every; /* steps until the next row */
    for (int64_t i = 0; i < n; ++i) {
        const double now = t + (double)i * h;
        const double *inputs = u + i * u_step;
        if (method == TW_RK4)
            rk4(s, now, h, y, inputs, work);
        else
            euler(s, now, h, y, inputs, work);
        normalise(s, y);
        *taken = i + 1;
        if (--until == 0) {
            until = every;
            for (int64_t k = 0; k < size; ++k) record[k] = y[k];
            record += size;
        }
        if (!all_finite(y, size)) return TW_NOT_FINITE;
    }
    return TW_DONE;
}
