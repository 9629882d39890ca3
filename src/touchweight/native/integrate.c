/* integrate.c: fixed-step integrators on the rates of a model. No heap, no system calls, bounded work. */
#include "tw_core.h"

TW_EXPORT uint32_t tw_abi(void) { return TW_ABI; }

TW_EXPORT int64_t tw_work_size(const tw_system *s)
{
    return 4 * tw_state_size(s) + tw_constraint_space(s) + tw_rosenbrock_space(s) + tw_moreau_space(s) + 2;
}

/* whether a function is missing, or of our kind */
static int fits(const tw_function *f) { return !f->unit || (f->unit->abi == TW_ABI && f->unit->lanes == 1); }

int tw_usable(const tw_system *s)
{
    const tw_constraints *c = s->constraints;
    if (!fits(&s->rates) || !fits(&s->turn) || !fits(&s->slopes)) return 0;
    if (!c) return s->rates.unit != 0;
    const tw_function *const all[] = {&c->closure, &c->drift, &c->drives, &c->lags,   &c->inverse,
                                      &c->mass,    &c->newton, &c->speeds, &c->reduced, &c->feel};
    for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
        if (!fits(all[i])) return 0;
    return s->turn.unit && c->inverse.unit && c->mass.unit;
}

/* semi-implicit Euler: speeds first, then coordinates with the new speeds */
static int32_t euler(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                     double *work)
{
    const int64_t n = tw_state_size(s);
    double *k = work, *space = work + 4 * n;
    const int32_t ended = tw_rates(s, memory, t, y, in->row[0], 0, k, 0, space);
    if (ended) return ended;
    for (int64_t i = s->nq; i < n; ++i) y[i] += h * k[i];
    const double *from[2] = {y, y + s->nq};
    double *to[1] = {k};
    s->turn.unit->evaluate(s->turn.c, from, to);
    for (int64_t i = 0; i < s->nq; ++i) y[i] += h * k[i];
    return TW_DONE;
}

/* the classical fourth-order method */
static int32_t rk4(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                   double *work)
{
    static const double weight[4] = {1.0, 2.0, 2.0, 1.0}, reach[4] = {0.0, 0.5, 0.5, 1.0};
    static const int row[4] = {0, 1, 1, 2};
    const int64_t n = tw_state_size(s);
    double *__restrict k = work, *__restrict sum = work + n, *__restrict z = work + 2 * n, *space = work + 4 * n;
    for (int64_t i = 0; i < n; ++i) {
        k[i] = 0.0;
        sum[i] = 0.0;
    }
    for (int stage = 0; stage < 4; ++stage) {
        for (int64_t i = 0; i < n; ++i) z[i] = y[i] + reach[stage] * h * k[i];
        const int32_t ended = tw_rates(s, memory, t + reach[stage] * h, z, in->row[row[stage]], 0, k, 0, space);
        if (ended) return ended;
        for (int64_t i = 0; i < n; ++i) sum[i] += weight[stage] * k[i];
    }
    for (int64_t i = 0; i < n; ++i) y[i] += h / 6.0 * sum[i];
    return TW_DONE;
}

int32_t tw_step(const tw_system *s, tw_memory *memory, int32_t method, double t, double h, double *y,
                const tw_inputs *in, double *work)
{
    const int64_t n = tw_state_size(s);
    double *start = work + 3 * n, *space = work + 4 * n;
    tw_begin_step(s, memory, t, y, method != TW_ROSENBROCK, space);
    for (int64_t i = 0; i < n; ++i) start[i] = y[i];
    const int stages = method == TW_RK4 || method == TW_ROSENBROCK;
    for (int again = 0; again < 2; ++again) {
        const int64_t switches = memory->switches;
        int32_t ended;
        if (method == TW_RK4)
            ended = rk4(s, memory, t, h, y, in, work);
        else if (method == TW_ROSENBROCK)
            ended = tw_rosenbrock(s, memory, t, h, y, in, work);
        else if (method == TW_MOREAU)
            ended = tw_moreau(s, memory, t, h, y, in, work);
        else
            ended = euler(s, memory, t, h, y, in, work);
        if (ended) return ended;
        /* stages on different partitions would cost an order: once more, on the new one */
        if (!stages || memory->switches == switches || again) break;
        for (int64_t i = 0; i < n; ++i) y[i] = start[i];
    }
    tw_normalise(s, y);
    return tw_close(s, memory, t + h, y, in->row[2], space);
}

/* x - x is zero for every finite x and for nothing else */
static int all_finite(const double *y, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += y[i] - y[i];
    return sum == 0.0;
}

TW_EXPORT int32_t tw_integrate(const tw_system *s, tw_memory *memory, int32_t method, double t, double h, int64_t n,
                               double *y, const double *u, int32_t u_per_step, int64_t every, double *record,
                               double *residual, double *work, int64_t *taken)
{
    const int64_t size = tw_state_size(s);
    *taken = 0;
    if (!(h > 0.0) || every < 1 || u_per_step < 0 || u_per_step > 2 || !tw_usable(s)) return TW_BAD_CALL;
    if (method == TW_EULER && !s->turn.unit) return TW_BAD_CALL;
    int64_t until = every; /* steps until the next row */
    double worst = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double *here = u + i * u_per_step * s->nu;
        const tw_inputs in = {{here, here + (u_per_step == 2 ? s->nu : 0), here + (u_per_step == 2 ? 2 * s->nu : 0)}};
        const int32_t ended = tw_step(s, memory, method, t + (double)i * h, h, y, &in, work);
        if (ended) return all_finite(y, size) ? ended : TW_NOT_FINITE;
        if (memory->residual > worst) worst = memory->residual;
        *taken = i + 1;
        if (--until == 0) {
            until = every;
            for (int64_t k = 0; k < size; ++k) record[k] = y[k];
            record += size;
            if (residual) *residual++ = worst;
            worst = 0.0;
            if (s->contacts && memory->force_record) tw_record_forces(s, memory, (double)every * h);
        }
        if (!all_finite(y, size)) return TW_NOT_FINITE;
    }
    return TW_DONE;
}
