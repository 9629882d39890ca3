/* cone_newton.c: Newton's method on a whole group of contacts (Alart and Curnier 1991).
 *
 * Each contact is apart, held or sliding, as its trial impulse r - u says; what is left unknown is eliminated to as few
 * numbers as that leaves: none, all, or the normal impulse and the one across the slip. */
#include "tw_cone.h"

/* softness of what sticks in a Newton step, which makes redundant contacts share; without effect once converged */
#define SOFT 1e-9
/* Newton steps in one try */
#define MOST_STEPS 24
/* shortest step of the line search */
#define SHORTEST (1.0 / 256.0)
/* where Newton's method fails: softness added to all contacts, from the first to the last, each
 * solved so well */
#define FIRST_SOFT 1.0
#define LAST_SOFT 1e-6
#define STAGE 1e-4
#define MOST_STAGES 40

enum { APART = 0, HELD = 1, SLIDES = 2 };

/* Alart and Curnier's function: its size squared at (r, u), and what each contact does there */
static double merit(const group *g, const double *r, const double *u, int32_t *state)
{
    double sum = 0.0;
    for (int32_t i = 0; i < g->n; ++i, r += g->d, u += g->d) {
        const contact *c = g->at + i;
        int32_t now = HELD;
        double x[3] = {r[0] - u[0], r[1] - u[1], g->d > 2 ? r[2] - u[2] : 0.0};
        if (!c->bilateral) {
            const double size = slip_size(x, 3);
            if (!(x[0] > 0.0)) {
                x[0] = x[1] = x[2] = 0.0;
                now = APART;
            } else if (size > c->mu * x[0]) {
                x[1] *= c->mu * x[0] / size;
                x[2] *= c->mu * x[0] / size;
                now = SLIDES;
            }
        }
        for (int32_t k = 0; k < g->d; ++k) sum += (r[k] - x[k]) * (r[k] - x[k]);
        if (state) state[i] = now;
    }
    return sum;
}

/* Of each contact the unknowns z of its change dr = B z + l.
 * Held: all of dr. Sliding in direction e: dr_n with µ dr_n along e, and across e. Returns the number of unknowns. */
static int32_t reduce(const group *g)
{
    const int32_t d = g->d;
    int32_t size = 0;
    for (int32_t i = 0; i < g->n; ++i) {
        const contact *c = g->at + i;
        double *b = g->basis + i * 16, *left = b + 9;
        const double *r = g->r + i * d, *u = g->u + i * d;
        for (int32_t k = 0; k < 16; ++k) b[k] = 0.0;
        g->first[i] = size;
        if (g->state[i] == APART) {
            for (int32_t k = 0; k < d; ++k) left[k] = -r[k];
        } else if (g->state[i] == HELD) {
            for (int32_t k = 0; k < d; ++k) b[k * 3 + k] = 1.0;
            size += d;
        } else {
            const double y[3] = {0.0, r[1] - u[1], d > 2 ? r[2] - u[2] : 0.0}, length = slip_size(y, 3);
            const double e[2] = {y[1] / length, y[2] / length};
            const double along = c->mu * r[0] - (r[1] * e[0] + (d > 2 ? r[2] * e[1] : 0.0));
            b[0] = 1.0;
            b[1] = c->mu * e[0];
            left[1] = along * e[0];
            size += 1;
            if (d > 2) {
                b[2] = c->mu * e[1];
                left[2] = along * e[1];
                b[4] = -e[1];
                b[5] = e[0];
                left[3] = c->mu * (r[0] - u[0]) / length; /* β */
                size += 1;
            }
        }
    }
    g->first[g->n] = size;
    return size;
}

/* row k of contact i on a vector of its speeds */
static double on_row(const group *g, int32_t i, int32_t k, const double *v)
{
    const double *b = g->basis + i * 16;
    if (g->state[i] == HELD) return v[k];
    return k == 0 ? v[0] : b[12] * (b[4] * v[1] + b[5] * v[2]);
}

/* dr of a Newton step at (r, u); 0 when there is none */
static int newton_step(const group *g)
{
    const int32_t d = g->d;
    const int64_t wide = g->wide;
    const int32_t size = reduce(g);
    for (int32_t j = 0; j < g->m; ++j) g->du[j] = g->u[j];
    for (int32_t i = 0; i < g->n; ++i)
        if (!is_zero(g->basis + i * 16 + 9, d)) push(g, i, g->basis + i * 16 + 9, g->du, d);
    for (int32_t i = 0; i < g->n; ++i) {
        const int32_t rows = g->first[i + 1] - g->first[i];
        for (int32_t j = 0; rows && j < g->n; ++j) {
            const int32_t columns = g->first[j + 1] - g->first[j];
            const double *w = g->w + (int64_t)i * d * wide + j * d, *bj = g->basis + j * 16;
            double *to = g->a + (int64_t)g->first[i] * size + g->first[j];
            if (g->state[i] == HELD && g->state[j] == HELD) {
                for (int32_t k = 0; k < d; ++k)
                    for (int32_t l = 0; l < d; ++l) to[(int64_t)k * size + l] = w[k * wide + l];
                continue;
            }
            for (int32_t l = 0; l < columns; ++l) {
                double v[3] = {0.0, 0.0, 0.0};
                for (int32_t k = 0; k < d; ++k)
                    for (int32_t o = 0; o < d; ++o) v[k] += w[k * wide + o] * bj[l * 3 + o];
                for (int32_t k = 0; k < rows; ++k) to[(int64_t)k * size + l] = on_row(g, i, k, v);
            }
        }
        const double *v = g->du + i * d, *u = g->u + i * d, *r = g->r + i * d, *b = g->basis + i * 16;
        for (int32_t k = 0; k < rows; ++k) {
            const int32_t at = g->first[i] + k;
            double *diagonal = g->a + (int64_t)at * size + at;
            g->right[at] = -on_row(g, i, k, v);
            *diagonal += SOFT;
            if (g->state[i] == SLIDES && k == 1) {
                *diagonal += 1.0 - b[12];
                g->right[at] += on_row(g, i, k, u) - (b[4] * r[1] + b[5] * r[2]);
            }
        }
    }
    if (!(tw_lu(g->a, g->pivot, size) > 0.0)) return 0;
    tw_lu_solve(g->a, g->pivot, size, g->right);
    for (int32_t i = 0; i < g->n; ++i) {
        const double *b = g->basis + i * 16;
        for (int32_t k = 0; k < d; ++k) {
            double sum = b[9 + k];
            for (int32_t l = 0; l < g->first[i + 1] - g->first[i]; ++l) sum += b[l * 3 + k] * g->right[g->first[i] + l];
            g->dr[i * d + k] = sum;
        }
    }
    return 1;
}

/* Newton's method from (r, u), with a line search when damped; returns the residual and leaves r inside the cones */
static double newton(group *g, double tolerance, int32_t most, int damped)
{
    double now = merit(g, g->r, g->u, g->state);
    for (int32_t step = 0; step < most; ++step) {
        if (!newton_step(g)) break;
        g->steps += 1;
        for (int32_t j = 0; j < g->m; ++j) g->du[j] = 0.0;
        for (int32_t i = 0; i < g->n; ++i)
            if (!is_zero(g->dr + i * g->d, g->d)) push(g, i, g->dr + i * g->d, g->du, g->d);
        for (int32_t j = 0; j < g->m; ++j) {
            g->r0[j] = g->r[j];
            g->u0[j] = g->u[j];
        }
        double length = 1.0, then = now;
        for (; length >= SHORTEST; length *= 0.5) {
            for (int32_t j = 0; j < g->m; ++j) {
                g->r[j] = g->r0[j] + length * g->dr[j];
                g->u[j] = g->u0[j] + length * g->du[j];
            }
            then = merit(g, g->r, g->u, 0);
            if (!damped || then <= (1.0 - 1e-3 * length) * now) break;
        }
        if (length < SHORTEST) {
            for (int32_t j = 0; j < g->m; ++j) g->r[j] = g->r0[j];
            break;
        }
        now = merit(g, g->r, g->u, g->state);
        if (tw_cone_residual(g) <= 0.1 * tolerance) break;
    }
    for (int32_t i = 0; i < g->n; ++i) into_cone(g->at + i, g->r + i * g->d, g->d);
    tw_cone_refresh(g);
    return tw_cone_residual(g);
}

static void soft_diagonal(const group *g, double gamma)
{
    for (int32_t j = 0; j < g->m; ++j) g->w[(int64_t)j * (g->wide + 1)] = g->diagonal[j] + gamma;
    tw_cone_refresh(g);
}

/* Newton's method on the problem with W + γ, for γ from large, where it is easy, to none; where a stage fails, it
 * goes on, or when careful by smaller strides from the last that did not */
static double soften(group *g, double tolerance, double stride, int careful, int damped)
{
    double good = FIRST_SOFT / stride;
    for (int32_t j = 0; j < g->m; ++j) {
        g->diagonal[j] = g->w[(int64_t)j * (g->wide + 1)];
        g->path[j] = g->r[j];
    }
    for (int32_t stage = 0; stage < MOST_STAGES && good > LAST_SOFT && stride < 0.9; ++stage) {
        soft_diagonal(g, good * stride);
        if (newton(g, STAGE, MOST_STEPS, damped) <= STAGE || !careful) {
            good *= stride;
            for (int32_t j = 0; j < g->m; ++j) g->path[j] = g->r[j];
        } else {
            stride = tw_root(stride);
            for (int32_t j = 0; j < g->m; ++j) g->r[j] = g->path[j];
        }
    }
    soft_diagonal(g, 0.0);
    return newton(g, tolerance, MOST_STEPS, damped);
}

/* what one Newton step costs, in sweeps: both measured, in ns */
double tw_cone_newton_cost(const group *g)
{
    double rows = 0.0, entries = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        if (is_zero(g->r + i * g->d, g->d) && !g->at[i].bilateral) continue;
        rows += 0.8 * (double)g->d;
        for (int32_t k = 0; k < g->at[i].runs; ++k)
            entries += (double)(g->d * (g->span[g->at[i].run + 2 * k + 1] - g->span[g->at[i].run + 2 * k]));
    }
    const double contacts = (double)g->n, each = g->d == 2 ? 12.0 : 35.0;
    return (250.0 + 60.0 * contacts + rows * rows * (1.5 + 0.08 * rows)) / (each * contacts + 0.15 * entries);
}

/* one try of Newton's method; whole steps lead out of most cycles, softness out of more. Returns the residual. */
double tw_cone_newton(group *g, double tolerance, int32_t number)
{
    const int32_t few = 10 + g->n / 8 < MOST_STEPS ? 10 + g->n / 8 : MOST_STEPS;
    switch (number % 6) {
    case 0: return newton(g, tolerance, few, 0);
    case 1: return soften(g, tolerance, 0.2, 1, 0);
    case 2: return soften(g, tolerance, 0.4, 0, 0);
    case 3: return newton(g, tolerance, MOST_STEPS, 1);
    case 4: return soften(g, tolerance, 0.6, 0, 0);
    default: return soften(g, tolerance, 0.2, 1, 1);
    }
}
