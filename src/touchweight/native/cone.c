/* cone.c: friction problems between impulses and speeds of contacts.
 *
 * Find r with u = W r + q and, for every contact, Coulomb's law with Signorini's condition: r in the cone K of the
 * friction coefficient µ, u + µ |u_t| e_n in its dual K*, perpendicular to each other (De Saxcé and Feng 1998). The
 * cone is round: no facets. A bilateral block has u = 0 and no cone.
 *
 * Contacts that do not act on each other are solved group by group. Within a group r and u are scaled by contact so
 * that W has blocks of size 1 on its diagonal. Sweeps of Gauss-Seidel solve one contact after the other exactly
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
/* where Newton's method fails: softness added to all contacts, from the first to the last, each time so much less */
#define FIRST_SOFT 1.0
#define LAST_SOFT 1e-6
#define SOFTER 0.2
/* sweeps between fresh computations of u */
#define REFRESH 64

/* one contact, scaled */
typedef struct contact {
    double nn, a[2];         /* A_nn; A_tn / A_nn */
    double turn[2];          /* cosine and sine of the principal axes of S = A_tt - A_tn A_nt / A_nn */
    double s[2];             /* S along them */
    double mu, alpha, scale; /* friction; slip per impulse when last it slid; size of W_ii, its root */
    int32_t bilateral;
    int32_t run, runs;       /* which other contacts it acts on: pieces of `span` */
} contact;

typedef struct group {
    int32_t d, n, m;         /* dimension, contacts, their rows d n */
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

static double larger(double a, double b) { return b <= a ? a : b; } /* NaN of b comes out */

/* ------------------------------------------------------------------ one contact */

static void prepare_contact(contact *c, const double *a, int32_t stride, int32_t d)
{
    c->nn = a[0];
    c->alpha = 0.0;
    c->turn[0] = 1.0;
    c->turn[1] = 0.0;
    c->a[1] = c->s[1] = 0.0;
    const double inverse = c->nn > STIFF ? 1.0 / c->nn : 0.0;
    c->a[0] = a[stride] * inverse;
    c->s[0] = a[stride + 1] - a[stride] * c->a[0];
    if (d < 3) return;
    c->a[1] = a[2 * stride] * inverse;
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
}

/* tangential impulse and normal impulse at slip α; gives µ r_n / |r_t| - 1, and its slope */
static double sliding(const contact *c, const double *g, double bn, double alpha, double *y, double *rn, double *slope)
{
    const double f0 = 1.0 / (c->s[0] + alpha), f1 = 1.0 / (c->s[1] + alpha);
    /* a, turned into the principal axes */
    const double a0 = c->turn[0] * c->a[0] - c->turn[1] * c->a[1], a1 = c->turn[1] * c->a[0] + c->turn[0] * c->a[1];
    y[0] = -g[0] * f0;
    y[1] = -g[1] * f1;
    *rn = -bn / c->nn - a0 * y[0] - a1 * y[1];
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
static void solve_contact(contact *c, const double *b, double *r, int32_t d)
{
    double g[2], y[2];
    r[0] = r[1] = 0.0;
    if (d > 2) r[2] = 0.0;
    if (!c->bilateral && (b[0] >= 0.0 || c->nn <= STIFF)) return;
    const double free = c->nn > STIFF ? -b[0] / c->nn : 0.0;
    r[0] = free;
    if (!c->bilateral && c->mu == 0.0) return;
    const double g0 = b[1] - c->a[0] * b[0], g1 = d > 2 ? b[2] - c->a[1] * b[0] : 0.0;
    g[0] = c->turn[0] * g0 - c->turn[1] * g1;
    g[1] = c->turn[1] * g0 + c->turn[0] * g1;
    int sticks = 1;
    for (int32_t k = 0; k < d - 1; ++k) {
        y[k] = c->s[k] > STIFF ? -g[k] / c->s[k] : 0.0;
        sticks &= c->s[k] > STIFF || tw_size(g[k]) <= STIFF || c->bilateral;
    }
    if (d == 2) {
        r[1] = y[0];
        r[0] = free - c->a[0] * y[0];
        if (c->bilateral || (sticks && tw_size(y[0]) <= c->mu * r[0])) return;
        const double side = g[0] > 0.0 ? -c->mu : c->mu;
        r[0] = free / (1.0 + side * c->a[0]);
        r[1] = side * r[0];
        return;
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

static double slip_size(const double *x, int32_t d)
{
    return d == 2 ? tw_size(x[1]) : tw_root(x[1] * x[1] + x[2] * x[2]);
}

/* into the cone: exactly, where it is nearly there */
static void into_cone(const contact *c, double *r, int32_t d)
{
    if (c->bilateral) return;
    if (!(r[0] > 0.0)) r[0] = 0.0;
    const double size = slip_size(r, d), limit = c->mu * r[0];
    if (!(size > limit)) return;
    for (int32_t k = 1; k < d; ++k) r[k] = size > 0.0 ? r[k] * (limit / size) : 0.0;
}

/* |r - P_K(r - u - µ |u_t| e_n)|: zero where the law holds, continuous, of the size of the error elsewhere */
static double miss_contact(const contact *c, const double *r, const double *u, int32_t d)
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

/* u += W[:, i] change, by the rows of the symmetric W that are not zero */
static void push(const group *g, int32_t i, const double *change, double *u)
{
    const int64_t m = g->m;
    const contact *c = g->at + i;
    const double *w0 = g->w + (int64_t)i * g->d * m, *w1 = w0 + m;
    for (int32_t k = 0; k < c->runs; ++k) {
        const int32_t from = g->span[c->run + 2 * k], to = g->span[c->run + 2 * k + 1];
        if (g->d == 2) {
            const double x = change[0], y = change[1];
            for (int32_t j = from; j < to; ++j) u[j] += x * w0[j] + y * w1[j];
        } else {
            const double x = change[0], y = change[1], z = change[2], *w2 = w1 + m;
            for (int32_t j = from; j < to; ++j) u[j] += x * w0[j] + y * w1[j] + z * w2[j];
        }
    }
}

static int is_zero(const double *x, int32_t d)
{
    return x[0] == 0.0 && x[1] == 0.0 && (d == 2 || x[2] == 0.0);
}

static void refresh(const group *g)
{
    for (int32_t j = 0; j < g->m; ++j) g->u[j] = g->q[j];
    for (int32_t i = 0; i < g->n; ++i)
        if (!is_zero(g->r + i * g->d, g->d)) push(g, i, g->r + i * g->d, g->u);
}

static void sweep_one(const group *g, int32_t i)
{
    const int32_t d = g->d;
    contact *c = g->at + i;
    double *r = g->r + i * d, b[3], x[3], change[3] = {0.0, 0.0, 0.0};
    const double *u = g->u + i * d, *a = g->w + (int64_t)i * d * (g->m + 1);
    for (int32_t k = 0; k < d; ++k) {
        b[k] = u[k];
        for (int32_t l = 0; l < d; ++l) b[k] -= a[(int64_t)k * g->m + l] * r[l];
    }
    solve_contact(c, b, x, d);
    if (g->omega != 1.0) {
        for (int32_t k = 0; k < d; ++k) x[k] = r[k] + g->omega * (x[k] - r[k]);
        into_cone(c, x, d);
    }
    for (int32_t k = 0; k < d; ++k) {
        change[k] = x[k] - r[k];
        r[k] = x[k];
    }
    if (!is_zero(change, d)) push(g, i, change, g->u);
}

/* once there, once back */
static void sweep(const group *g, int32_t number)
{
    for (int32_t i = 0; i < g->n; ++i) sweep_one(g, number & 1 ? g->n - 1 - i : i);
}

static double residual(const group *g)
{
    double worst = 0.0, size = 1.0;
    for (int32_t i = 0; i < g->n; ++i) {
        const double *r = g->r + i * g->d;
        worst = larger(worst, miss_contact(g->at + i, r, g->u + i * g->d, g->d));
        for (int32_t k = 0; k < g->d; ++k) size = larger(size, tw_size(r[k]));
    }
    return worst / size;
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
    const int64_t m = g->m;
    const int32_t size = reduce(g);
    for (int32_t j = 0; j < g->m; ++j) g->du[j] = g->u[j];
    for (int32_t i = 0; i < g->n; ++i)
        if (!is_zero(g->basis + i * 16 + 9, d)) push(g, i, g->basis + i * 16 + 9, g->du);
    for (int32_t i = 0; i < g->n; ++i) {
        const int32_t rows = g->first[i + 1] - g->first[i];
        for (int32_t j = 0; rows && j < g->n; ++j) {
            const int32_t columns = g->first[j + 1] - g->first[j];
            const double *w = g->w + (int64_t)i * d * m + j * d, *bj = g->basis + j * 16;
            double *to = g->a + (int64_t)g->first[i] * size + g->first[j];
            if (g->state[i] == HELD && g->state[j] == HELD) {
                for (int32_t k = 0; k < d; ++k)
                    for (int32_t l = 0; l < d; ++l) to[(int64_t)k * size + l] = w[k * m + l];
                continue;
            }
            for (int32_t l = 0; l < columns; ++l) {
                double v[3] = {0.0, 0.0, 0.0};
                for (int32_t k = 0; k < d; ++k)
                    for (int32_t o = 0; o < d; ++o) v[k] += w[k * m + o] * bj[l * 3 + o];
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
static double newton(group *g, double tolerance, int damped)
{
    double now = merit(g, g->r, g->u, g->state);
    for (int32_t step = 0; step < MOST_STEPS; ++step) {
        if (!newton_step(g)) break;
        g->steps += 1;
        for (int32_t j = 0; j < g->m; ++j) g->du[j] = 0.0;
        for (int32_t i = 0; i < g->n; ++i)
            if (!is_zero(g->dr + i * g->d, g->d)) push(g, i, g->dr + i * g->d, g->du);
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
static double soften(group *g, double tolerance, int damped)
{
    for (int32_t j = 0; j < g->m; ++j) g->diagonal[j] = g->w[(int64_t)j * (g->m + 1)];
    for (double gamma = FIRST_SOFT; gamma > LAST_SOFT; gamma *= SOFTER) {
        for (int32_t j = 0; j < g->m; ++j) g->w[(int64_t)j * (g->m + 1)] = g->diagonal[j] + gamma;
        refresh(g);
        newton(g, 1e-6, damped);
    }
    for (int32_t j = 0; j < g->m; ++j) g->w[(int64_t)j * (g->m + 1)] = g->diagonal[j];
    refresh(g);
    return newton(g, tolerance, damped);
}

/* what one Newton step costs, in sweeps */
static double newton_cost(const group *g)
{
    double rows = 0.0, pushes = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        const int apart = is_zero(g->r + i * g->d, g->d) && !g->at[i].bilateral;
        rows += apart ? 0.0 : (double)g->d;
        for (int32_t k = 0; !apart && k < g->at[i].runs; ++k)
            pushes += (double)(g->d * (g->span[g->at[i].run + 2 * k + 1] - g->span[g->at[i].run + 2 * k]));
    }
    return (rows * rows * (rows / 3.0 + 4.0)) / (pushes + 60.0 * (double)g->n) + 1.0;
}

/* ------------------------------------------------------------------ a group */

static void keep(const group *g, double *to, const double *from)
{
    for (int32_t j = 0; j < g->m; ++j) to[j] = from[j];
}

/* solve a group from r; returns its residual, that of the best r met */
static double solve_group(group *g, const tw_cone_options *o, int32_t *sweeps)
{
    double best, now, before[4];
    int32_t next = 3, count = 0, tries = 0;
    refresh(g);
    best = now = residual(g);
    keep(g, g->best, g->r);
    for (int32_t k = 0; k < 4; ++k) before[k] = now;
    while (!(best <= o->tolerance) && count < o->most_sweeps) {
        sweep(g, count);
        if (count % REFRESH == REFRESH - 1) refresh(g);
        now = residual(g);
        if (now <= o->tolerance && g->n > 1) {
            refresh(g);
            now = residual(g);
        }
        if (o->newton && count >= next && !(now <= o->tolerance)) {
            /* sweeps left, at the rate of the last three */
            const double rate = now / before[(count + 1) & 3], cost = newton_cost(g);
            double reached = now, left = 0.0;
            while (rate < 0.9 && left < 6.0 * cost && reached > o->tolerance) {
                reached *= rate;
                left += 3.0;
            }
            if (!(rate < 0.9) || left >= 6.0 * cost) {
                if (now <= best) {
                    best = now;
                    keep(g, g->best, g->r);
                }
                const double found = tries % 4 < 2 ? newton(g, o->tolerance, tries % 4 == 0)
                                                   : soften(g, o->tolerance, tries % 4 == 2);
                tries += 1;
                next = count + (int32_t)(4.0 * cost) + count / 2;
                if (found <= now) {
                    now = found;
                } else {
                    keep(g, g->r, g->best);
                    refresh(g);
                }
            }
        }
        before[count & 3] = now;
        if (o->history) o->history[count] = larger(o->history[count], now);
        count += 1;
        if (now <= best) {
            best = now;
            keep(g, g->best, g->r);
        } else if (now != now) {
            break;
        }
    }
    if (!(now <= best)) {
        keep(g, g->r, g->best);
        refresh(g);
    }
    for (int32_t k = count; o->history && k < o->most_sweeps; ++k) o->history[k] = larger(o->history[k], best);
    *sweeps = count;
    return best;
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
static double take_in(const tw_cone_problem *p, group *g, const double *r)
{
    const int32_t d = p->dimension;
    const int64_t m = (int64_t)p->contacts * d;
    g->m = g->n * d;
    double size = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        const int64_t at = (int64_t)g->member[i] * d;
        double trace = 0.0, speed = 0.0;
        for (int32_t k = 0; k < d; ++k) {
            trace += p->w[(at + k) * (m + 1)];
            speed = larger(speed, tw_size(p->q[at + k]));
        }
        c->scale = trace > 0.0 ? tw_root(trace / (double)d) : 1.0;
        c->mu = p->mu[g->member[i]];
        c->bilateral = p->bilateral ? p->bilateral[g->member[i]] : 0;
        size = larger(size, speed / c->scale);
    }
    int32_t spans = 0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        const double own = 1.0 / c->scale;
        c->run = spans;
        c->runs = 0;
        for (int32_t j = 0; j < g->n; ++j) {
            const double by = own / g->at[j].scale;
            const double *from = p->w + (int64_t)g->member[i] * d * m + (int64_t)g->member[j] * d;
            double *to = g->w + (int64_t)i * d * g->m + j * d;
            double any = 0.0;
            for (int32_t k = 0; k < d; ++k)
                for (int32_t l = 0; l < d; ++l) {
                    const double x = from[k * m + l] * by;
                    to[(int64_t)k * g->m + l] = x;
                    any = x != 0.0 ? 1.0 : any;
                }
            if (any == 0.0) continue;
            if (c->runs && g->span[spans - 1] == j * d) {
                g->span[spans - 1] = (j + 1) * d;
            } else {
                g->span[spans] = j * d;
                g->span[spans + 1] = (j + 1) * d;
                spans += 2;
                c->runs += 1;
            }
        }
        prepare_contact(c, g->w + (int64_t)i * d * (g->m + 1), g->m, d);
        const double scale = size > 0.0 ? 1.0 / size : 0.0;
        for (int32_t k = 0; k < d; ++k) {
            const int64_t at = (int64_t)g->member[i] * d + k;
            g->q[i * d + k] = p->q[at] * own * scale;
            g->r[i * d + k] = r[at] * c->scale * scale;
        }
        into_cone(c, g->r + i * d, d);
    }
    return size;
}

static void give_out(const group *g, double size, double *r, double *u)
{
    for (int32_t i = 0; i < g->n; ++i)
        for (int32_t k = 0; k < g->d; ++k) {
            const int64_t at = (int64_t)g->member[i] * g->d + k;
            r[at] = g->r[i * g->d + k] * size / g->at[i].scale;
            u[at] = g->u[i * g->d + k] * size * g->at[i].scale;
        }
}

static int64_t lay_out(int64_t n, int64_t d, double *base, group *g, int32_t **group_of)
{
    const int64_t m = n * d;
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

static int finite(const double *x, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += x[i] * 0.0;
    return sum == 0.0;
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
    if (!finite(p->w, m * m) || !finite(p->q, m) || !finite(p->mu, p->contacts) || !finite(r, m)) return TW_NOT_FINITE;
    for (int32_t k = 0; o->history && k < o->most_sweeps; ++k) o->history[k] = 0.0;
    lay_out(p->contacts > 0 ? p->contacts : 1, p->dimension, work, &g, &group_of);
    g.d = p->dimension;
    g.omega = o->relaxation;
    g.steps = 0;
    for (int32_t i = 0; i < p->contacts; ++i) group_of[i] = -1;
    for (int32_t i = 0; i < p->contacts; ++i) {
        if (group_of[i] >= 0) continue;
        int32_t sweeps;
        g.n = gather(p, i, report->groups, group_of, g.member);
        const double size = take_in(p, &g, r);
        const double found = solve_group(&g, o, &sweeps);
        give_out(&g, size, r, u);
        report->groups += 1;
        report->residual = larger(report->residual, found);
        if (sweeps > report->sweeps) report->sweeps = sweeps;
    }
    report->newton_steps = g.steps;
    if (!(report->residual <= 1e300)) return TW_NOT_FINITE;
    return report->residual <= o->tolerance ? TW_DONE : TW_STOPPED;
}
