/* cone.c: friction problems between impulses and speeds of contacts.
 *
 * Find r with u = W r + q and, for every contact, Coulomb's law with Signorini's condition: r in the cone K of the
 * friction coefficient µ, u + µ |u_t| e_n in its dual K*, perpendicular to each other (De Saxcé and Feng 1998). The
 * cone is round: no facets. A bilateral block has u = 0 and no cone.
 *
 * Contacts that do not act on each other are solved group by group. Within a group r and u are scaled by contact so
 * that the blocks on the diagonal of W have sizes near 1. Sweeps of Gauss-Seidel solve one contact after the other
 * exactly (Jourdan, Alart and Jean 1998): it separates, sticks, or slides, where the slip per impulse α is the root of
 * one equation that always has one. When the sweeps left would cost more, Newton's method (Alart and Curnier 1991) is
 * tried from where they lead; should it fail, the sweeps go on. */
#include "tw_cone.h"

/* how many contacts of a group close by themselves */
static int32_t closing(const tw_cone_problem *p, const group *g)
{
    int32_t count = 0;
    for (int32_t i = 0; i < g->n; ++i) {
        const int32_t k = g->member[i];
        count += p->q[(int64_t)k * g->d] < 0.0 || (p->bilateral && p->bilateral[k]);
    }
    return count;
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

/* A first sweep over contacts where they are, from rest: often all, when only one closes. Returns the residual. */
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
        for (int32_t k = 0; k < d; ++k) g->dr[i * d + k] = c->by_scale;
    }
    const double scale = size > 0.0 ? 1.0 / size : 0.0;
    int32_t spans = 0;
    for (int32_t i = 0; i < g->n; ++i) {
        contact *c = g->at + i;
        const double *rows = p->w + (int64_t)g->member[i] * d * m;
        double *to = g->w + (int64_t)i * d * g->wide;
        c->run = spans;
        c->runs = 0;
        if (g->n == p->contacts) {
            for (int32_t k = 0; k < d; ++k)
                for (int32_t l = 0; l < g->m; ++l)
                    to[(int64_t)k * g->wide + l] = rows[k * m + l] * c->by_scale * g->dr[l];
        } else {
            for (int32_t j = 0; j < g->n; ++j)
                for (int32_t k = 0; k < d; ++k)
                    for (int32_t l = 0; l < d; ++l)
                        to[(int64_t)k * g->wide + j * d + l] =
                            rows[k * m + (int64_t)g->member[j] * d + l] * c->by_scale * g->at[j].by_scale;
        }
        for (int32_t j = 0; j < g->n; ++j) {
            int any = to[j * d] != 0.0;
            for (int32_t k = 0; !any && k < d; ++k)
                for (int32_t l = 0; l < d; ++l) any |= to[(int64_t)k * g->wide + j * d + l] != 0.0;
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
    TAKE(a, m * m) TAKE(right, m) TAKE(diagonal, m) TAKE(path, m) TAKE(basis, 16 * n)
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
        const int plain = sweeps && o->relaxation == 1.0, rest = at_rest(&g, r);
        const int quick = plain && rest && (g.n == 2 || closing(p, &g) == 1);
        if (g.n == 1 && plain) {
            found = g.d == 2 ? solve_single(p, i, r, u, 2) : solve_single(p, i, r, u, 3);
        } else if (quick) {
            found = g.d == 2 ? first_sweep(p, &g, r, u, 2) : first_sweep(p, &g, r, u, 3);
        }
        for (int32_t k = 0; o->history && k < o->most_sweeps; ++k)
            if (found <= o->tolerance || (quick && k == 0)) o->history[k] = larger(o->history[k], found);
        if (!(found <= o->tolerance) && !(g.n == 1 && plain)) {
            const double size = g.d == 2 ? take_in(p, &g, r, 2) : take_in(p, &g, r, 3);
            found = tw_cone_group(&g, o, rest || quick ? found : -1.0, quick, &sweeps);
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
