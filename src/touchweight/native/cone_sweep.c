/* cone_sweep.c: Gauss-Seidel over a group of contacts, each solved exactly in turn; and when Newton's method pays. */
#include "tw_cone.h"

/* sweeps over which their rate is taken */
#define SPAN 8
/* sweeps between fresh computations of u */
#define REFRESH 64

INLINE void refresh_in(const group *g, int32_t d)
{
    for (int32_t j = 0; j < g->m; ++j) g->u[j] = g->q[j];
    for (int32_t i = 0; i < g->n; ++i)
        if (!is_zero(g->r + i * d, d)) push(g, i, g->r + i * d, g->u, d);
}

void tw_cone_refresh(const group *g)
{
    if (g->d == 2) refresh_in(g, 2);
    else refresh_in(g, 3);
}

/* one contact after the other; returns the largest change */
INLINE double sweep_in(const group *g, int32_t d)
{
    double most = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        double *r = g->r + i * d, b[3], x[3], change[3] = {0.0, 0.0, 0.0};
        const double *u = g->u + i * d, *a = g->w + (int64_t)i * d * (g->wide + 1);
        for (int32_t k = 0; k < d; ++k) {
            b[k] = u[k];
            for (int32_t l = 0; l < d; ++l) b[k] -= a[k * g->wide + l] * r[l];
        }
        if (c->bilateral || b[0] < 0.0) {
            if (!c->ready) prepare_contact(c, a, g->wide, 1.0, d);
            solve_contact(c, b, x, d);
        } else {
            x[0] = x[1] = x[2] = 0.0;
        }
        if (g->omega != 1.0) {
            for (int32_t k = 0; k < d; ++k) x[k] = r[k] + g->omega * (x[k] - r[k]);
            into_cone(c, x, d);
        }
        for (int32_t k = 0; k < d; ++k) {
            change[k] = x[k] - r[k];
            r[k] = x[k];
            most = larger(most, tw_size(change[k]));
        }
        if (!is_zero(change, d)) push(g, i, change, g->u, d);
    }
    return most;
}

static double sweep(const group *g)
{
    return g->d == 2 ? sweep_in(g, 2) : sweep_in(g, 3);
}

INLINE double residual_in(const group *g, int32_t d)
{
    double worst = 0.0, size = 1.0;
    for (int32_t i = 0; i < g->n; ++i) {
        const double *r = g->r + i * d;
        worst = larger(worst, miss_contact(g->at + i, r, g->u + i * d, d));
        for (int32_t k = 0; k < d; ++k) size = larger(size, tw_size(r[k]));
    }
    return worst / size;
}

double tw_cone_residual(const group *g)
{
    return g->d == 2 ? residual_in(g, 2) : residual_in(g, 3);
}

static void keep(const group *g, double *to, const double *from)
{
    for (int32_t j = 0; j < g->m; ++j) to[j] = from[j];
}

/* whether the sweeps left, at a rate of so much in a span, cost more than a try of Newton's method, or are too many */
static int newton_pays(const group *g, double now, double rate, int32_t span, int32_t tries, double tolerance,
                       int32_t sweeps_left)
{
    const double contacts = (double)g->n, steps = tries ? 40.0 + contacts : 3.0 + 0.25 * contacts;
    const double dear = steps * tw_cone_newton_cost(g), most = dear < (double)sweeps_left ? dear : (double)sweeps_left;
    double left = 0.0;
    while (rate < 1.0 && left < most && now > tolerance) {
        now *= rate;
        left += (double)span;
    }
    return !(rate < 1.0) || left >= most;
}

/* solve a group from r, its residual if known (else negative), after some sweeps; returns that of the best r met */
double tw_cone_group(group *g, const tw_cone_options *o, double known, int32_t done, int32_t *sweeps)
{
    double best = known, before[SPAN] = {1.0, 1.0};
    int32_t next = done + 2, count = done, tries = 0, best_here = 1;
    tw_cone_refresh(g);
    if (known < 0.0 || o->most_sweeps == 0) best = tw_cone_residual(g);
    keep(g, g->best, g->r);
    while (!(best <= o->tolerance) && count < o->most_sweeps) {
        double now = sweep(g);
        best_here = 0;
        if (count % REFRESH == REFRESH - 1) tw_cone_refresh(g);
        const int32_t span = count < done + SPAN ? 2 : SPAN;
        const int pays = o->newton && count >= next &&
                         newton_pays(g, now, now / before[(count - span) & (SPAN - 1)], span, tries, o->tolerance,
                                     o->most_sweeps - count);
        before[count & (SPAN - 1)] = now;
        /* the change in a sweep tells as much as the residual, for nothing */
        if (now <= 4.0 * o->tolerance || count % 8 == 0 || pays || o->history || count == o->most_sweeps - 1) {
            now = tw_cone_residual(g);
            if (now <= o->tolerance && count > 8) {
                tw_cone_refresh(g);
                now = tw_cone_residual(g);
            }
            if (now <= best) {
                best = now;
                best_here = 1;
                if (!(now <= o->tolerance)) keep(g, g->best, g->r);
            }
            if (pays && !(best <= o->tolerance)) {
                const double found = tw_cone_newton(g, o->tolerance, tries++);
                next = count + 2 * SPAN + count / 2;
                if (found <= best) {
                    best = found;
                    if (!(found <= o->tolerance)) keep(g, g->best, g->r);
                } else {
                    keep(g, g->r, g->best);
                    tw_cone_refresh(g);
                }
                best_here = 1;
                now = best;
            }
            if (o->history) o->history[count] = larger(o->history[count], now);
        }
        count += 1;
        if (now != now) break;
    }
    if (!best_here) {
        keep(g, g->r, g->best);
        tw_cone_refresh(g);
    }
    for (int32_t k = count; o->history && k < o->most_sweeps; ++k) o->history[k] = larger(o->history[k], best);
    *sweeps = count;
    return best;
}
