/* cone.c: friction problems between impulses and speeds of contacts.
 *
 * Find r with u = W r + q and, for every contact, Coulomb's law with Signorini's condition: r in the cone K of the
 * friction coefficient µ, u + µ |u_t| e_n in its dual K*, perpendicular to each other (De Saxcé and Feng 1998). The
 * cone is round: no facets. A bilateral block has u = 0 and no cone.
 *
 * Contacts that do not act on each other are solved group by group. Within a group r and u are scaled by contact so
 * that the blocks on the diagonal of W have sizes near 1. Sweeps of Gauss-Seidel solve one contact after the other exactly
 * (Jourdan, Alart and Jean 1998): it separates, sticks, or slides, where the slip per impulse α is the root of one
 * equation that always has one. When the sweeps left would cost more, Newton's method (Alart and Curnier 1991) is tried
 * from where they lead; should it fail, the sweeps go on. */
#include "tw_core.h"

/* below this a scaled contact cannot be moved in a direction */
#define STIFF 1e-13
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
/* contacts for which a first sweep may be all */
#define FEW 4
/* entries of W and u that are worked on together */
#define LANES 4
/* sweeps between fresh computations of u */
#define REFRESH 64

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
    double *a, *right, *diagonal; /* of the Newton step */
    double *basis;           /* of each contact: columns of its reduced unknowns, d by d, and what is left, d */
    contact *at;
    int32_t *member, *span, *pivot, *first, *state;
    double omega;
    int32_t steps;           /* Newton steps taken */
} group;

enum { APART = 0, HELD = 1, SLIDES = 2 };

#define INLINE static inline __attribute__((always_inline))

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

/* ------------------------------------------------------------------ one contact */

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
static double sliding(const contact *c, const double *g, double bn, double alpha, double *y, double *rn, double *slope)
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
static void slide(contact *c, const double *g, double bn, double *y)
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
            next = high > 0.0 ? (low > 0.0 && high > 4.0 * low ? tw_root(low * high) : 0.5 * (low + high)) : 4.0 * low + 1e-12;
            if (low == 0.0 && k < 60) next = 0.1 * high;
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

/* ------------------------------------------------------------------ sweeps */

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

INLINE void refresh_in(const group *g, int32_t d)
{
    for (int32_t j = 0; j < g->m; ++j) g->u[j] = g->q[j];
    for (int32_t i = 0; i < g->n; ++i)
        if (!is_zero(g->r + i * d, d)) push(g, i, g->r + i * d, g->u, d);
}

static void refresh(const group *g)
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

static double residual(const group *g)
{
    return g->d == 2 ? residual_in(g, 2) : residual_in(g, 3);
}

/* ------------------------------------------------------------------ Newton's method */

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

/* Of each contact the unknowns of its change dr = B z + l, and rows B*, so that B*ᵀ (u + W dr) + (1-β) dr_⊥ + ... = 0.
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
        if (residual(g) <= 0.1 * tolerance) break;
    }
    for (int32_t i = 0; i < g->n; ++i) into_cone(g->at + i, g->r + i * g->d, g->d);
    refresh(g);
    return residual(g);
}

/* Newton's method on the problem with W + γ, for γ from large, where it is easy, to none */
static double soften(group *g, double tolerance, double softer, int damped)
{
    for (int32_t j = 0; j < g->m; ++j) g->diagonal[j] = g->w[(int64_t)j * (g->wide + 1)];
    for (double gamma = FIRST_SOFT; gamma > LAST_SOFT; gamma *= softer) {
        for (int32_t j = 0; j < g->m; ++j) g->w[(int64_t)j * (g->wide + 1)] = g->diagonal[j] + gamma;
        refresh(g);
        newton(g, STAGE, MOST_STEPS, damped);
    }
    for (int32_t j = 0; j < g->m; ++j) g->w[(int64_t)j * (g->wide + 1)] = g->diagonal[j];
    refresh(g);
    return newton(g, tolerance, MOST_STEPS, damped);
}

/* what one Newton step costs, in sweeps: both measured, in ns */
static double newton_cost(const group *g)
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

/* ------------------------------------------------------------------ a group */

static void keep(const group *g, double *to, const double *from)
{
    for (int32_t j = 0; j < g->m; ++j) to[j] = from[j];
}

/* whether the sweeps left, at a rate of so much in two, cost more than Newton's method, the more so as it failed */
static int newton_pays(const group *g, double now, double rate, double tolerance, int32_t tries)
{
    const double most = 3.0 * (1.0 + 4.0 * (double)tries) * newton_cost(g);
    double left = 0.0;
    while (rate < 1.0 && left < most && now > tolerance) {
        now *= rate;
        left += 2.0;
    }
    return !(rate < 1.0) || left >= most;
}

/* one try of Newton's method; whole steps lead out of most cycles, softness out of more. Returns the residual. */
static double try_newton(group *g, double tolerance, int32_t number)
{
    const int32_t few = 10 + g->n / 8 < MOST_STEPS ? 10 + g->n / 8 : MOST_STEPS;
    switch (number % 6) {
    case 0: return newton(g, tolerance, few, 0);
    case 1: return soften(g, tolerance, 0.2, 0);
    case 2: return soften(g, tolerance, 0.4, 0);
    case 3: return newton(g, tolerance, MOST_STEPS, 1);
    case 4: return soften(g, tolerance, 0.6, 0);
    default: return soften(g, tolerance, 0.2, 1);
    }
}

/* solve a group from r, its residual if known (else negative), after some sweeps; returns that of the best r met */
static double solve_group(group *g, const tw_cone_options *o, double known, int32_t done, int32_t *sweeps)
{
    double best = known, before[2] = {1.0, 1.0};
    int32_t next = done + 2, count = done, tries = 0, best_here = 1;
    refresh(g);
    if (known < 0.0 || o->most_sweeps == 0) best = residual(g);
    keep(g, g->best, g->r);
    while (!(best <= o->tolerance) && count < o->most_sweeps) {
        double now = sweep(g);
        best_here = 0;
        if (count % REFRESH == REFRESH - 1) refresh(g);
        const int pays = o->newton && count >= next &&
                         newton_pays(g, now, now / before[count & 1], o->tolerance, tries);
        before[count & 1] = now;
        /* the change in a sweep tells as much as the residual, for nothing */
        if (now <= 4.0 * o->tolerance || count % 8 == 0 || pays || o->history || count == o->most_sweeps - 1) {
            now = residual(g);
            if (now <= o->tolerance && count > 8) {
                refresh(g);
                now = residual(g);
            }
            if (now <= best) {
                best = now;
                best_here = 1;
                if (!(now <= o->tolerance)) keep(g, g->best, g->r);
            }
            if (pays && !(best <= o->tolerance)) {
                const int32_t steps = g->steps;
                const double found = try_newton(g, o->tolerance, tries++);
                /* sweeps for as long as that took, or twice as long as before */
                const double wait = newton_cost(g) * (double)(g->steps - steps), most = 10.0 + 2.0 * (double)count;
                next = count + 3 + (int32_t)(wait < most ? wait : most);
                if (found <= best) {
                    best = found;
                    if (!(found <= o->tolerance)) keep(g, g->best, g->r);
                } else {
                    keep(g, g->r, g->best);
                    refresh(g);
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
        refresh(g);
    }
    for (int32_t k = count; o->history && k < o->most_sweeps; ++k) o->history[k] = larger(o->history[k], best);
    *sweeps = count;
    return best;
}

/* whether a group starts without impulses */
static int at_rest(const group *g, const double *r)
{
    int any = 0;
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t k = 0; k < g->d; ++k) any |= r[g->member[i] * g->d + k] != 0.0;
    return !any;
}

/* where every contact opens by itself, no impulse acts */
static int all_open(const tw_cone_problem *p, double *r, double *u)
{
    const int64_t d = p->dimension, m = p->contacts * d;
    for (int32_t i = 0; i < p->contacts; ++i)
        if (!(p->q[i * d] >= 0.0) || (p->bilateral && p->bilateral[i])) return 0;
    for (int64_t j = 0; j < m; ++j) {
        r[j] = 0.0;
        u[j] = p->q[j];
    }
    return 1;
}

/* a contact by itself: exactly, at once */
INLINE double solve_single(const tw_cone_problem *p, int32_t i, double *r, double *u, int32_t d)
{
    contact c;
    const int64_t m = (int64_t)p->contacts * d, at = (int64_t)i * d;
    const double *w = p->w + at * (m + 1), *q = p->q + at;
    const double size = w[0] + w[m + 1] + (d > 2 ? w[2 * m + 2] : 0.0);
    double scaled[3], speed = 0.0, most = 0.0, root, inverse;
    halve_exponent(size, &root, &inverse);
    c.mu = p->mu[i];
    c.bilateral = p->bilateral ? p->bilateral[i] : 0;
    prepare_contact(&c, w, m, size, d);
    solve_contact(&c, q, r + at, d);
    for (int32_t k = 0; k < d; ++k) {
        u[at + k] = q[k];
        for (int32_t l = 0; l < d; ++l) u[at + k] += w[k * m + l] * r[at + l];
        scaled[k] = root * root * r[at + k];
        speed = larger(speed, tw_size(q[k]));
        most = larger(most, tw_size(scaled[k]));
    }
    return speed > 0.0 ? miss_contact(&c, scaled, u + at, d) / larger(speed, most) : 0.0;
}

/* A first sweep over a few contacts where they are, from rest: often that is all. Returns the residual. */
INLINE double first_sweep(const tw_cone_problem *p, const group *g, double *r, double *u, int32_t d)
{
    contact c;
    const int64_t m = (int64_t)p->contacts * d;
    double worst = 0.0, size = 0.0;
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t k = 0; k < d; ++k) u[g->member[i] * d + k] = p->q[g->member[i] * d + k];
    for (int32_t i = 0; i < g->n; ++i) {
        const int64_t at = (int64_t)g->member[i] * d;
        const double *w = p->w + at * m;
        for (int32_t k = 0; k < d; ++k) r[at + k] = 0.0;
        c.bilateral = p->bilateral ? p->bilateral[g->member[i]] : 0;
        if (u[at] >= 0.0 && !c.bilateral) continue;
        c.mu = p->mu[g->member[i]];
        prepare_contact(&c, w + at, m, w[at] + w[m + at + 1] + (d > 2 ? w[2 * m + at + 2] : 0.0), d);
        solve_contact(&c, u + at, r + at, d);
        for (int32_t j = 0; j < g->n; ++j)
            for (int32_t l = 0; l < d; ++l) {
                const int64_t to = (int64_t)g->member[j] * d + l;
                for (int32_t k = 0; k < d; ++k) u[to] += w[k * m + to] * r[at + k];
            }
    }
    for (int32_t i = 0; i < g->n; ++i) {
        const int64_t at = (int64_t)g->member[i] * d;
        const double *w = p->w + at * m + at;
        double scaled[3] = {0.0, 0.0, 0.0}, root, inverse;
        halve_exponent(w[0] + w[m + 1] + (d > 2 ? w[2 * m + 2] : 0.0), &root, &inverse);
        c.mu = p->mu[g->member[i]];
        c.bilateral = p->bilateral ? p->bilateral[g->member[i]] : 0;
        for (int32_t k = 0; k < d; ++k) {
            scaled[k] = root * root * r[at + k];
            size = larger(size, tw_size(p->q[at + k]) * inverse);
            size = larger(size, tw_size(scaled[k]) * inverse);
        }
        /* open and without impulse: nothing to measure */
        if (u[at] >= 0.0 && r[at] == 0.0 && !c.bilateral) continue;
        worst = larger(worst, miss_contact(&c, scaled, u + at, d) * inverse);
    }
    return size > 0.0 ? worst / size : 0.0;
}

/* the next group: contacts linked with the first that has no mark; marks them, and lists them in order */
static int32_t gather(const tw_cone_problem *p, int32_t from, int32_t mark, int32_t *group_of, int32_t *queue)
{
    const int32_t d = p->dimension, n = p->contacts;
    const int64_t m = (int64_t)n * d;
    int32_t count = 0, left = n - 1;
    group_of[from] = mark;
    queue[count++] = from;
    for (int32_t k = 0; k < count && left > 0; ++k) {
        left = 0;
        for (int32_t j = from; j < n; ++j) {
            if (group_of[j] >= 0) continue;
            const double *w = p->w + (int64_t)queue[k] * d * m + (int64_t)j * d;
            int linked = 0;
            for (int32_t a = 0; a < d; ++a)
                for (int32_t b = 0; b < d; ++b) linked |= w[a * m + b] != 0.0;
            if (linked) {
                group_of[j] = mark;
                queue[count++] = j;
            } else {
                left += 1;
            }
        }
    }
    count = 0;
    for (int32_t j = from; j < n; ++j)
        if (group_of[j] == mark) queue[count++] = j;
    return count;
}

/* copy a group out of the problem and scale it; returns the scale of its speeds, 0 when nothing moves */
INLINE double take_in(const tw_cone_problem *p, group *g, const double *r, int32_t d)
{
    const int64_t m = (int64_t)p->contacts * d;
    g->m = g->n * d;
    g->wide = (g->m + LANES - 1) / LANES * LANES;
    double size = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        const int64_t at = (int64_t)g->member[i] * d;
        double trace = 0.0, speed = 0.0;
        for (int32_t k = 0; k < d; ++k) {
            trace += p->w[(at + k) * (m + 1)];
            speed = larger(speed, tw_size(p->q[at + k]));
        }
        halve_exponent(trace, &c->scale, &c->by_scale);
        c->mu = p->mu[g->member[i]];
        c->bilateral = p->bilateral ? p->bilateral[g->member[i]] : 0;
        size = larger(size, speed * c->by_scale);
    }
    const double scale = size > 0.0 ? 1.0 / size : 0.0;
    int32_t spans = 0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        const double *rows = p->w + (int64_t)g->member[i] * d * m;
        double *to = g->w + (int64_t)i * d * g->wide;
        c->run = spans;
        c->runs = 0;
        for (int32_t j = 0; j < g->n; ++j) {
            const double by = c->by_scale * g->at[j].by_scale, *from = rows + (int64_t)g->member[j] * d;
            int any = 0;
            for (int32_t k = 0; k < d; ++k)
                for (int32_t l = 0; l < d; ++l) {
                    const double x = from[k * m + l] * by;
                    to[(int64_t)k * g->wide + j * d + l] = x;
                    any |= x != 0.0;
                }
            if (!any) continue;
            if (c->runs && g->span[spans - 1] == j * d) {
                g->span[spans - 1] = (j + 1) * d;
            } else {
                g->span[spans] = j * d;
                g->span[spans + 1] = (j + 1) * d;
                spans += 2;
                c->runs += 1;
            }
        }
        for (int32_t k = 0; k < d; ++k)
            for (int32_t l = g->m; l < g->wide; ++l) to[(int64_t)k * g->wide + l] = 0.0;
        c->ready = 0;
        for (int32_t k = 0; k < d; ++k) {
            const int64_t at = (int64_t)g->member[i] * d + k;
            g->q[i * d + k] = p->q[at] * c->by_scale * scale;
            g->r[i * d + k] = r[at] * c->scale * scale;
        }
        into_cone(c, g->r + i * d, d);
    }
    for (int32_t l = g->m; l < g->wide; ++l) g->u[l] = g->du[l] = 0.0;
    return size;
}

static void give_out(const group *g, double size, double *r, double *u)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t k = 0; k < g->d; ++k) {
            const int64_t at = (int64_t)g->member[i] * g->d + k;
            r[at] = g->r[i * g->d + k] * size * g->at[i].by_scale;
            u[at] = g->u[i * g->d + k] * size * g->at[i].scale;
        }
}

static int64_t lay_out(int64_t n, int64_t d, double *base, group *g, int32_t **group_of)
{
    const int64_t m = (n * d + LANES - 1) / LANES * LANES;
    double *at = base;
#define TAKE(name, size)                                                                                     \
    g->name = at;                                                                                            \
    at += (size);
    TAKE(w, m * m) TAKE(q, m) TAKE(r, m) TAKE(u, m) TAKE(best, m) TAKE(dr, m) TAKE(du, m) TAKE(r0, m) TAKE(u0, m)
    TAKE(a, m * m) TAKE(right, m) TAKE(diagonal, m) TAKE(basis, 16 * n)
#undef TAKE
    g->at = (contact *)at;
    at += n * (int64_t)((sizeof(contact) + sizeof(double) - 1) / sizeof(double));
    int32_t *whole = (int32_t *)at;
    g->member = whole;
    g->pivot = g->member + n;
    g->first = g->pivot + m;
    g->state = g->first + n + 1;
    *group_of = g->state + n;
    g->span = *group_of + n;
    const int64_t integers = (g->span - whole) + n * (n + 2);
    return (at - base) + (integers + 1) / 2 + 1;
}

TW_EXPORT int64_t tw_cone_size(int32_t contacts, int32_t dimension)
{
    group g;
    int32_t *group_of;
    double nowhere[1];
    return contacts > 0 && dimension > 0 ? lay_out(contacts, dimension, nowhere, &g, &group_of) : 1;
}

static int usable(const tw_cone_problem *p, const tw_cone_options *o)
{
    if (p->contacts < 0 || p->contacts > TW_MOST_CONTACTS || (p->dimension != 2 && p->dimension != 3)) return 0;
    return o->tolerance >= 0.0 && o->most_sweeps >= 0 && o->relaxation > 0.0 && o->relaxation < 2.0;
}

static int all_finite(const double *x, int64_t n)
{
    double sum[LANES] = {0.0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int64_t k = 0; k < LANES; ++k) sum[k] += x[i + k] * 0.0;
    for (; i < n; ++i) sum[0] += x[i] * 0.0;
    return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

TW_EXPORT int32_t tw_cone_solve(const tw_cone_problem *p, const tw_cone_options *o, double *r, double *u,
                                tw_cone_report *report, double *work)
{
    group g;
    int32_t *group_of;
    report->residual = 0.0;
    report->sweeps = report->groups = report->newton_steps = 0;
    if (!usable(p, o)) return TW_BAD_CALL;
    const int64_t m = (int64_t)p->contacts * p->dimension;
    for (int32_t i = 0; i < p->contacts; ++i)
        if (!(p->mu[i] >= 0.0)) return TW_NOT_FINITE;
    if (!all_finite(p->q, m)) return TW_NOT_FINITE;
    for (int32_t k = 0; o->history && k < o->most_sweeps; ++k) o->history[k] = 0.0;
    if (all_open(p, r, u)) return TW_DONE;
    if (!all_finite(p->w, m * m) || !all_finite(p->mu, p->contacts) || !all_finite(r, m)) return TW_NOT_FINITE;
    lay_out(p->contacts > 0 ? p->contacts : 1, p->dimension, work, &g, &group_of);
    g.d = p->dimension;
    g.omega = o->relaxation;
    g.steps = 0;
    for (int32_t i = 0; i < p->contacts; ++i) group_of[i] = -1;
    for (int32_t i = 0; i < p->contacts; ++i) {
        if (group_of[i] >= 0) continue;
        int32_t sweeps = o->most_sweeps > 0;
        double found = 1e300;
        g.n = gather(p, i, report->groups, group_of, g.member);
        const int plain = sweeps && o->relaxation == 1.0, rest = at_rest(&g, r), quick = plain && rest && g.n <= FEW;
        if (g.n == 1 && plain) {
            found = g.d == 2 ? solve_single(p, i, r, u, 2) : solve_single(p, i, r, u, 3);
        } else if (quick) {
            found = g.d == 2 ? first_sweep(p, &g, r, u, 2) : first_sweep(p, &g, r, u, 3);
        }
        for (int32_t k = 0; o->history && k < o->most_sweeps; ++k)
            if (found <= o->tolerance || (quick && k == 0)) o->history[k] = larger(o->history[k], found);
        if (!(found <= o->tolerance) && !(g.n == 1 && plain)) {
            const double size = g.d == 2 ? take_in(p, &g, r, 2) : take_in(p, &g, r, 3);
            found = solve_group(&g, o, rest || quick ? found : -1.0, quick, &sweeps);
            give_out(&g, size, r, u);
        }
        report->groups += 1;
        report->residual = larger(report->residual, found);
        if (sweeps > report->sweeps) report->sweeps = sweeps;
    }
    report->newton_steps = g.steps;
    if (!(report->residual <= 1e300)) return TW_NOT_FINITE;
    return report->residual <= o->tolerance ? TW_DONE : TW_STOPPED;
}
