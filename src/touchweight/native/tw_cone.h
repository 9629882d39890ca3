/* tw_cone.h: what the units of the friction solver share: a contact, a group of them, and one contact's problem. */
#ifndef TW_CONE_H
#define TW_CONE_H

#include "tw_core.h"

#define INLINE static inline __attribute__((always_inline))
/* below this a scaled contact cannot be moved in a direction */
#define STIFF 1e-13
/* entries of W and u that are worked on together */
#define LANES 4

/* one contact, scaled */
typedef struct contact {
    double nn, by_nn, a[2];  /* A_nn, its inverse (0 when it cannot be moved); A_tn / A_nn */
    double turn[2];          /* cosine and sine of the principal axes of S = A_tt - A_tn A_nt / A_nn */
    double s[2], by_s[2];    /* S along them, and the inverses */
    double against[2];       /* in the plane: 1 / (1 ± µ a), 0 when not known yet */
    double mu, alpha, scale, by_scale; /* friction; slip per impulse when last it slid; root of the size of W_ii */
    int32_t bilateral, ready; /* ready: 1 when its block has been prepared */
    int32_t run, runs;       /* which other contacts it acts on: pieces of `span` */
} contact;

typedef struct group {
    int32_t d, n, m, wide;   /* dimension, contacts, their rows d n, and distance between rows of w */
    double *w, *q, *r, *u;   /* scaled */
    double *best, *dr, *du, *r0, *u0;
    double *a, *right, *diagonal, *path; /* of Newton's method */
    double *basis;           /* of each contact: columns of its reduced unknowns, d by d, and what is left, d */
    contact *at;
    int32_t *member, *span, *pivot, *first, *state;
    double omega;
    int32_t steps;           /* Newton steps taken */
} group;

INLINE double larger(double a, double b) { return b <= a ? a : b; } /* NaN of b comes out */

/* a power of two near the root of x, and its inverse: scaling by it rounds nothing; 1 where x is not positive */
INLINE void halve_exponent(double x, double *root, double *inverse)
{
    union { double number; uint64_t bits; } from, to;
    from.number = x;
    const int64_t half = x > 0.0 ? ((int64_t)(from.bits >> 52) - 1022 + 2048) / 2 - 1024 : 0;
    to.bits = (uint64_t)(1023 + half) << 52;
    *root = to.number;
    to.bits = (uint64_t)(1023 - half) << 52;
    *inverse = to.number;
}

/* a: its block of W, rows `stride` apart; size: of that block */
INLINE void prepare_contact(contact *c, const double *a, int64_t stride, double size, int32_t d)
{
    const double stiff = STIFF * size;
    c->ready = 1;
    c->nn = a[0];
    c->by_nn = c->nn > stiff ? 1.0 / c->nn : 0.0;
    c->alpha = 0.0;
    c->a[0] = a[stride] * c->by_nn;
    c->s[0] = a[stride + 1] - a[stride] * c->a[0];
    if (d == 2) {
        c->against[0] = c->against[1] = 0.0;
        c->by_s[0] = c->s[0] > stiff ? 1.0 / c->s[0] : 0.0;
        return;
    }
    c->turn[0] = 1.0;
    c->turn[1] = 0.0;
    c->a[1] = a[2 * stride] * c->by_nn;
    const double p = c->s[0], o = a[2 * stride + 1] - a[stride] * c->a[1];
    const double t = a[2 * stride + 2] - a[2 * stride] * c->a[1];
    /* eigenvalues of [[p, o], [o, t]] by one rotation */
    c->s[1] = t;
    if (o != 0.0) {
        const double theta = 0.5 * (t - p) / o;
        const double tangent = (theta >= 0.0 ? 1.0 : -1.0) / (tw_size(theta) + tw_root(theta * theta + 1.0));
        c->turn[0] = 1.0 / tw_root(tangent * tangent + 1.0);
        c->turn[1] = tangent * c->turn[0];
        c->s[0] = p - tangent * o;
        c->s[1] = t + tangent * o;
    }
    c->by_s[0] = c->s[0] > stiff ? 1.0 / c->s[0] : 0.0;
    c->by_s[1] = c->s[1] > stiff ? 1.0 / c->s[1] : 0.0;
}

/* tangential impulse and normal impulse at slip α; gives µ r_n / |r_t| - 1, and its slope */
INLINE double sliding(const contact *c, const double *g, double bn, double alpha, double *y, double *rn, double *slope)
{
    const double f0 = 1.0 / (c->s[0] + alpha), f1 = 1.0 / (c->s[1] + alpha);
    /* a, turned into the principal axes */
    const double a0 = c->turn[0] * c->a[0] - c->turn[1] * c->a[1], a1 = c->turn[1] * c->a[0] + c->turn[0] * c->a[1];
    y[0] = -g[0] * f0;
    y[1] = -g[1] * f1;
    *rn = -bn * c->by_nn - a0 * y[0] - a1 * y[1];
    const double yy = y[0] * y[0] + y[1] * y[1], size = tw_root(yy);
    const double by = -(y[0] * y[0] * f0 + y[1] * y[1] * f1) / size, normal = a0 * y[0] * f0 + a1 * y[1] * f1;
    *slope = c->mu * (normal * size - *rn * by) / yy;
    return c->mu * *rn / size - 1.0;
}

/* slip per impulse of a sliding contact in three dimensions, and the direction of its impulse in principal axes */
static inline void slide(contact *c, const double *g, double bn, double *y)
{
    double rn, slope;
    const double size = tw_root(g[0] * g[0] + g[1] * g[1]);
    double alpha = c->alpha;
    if (!(alpha > 0.0)) alpha = -size * c->nn / (c->mu * bn) - 0.5 * (c->s[0] + c->s[1]);
    if (!(alpha > 0.0)) alpha = 1e-3 * (c->s[0] + c->s[1]) + 1e-12;
    double low = 0.0, high = 0.0; /* high == 0: no upper end yet */
    for (int32_t k = 0; k < 120; ++k) {
        const double f = sliding(c, g, bn, alpha, y, &rn, &slope);
        if (tw_size(f) <= 4e-16) break;
        if (f < 0.0) low = alpha;
        else high = alpha;
        double next = alpha - f / slope;
        if (!(slope > 0.0) || !(next > low) || (high > 0.0 && !(next < high)) || k > 60) {
            if (high == 0.0) next = 4.0 * low + 1e-12;
            else if (low == 0.0) next = 0.1 * high;
            else next = high > 4.0 * low ? tw_root(low * high) : 0.5 * (low + high);
        }
        if (tw_size(next - alpha) <= 4e-16 * alpha) break;
        alpha = next;
    }
    sliding(c, g, bn, alpha, y, &rn, &slope);
    c->alpha = alpha;
}

/* the impulse r of one contact when u = A r + b */
INLINE void solve_contact(contact *c, const double *b, double *r, int32_t d)
{
    double g[2], y[2];
    r[0] = r[1] = 0.0;
    if (d > 2) r[2] = 0.0;
    if (!c->bilateral && (b[0] >= 0.0 || c->by_nn == 0.0)) return;
    const double free = -b[0] * c->by_nn;
    if (d == 2) {
        g[0] = b[1] - c->a[0] * b[0];
        y[0] = -g[0] * c->by_s[0];
        r[1] = y[0];
        r[0] = free - c->a[0] * y[0];
        const int sticks = c->by_s[0] != 0.0 || tw_size(g[0]) <= STIFF * (tw_size(b[0]) + tw_size(b[1]));
        if (c->bilateral || (sticks && tw_size(y[0]) <= c->mu * r[0])) return;
        const int side = g[0] > 0.0;
        if (c->against[side] == 0.0) c->against[side] = 1.0 / (1.0 + (side ? -c->mu : c->mu) * c->a[0]);
        r[0] = free * c->against[side];
        r[1] = side ? -c->mu * r[0] : c->mu * r[0];
        return;
    }
    r[0] = free;
    if (!c->bilateral && c->mu == 0.0) return;
    const double g0 = b[1] - c->a[0] * b[0], g1 = b[2] - c->a[1] * b[0];
    g[0] = c->turn[0] * g0 - c->turn[1] * g1;
    g[1] = c->turn[1] * g0 + c->turn[0] * g1;
    int sticks = 1;
    for (int32_t k = 0; k < 2; ++k) {
        y[k] = -g[k] * c->by_s[k];
        if (c->by_s[k] == 0.0) sticks &= tw_size(g[k]) <= STIFF * (tw_size(b[0]) + tw_size(b[1]) + tw_size(b[2]));
    }
    r[1] = c->turn[0] * y[0] + c->turn[1] * y[1];
    r[2] = c->turn[0] * y[1] - c->turn[1] * y[0];
    r[0] = free - c->a[0] * r[1] - c->a[1] * r[2];
    if (c->bilateral || (sticks && r[0] >= 0.0 && r[1] * r[1] + r[2] * r[2] <= c->mu * c->mu * r[0] * r[0])) return;
    slide(c, g, b[0], y);
    const double size = tw_root(y[0] * y[0] + y[1] * y[1]), factor = size > 0.0 ? c->mu / size : 0.0;
    const double e1 = factor * (c->turn[0] * y[0] + c->turn[1] * y[1]);
    const double e2 = factor * (c->turn[0] * y[1] - c->turn[1] * y[0]);
    const double against = 1.0 + c->a[0] * e1 + c->a[1] * e2;
    r[0] = against > 0.0 ? free / against : 0.0;
    r[1] = e1 * r[0];
    r[2] = e2 * r[0];
}

INLINE double slip_size(const double *x, int32_t d)
{
    return d == 2 ? tw_size(x[1]) : tw_root(x[1] * x[1] + x[2] * x[2]);
}

/* into the cone: exactly, where it is nearly there */
INLINE void into_cone(const contact *c, double *r, int32_t d)
{
    if (c->bilateral) return;
    if (!(r[0] > 0.0)) r[0] = 0.0;
    const double size = slip_size(r, d), limit = c->mu * r[0];
    if (!(size > limit)) return;
    for (int32_t k = 1; k < d; ++k) r[k] = size > 0.0 ? r[k] * (limit / size) : 0.0;
}

/* |r - P_K(r - u - µ |u_t| e_n)|: zero where the law holds, continuous, of the size of the error elsewhere */
INLINE double miss_contact(const contact *c, const double *r, const double *u, int32_t d)
{
    double sum = 0.0;
    if (c->bilateral) {
        for (int32_t k = 0; k < d; ++k) sum += u[k] * u[k];
        return tw_root(sum);
    }
    double x[3] = {r[0] - u[0] - c->mu * slip_size(u, d), r[1] - u[1], d > 2 ? r[2] - u[2] : 0.0};
    const double size = slip_size(x, 3);
    if (c->mu * size <= -x[0]) {
        x[0] = x[1] = x[2] = 0.0;
    } else if (size > c->mu * x[0]) { /* onto the side of the cone */
        const double normal = (x[0] + c->mu * size) / (1.0 + c->mu * c->mu);
        x[0] = normal;
        for (int32_t k = 1; k < 3; ++k) x[k] *= c->mu * normal / size;
    }
    for (int32_t k = 0; k < d; ++k) sum += (r[k] - x[k]) * (r[k] - x[k]);
    return tw_root(sum);
}

/* u += W[:, i] change, by the rows of the symmetric W that are not zero; LANES entries at a time, padded with zeros */
INLINE void push(const group *g, int32_t i, const double *change, double *u, int32_t d)
{
    const int64_t wide = g->wide;
    const contact *c = g->at + i;
    const double *w0 = g->w + (int64_t)i * d * wide, *w1 = w0 + wide, *w2 = w1 + wide;
    const double x = change[0], y = change[1], z = d > 2 ? change[2] : 0.0;
    for (int32_t k = 0; k < c->runs; ++k) {
        const int32_t from = g->span[c->run + 2 * k] / LANES * LANES, to = g->span[c->run + 2 * k + 1];
        for (int32_t j = from; j < to; j += LANES)
            for (int32_t l = j; l < j + LANES; ++l)
                u[l] += d == 2 ? x * w0[l] + y * w1[l] : x * w0[l] + y * w1[l] + z * w2[l];
    }
}

INLINE int is_zero(const double *x, int32_t d)
{
    return x[0] == 0.0 && x[1] == 0.0 && (d == 2 || x[2] == 0.0);
}

/* cone_sweep.c */
/* u = W r + q, afresh */
TW_INTERNAL void tw_cone_refresh(const group *g);
/* the largest miss of a contact, relative to scaled speeds (1) and impulses */
TW_INTERNAL double tw_cone_residual(const group *g);
TW_INTERNAL double tw_cone_group(group *g, const tw_cone_options *o, double known, int32_t done, int32_t *sweeps);

/* cone_newton.c */
TW_INTERNAL double tw_cone_newton_cost(const group *g);
TW_INTERNAL double tw_cone_newton(group *g, double tolerance, int32_t number);

#endif
