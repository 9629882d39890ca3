/* moreau.c: non-smooth motion by time stepping (Moreau 1988, Jean 1999; Acary and Brogliato 2008).
 *
 * Over a step h the unknown is the speed w at its end. With v_θ = (1-θ) v + θ w and q_θ = q + θ h v_θ:
 *     M (w - v) + h c(q_θ, v_θ) = Nᵀ p + Tᵀ s + d + Jᵀ λ,   q⁺ = q + h v_θ
 * p are normal impulses: of a felt, h times its law at (q_θ, v_θ), taken implicitly; of a rigid contact that is closed,
 * p >= 0, N w + e N v >= 0, one of them zero. s are sliding impulses in the disc of radius µ p, opposite to the sliding
 * T w, or anything inside it where nothing slides. d is the same on single speeds, with a given radius. λ keep loops.
 *
 * Newton's method on w and on the set-valued impulses (Alart and Curnier 1991): each of these is held (it sticks, is
 * closed, is bilateral) or follows (it slides, is open), as its trial value s - ρ T w says. Held impulses are eliminated
 * with a softness ε around their last value, so that the matrix has the size of the speeds whatever touches; as the
 * value converges, ε has no effect: what sticks sticks exactly. Where that goes round in circles, sweeps over the impulses
 * (projected Gauss-Seidel, as in Jean 1999) find a place to go on from. */
#include "tw_core.h"

/* softness of held impulses, relative to what the mechanism gives by itself */
#define SOFT 1e-6
/* a gap that counts as closed: rounding must not open what rests [m or rad] */
#define TOUCHING 1e-12
/* looks at the problem in one step */
#define MOST_ITERATIONS 80
/* sweeps over the impulses where Newton's method goes round in circles */
#define SWEEPS 30
/* looks after which a Newton step must lead nearer, to leave a cycle */
/* a residual, in tolerances, at which a step is gone over again in shorter ones; and how many these may be */
#define UNSOLVED 1e3
#define FINEST 32
#define PATIENCE 8

typedef struct work {
    double *mass, *base, *push, *k, *d, *gap, *pressed, *rate, *force, *by_depth, *by_rate;
    double *restitution, *friction, *dry;
    double *g;                          /* all rows over the speeds: normal, sliding, dry, loops */
    double *p, *trial, *target, *soft, *slope; /* of each row: impulse, projected trial, wanted speed, ε, dp/d(g w) */
    double *turn;                       /* of each normal row that slides: friction's radius over its trial value */
    double *w, *dw, *w0, *dp, *p0, *right, *a, *bar, *dq, *column, *w1, *p1;
    double *answer, *give;              /* of each row: what its impulse does to w, and to its own speed */
    double *y0, *y1, *before, *total, *sum; /* of the whole step, for going over it again */
    int32_t *pivot, *held;
} work;

static int32_t all_rows(const tw_system *s)
{
    const tw_contacts *t = s->contacts;
    return t->count + t->tangents + t->dry + s->constraints->rows;
}

static int64_t lay_out(const tw_system *s, double *base, work *p)
{
    const tw_contacts *t = s->contacts;
    const int64_t nv = s->nv, c = t->count, m = all_rows(s), fixed = s->constraints->driven + s->constraints->locked;
    double *at = base;
#define TAKE(name, size)                                                                                     \
    p->name = at;                                                                                            \
    at += (size) + 1;
    TAKE(mass, nv * nv) TAKE(base, nv * nv) TAKE(push, nv) TAKE(k, nv * nv) TAKE(d, nv * nv) TAKE(gap, c)
    TAKE(pressed, c) TAKE(rate, c) TAKE(force, c) TAKE(by_depth, c) TAKE(by_rate, c) TAKE(restitution, c)
    TAKE(friction, c) TAKE(dry, t->dry) TAKE(g, m * nv) TAKE(p, m) TAKE(trial, m) TAKE(target, m) TAKE(soft, m)
    TAKE(slope, m) TAKE(w, nv) TAKE(right, nv) TAKE(a, nv * nv) TAKE(bar, s->nq) TAKE(dq, s->nq) TAKE(column, nv)
    TAKE(dw, nv) TAKE(w0, nv) TAKE(dp, m) TAKE(p0, m) TAKE(turn, c) TAKE(w1, nv) TAKE(p1, m)
    TAKE(answer, m * nv) TAKE(give, m)
    TAKE(y0, tw_state_size(s)) TAKE(y1, tw_state_size(s)) TAKE(before, m) TAKE(total, m + fixed) TAKE(sum, m + fixed)
#undef TAKE
    p->pivot = (int32_t *)at;
    at += nv + 1;
    p->held = (int32_t *)at;
    at += m + 1;
    return at - base;
}

int64_t tw_moreau_space(const tw_system *s)
{
    work p;
    double nowhere[1];
    return s->contacts ? lay_out(s, nowhere, &p) : 0;
}

static double along(const double *row, const double *x, int32_t n)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) sum += row[k] * x[k];
    return sum;
}

/* Impulses of loops act as in the middle of the step, but must lead to speeds w that keep the loops closed at its end.
 * What speeds along the rows of the middle that takes, if w is about `speeds`. */
static void aim(const tw_system *s, double t, double h, double theta, const double *y, const double *speeds, work *p,
                double *space)
{
    const tw_contacts *c = s->contacts;
    const int32_t nq = s->nq, nv = s->nv, first = c->count + c->tangents + c->dry;
    const double *v = y + nq;
    double *rows = p->g + first * nv, *wanted = p->target + first, *last = p->a, *wanted_last = p->column;
    for (int32_t k = 0; k < nv; ++k) p->right[k] = (1.0 - theta) * v[k] + theta * speeds[k];
    const double *in[2] = {p->bar, p->right};
    double *out[1] = {p->dq};
    s->turn.unit->evaluate(s->turn.c, in, out);
    for (int32_t i = 0; i < nq; ++i) p->dq[i] = y[i] + h * p->dq[i];
    tw_normalise(s, p->dq);
    tw_loop_rows(s, t + h, p->dq, last, wanted_last, space);
    for (int32_t j = 0; j < s->constraints->rows; ++j)
        wanted[j] = wanted_last[j] - along(last + j * nv, speeds, nv) + along(rows + j * nv, speeds, nv);
}

/* everything that stays the same within a step, at the predicted middle */
static int prepare(const tw_system *s, double t, double h, double theta, const double *y, const double *u, work *p,
                   double *space)
{
    const tw_contacts *c = s->contacts;
    const tw_constraints *loops = s->constraints;
    const int32_t nq = s->nq, nv = s->nv;
    const double *v = y + nq, *x = v + nv;
    const double mid = t + theta * h;
    {
        const double *in[2] = {y, v};
        double *out[1] = {p->dq};
        s->turn.unit->evaluate(s->turn.c, in, out);
        for (int32_t i = 0; i < nq; ++i) p->bar[i] = y[i] + theta * h * p->dq[i];
        tw_normalise(s, p->bar);
    }
    double *normal = p->g, *slide = normal + c->count * nv, *dry = slide + c->tangents * nv,
           *rows = dry + c->dry * nv;
    {
        const double *in[2] = {p->bar, &mid};
        double *out[3] = {p->gap, normal, slide};
        c->touch.unit->evaluate(c->touch.c, in, out);
        const double *at[1] = {p->bar};
        double *m[1] = {p->mass};
        loops->mass.unit->evaluate(loops->mass.c, at, m);
        const double *from[5] = {p->bar, v, x, u, &mid};
        double *to[3] = {p->push, p->k, p->d};
        c->push.unit->evaluate(c->push.c, from, to);
        const double *when[1] = {&mid};
        double *limits[3] = {p->restitution, p->friction, p->dry};
        c->limits.unit->evaluate(c->limits.c, when, limits);
    }
    for (int32_t i = 0; i < c->dry * nv; ++i) dry[i] = 0.0;
    for (int32_t i = 0; i < c->dry; ++i) dry[i * nv + c->dry_speed[i]] = 1.0;
    if (loops->rows) {
        tw_loop_rows(s, mid, p->bar, rows, p->target + c->count + c->tangents + c->dry, space);
        aim(s, t, h, theta, y, v, p, space);
    }
    /* A = M + θ h D + θ² h² K; softness of every row */
    for (int32_t i = 0; i < nv * nv; ++i) p->base[i] = p->mass[i] + h * theta * (p->d[i] + theta * h * p->k[i]);
    for (int32_t i = 0; i < nv * nv; ++i) p->a[i] = p->base[i];
    if (!(tw_lu(p->a, p->pivot, nv) > 0.0)) return 0;
    const int32_t m = all_rows(s);
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k < nv; ++k) p->column[k] = p->g[i * nv + k];
        tw_lu_solve(p->a, p->pivot, nv, p->column);
        p->soft[i] = along(p->g + i * nv, p->column, nv) + 1e-300;
    }
    /* the directions in which one contact slides share theirs: friction is a disc, opposite to the sliding */
    for (int32_t i = 0; i < c->count; ++i) {
        double most = 0.0;
        const int32_t first = c->count + c->slide_start[i], last = c->count + c->slide_start[i + 1];
        for (int32_t j = first; j < last; ++j)
            if (p->soft[j] > most) most = p->soft[j];
        for (int32_t j = first; j < last; ++j) p->soft[j] = most;
    }
    return 1;
}

/* normal impulses of felts and their slopes, at the present w */
static void press(const tw_system *s, double h, double theta, const double *v, work *p)
{
    const tw_contacts *c = s->contacts;
    const int32_t nv = s->nv;
    for (int32_t i = 0; i < c->count; ++i) {
        const double *n = p->g + i * nv;
        const double before = along(n, v, nv), after = along(n, p->w, nv);
        p->pressed[i] = -(p->gap[i] + theta * theta * h * (after - before));
        p->rate[i] = -((1.0 - theta) * before + theta * after);
        if (!(p->pressed[i] > 0.0)) {
            p->rate[i] = 0.0;
            p->pressed[i] = 0.0;
        }
    }
    const double *in[2] = {p->pressed, p->rate};
    double *out[3] = {p->force, p->by_depth, p->by_rate};
    c->law.unit->evaluate(c->law.c, in, out);
    for (int32_t i = 0; i < c->count; ++i) {
        if (!c->compliant[i]) continue;
        const int on = p->pressed[i] > 0.0 && p->force[i] > 0.0;
        p->trial[i] = on ? h * p->force[i] : 0.0;
        p->slope[i] = on ? -h * theta * (theta * h * p->by_depth[i] + p->by_rate[i]) : 0.0;
    }
}

/* the trial value of every set-valued impulse, projected; and whether it is held. Returns the largest change. */
static double project(const tw_system *s, double h, const double *v, work *p)
{
    const tw_contacts *c = s->contacts;
    const int32_t nv = s->nv, slides = c->count, dry = slides + c->tangents, loops = dry + c->dry, m = all_rows(s);
    double worst = 0.0;
    for (int32_t i = 0; i < c->count; ++i) {
        if (!c->compliant[i]) {
            const double *n = p->g + i * nv;
            p->target[i] = -p->restitution[i] * along(n, v, nv);
            if (p->target[i] < 0.0) p->target[i] = 0.0;
            const double x = p->p[i] - (along(n, p->w, nv) - p->target[i]) / p->soft[i];
            p->held[i] = p->gap[i] <= TOUCHING && x > 0.0;
            p->trial[i] = p->held[i] ? x : 0.0;
        }
        const int32_t first = slides + c->slide_start[i], last = slides + c->slide_start[i + 1];
        const double radius = p->friction[i] * p->trial[i];
        double size = 0.0;
        for (int32_t j = first; j < last; ++j) {
            p->trial[j] = p->p[j] - along(p->g + j * nv, p->w, nv) / p->soft[j];
            size += p->trial[j] * p->trial[j];
        }
        size = tw_root(size);
        p->turn[i] = size > radius ? radius / size : 0.0;
        for (int32_t j = first; j < last; ++j) {
            p->held[j] = size <= radius;
            p->slope[j] = size > 0.0 ? p->trial[j] / size : 0.0; /* direction of sliding */
            if (!p->held[j]) p->trial[j] = radius * p->slope[j];
        }
    }
    for (int32_t i = 0; i < c->dry; ++i) {
        const int32_t j = dry + i;
        const double x = p->p[j] - p->w[c->dry_speed[i]] / p->soft[j], radius = h * p->dry[i];
        p->held[j] = tw_size(x) <= radius;
        p->trial[j] = p->held[j] ? x : x > 0.0 ? radius : -radius;
    }
    for (int32_t j = loops; j < m; ++j) {
        p->held[j] = 1;
        p->trial[j] = p->p[j] - (along(p->g + j * nv, p->w, nv) - p->target[j]) / p->soft[j];
    }
    for (int32_t j = 0; j < m; ++j) {
        const double change = tw_size(p->trial[j] - p->p[j]) * tw_root(p->soft[j]);
        if (!(j < c->count && c->compliant[j]) && !(change <= worst)) worst = change;
    }
    return worst;
}

/* M (w - v) + h c + ... - Gᵀ impulses, with the given impulses */
static void balance(const tw_system *s, double h, const double *v, const double *impulse, work *p)
{
    const int32_t nv = s->nv, m = all_rows(s);
    for (int32_t k = 0; k < nv; ++k) {
        double sum = h * p->push[k];
        for (int32_t l = 0; l < nv; ++l) sum += p->base[k * nv + l] * (p->w[l] - v[l]);
        p->right[k] = sum;
    }
    for (int32_t j = 0; j < m; ++j) {
        if (impulse[j] == 0.0) continue;
        for (int32_t k = 0; k < nv; ++k) p->right[k] -= p->g[j * nv + k] * impulse[j];
    }
}

/* how far (w, p) is from a solution [sqrt J]; leaves projected impulses, held rows and slopes behind */
static double miss(const tw_system *s, double h, double theta, const double *v, work *p)
{
    const tw_constraints *loops = s->constraints;
    const int32_t nv = s->nv;
    press(s, h, theta, v, p);
    double worst = project(s, h, v, p);
    balance(s, h, v, p->trial, p);
    for (int32_t k = 0; k < loops->driven; ++k) p->right[loops->driven_speed[k]] = 0.0;
    for (int32_t k = 0; k < loops->locked; ++k) p->right[loops->locked_speed[k]] = 0.0;
    for (int32_t k = 0; k < nv; ++k) {
        const double part = tw_size(p->right[k]) / tw_root(p->mass[k * nv + k]);
        if (!(part <= worst)) worst = part;
    }
    return worst;
}

/* How friction in space turns with the sliding: along e, across the direction in which contact i slides, the impulse is
 * `rest` - `weight` e.T dw. Returns 0 where it does not slide in two directions. */
static int across(const tw_system *s, int32_t i, const work *p, double *rest, double *weight)
{
    const tw_contacts *c = s->contacts;
    const int32_t j = c->count + c->slide_start[i];
    if (c->slide_start[i + 1] - c->slide_start[i] != 2 || p->held[j] || !(p->turn[i] > 0.0)) return 0;
    /* s = radius x/|x| with x = s - T w/ε: across x, ds (1 - radius/|x|) = -s - radius/|x| T dw/ε */
    double left = 1.0 - p->turn[i];
    if (left < SOFT) left = SOFT;
    *rest = (p->slope[j + 1] * p->p[j] - p->slope[j] * p->p[j + 1]) * p->turn[i] / left;
    *weight = p->turn[i] / (left * p->soft[j]);
    return 1;
}

/* add that to the matrix and to the impulses at the present w */
static void turn_slides(const tw_system *s, work *p)
{
    const tw_contacts *c = s->contacts;
    const int32_t nv = s->nv;
    for (int32_t i = 0; i < c->count; ++i) {
        double rest, weight;
        if (!across(s, i, p, &rest, &weight)) continue;
        const int32_t j = c->count + c->slide_start[i];
        const double *g = p->g + j * nv, ex = -p->slope[j + 1], ey = p->slope[j];
        p->dp[j] += ex * rest;
        p->dp[j + 1] += ey * rest;
        for (int32_t k = 0; k < nv; ++k) {
            const double side = weight * (ex * g[k] + ey * g[nv + k]);
            if (side == 0.0) continue;
            for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] += side * (ex * g[l] + ey * g[nv + l]);
        }
    }
}

/* a Newton step from (w, p): dw and dp */
static int newton(const tw_system *s, double h, const double *v, work *p)
{
    const tw_contacts *c = s->contacts;
    const tw_constraints *loops = s->constraints;
    const int32_t nv = s->nv, m = all_rows(s), slides = c->count;
    for (int32_t i = 0; i < nv * nv; ++i) p->a[i] = p->base[i];
    for (int32_t j = 0; j < m; ++j) {
        const double *g = p->g + j * nv;
        double weight = 0.0, value = p->trial[j];
        if (j < slides && c->compliant[j]) {
            weight = -p->slope[j];
        } else if (p->held[j]) {
            weight = 1.0 / (SOFT * p->soft[j]);
            value = p->p[j] - (along(g, p->w, nv) - p->target[j]) * weight;
        }
        p->dp[j] = value; /* the impulse at the present w */
        if (weight == 0.0) continue;
        for (int32_t k = 0; k < nv; ++k) {
            if (g[k] == 0.0) continue;
            const double scaled = weight * g[k];
            for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] += scaled * g[l];
        }
    }
    for (int32_t i = 0; i < slides; ++i) /* what slides follows its normal impulse */
        for (int32_t j = slides + c->slide_start[i]; j < slides + c->slide_start[i + 1]; ++j) {
            if (p->held[j]) continue;
            p->dp[j] = p->friction[i] * p->slope[j] * p->dp[i];
            const double *g = p->g + j * nv, *n = p->g + i * nv;
            const double follow = p->friction[i] * p->slope[j] *
                                  (c->compliant[i] ? p->slope[i] : p->held[i] ? -1.0 / (SOFT * p->soft[i]) : 0.0);
            for (int32_t k = 0; k < nv; ++k)
                for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] -= g[k] * follow * n[l];
        }
    turn_slides(s, p);
    balance(s, h, v, p->dp, p);
    for (int32_t which = 0; which < loops->driven + loops->locked; ++which) {
        const int32_t k = which < loops->driven ? loops->driven_speed[which]
                                                : loops->locked_speed[which - loops->driven];
        for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] = k == l;
        p->right[k] = 0.0;
    }
    if (!(tw_lu(p->a, p->pivot, nv) > 0.0)) return 0;
    tw_lu_solve(p->a, p->pivot, nv, p->right);
    for (int32_t k = 0; k < nv; ++k) p->dw[k] = -p->right[k];
    for (int32_t j = 0; j < m; ++j) {
        if (j < slides && c->compliant[j])
            p->dp[j] += along(p->g + j * nv, p->dw, nv) * p->slope[j];
        else if (p->held[j])
            p->dp[j] -= along(p->g + j * nv, p->dw, nv) / (SOFT * p->soft[j]);
    }
    for (int32_t i = 0; i < slides; ++i)
        for (int32_t j = slides + c->slide_start[i]; j < slides + c->slide_start[i + 1]; ++j)
            if (!p->held[j]) p->dp[j] = p->dp[i] > 0.0 ? p->friction[i] * p->slope[j] * p->dp[i] : 0.0;
    for (int32_t i = 0; i < slides; ++i) {
        double rest, weight;
        if (!across(s, i, p, &rest, &weight)) continue;
        const int32_t j = slides + c->slide_start[i];
        const double *g = p->g + j * nv;
        const double ex = -p->slope[j + 1], ey = p->slope[j];
        rest -= weight * (ex * along(g, p->dw, nv) + ey * along(g + nv, p->dw, nv));
        p->dp[j] += ex * rest;
        p->dp[j + 1] += ey * rest;
    }
    for (int32_t j = 0; j < m; ++j) p->dp[j] -= p->p[j];
    return 1;
}

/* Newton's method from (w, p), as long as looks are left. `worst` is how far that is from a solution; returns how far it
 * ended. */
static double descend(const tw_system *s, double h, double theta, const double *v, double tolerance, double worst,
                      int32_t limit, int32_t *looks, work *p)
{
    const int32_t nv = s->nv, m = all_rows(s), start = *looks;
    while (!(worst <= tolerance) && *looks < limit) {
        if (!newton(s, h, v, p)) break;
        for (int32_t k = 0; k < nv; ++k) p->w0[k] = p->w[k];
        for (int32_t j = 0; j < m; ++j) p->p0[j] = p->p[j];
        double part = 1.0, best_part = 1.0, best = 1e300;
        for (int tries = 0;; ++tries, part *= 0.4) {
            for (int32_t k = 0; k < nv; ++k) p->w[k] = p->w0[k] + part * p->dw[k];
            for (int32_t j = 0; j < m; ++j) p->p[j] = p->p0[j] + part * p->dp[j];
            const double now = miss(s, h, theta, v, p);
            ++*looks;
            if (now < best) {
                best = now;
                best_part = part;
            }
            /* a full step is trusted for a while, then only one that leads nearer */
            if (now < (1.0 - 0.1 * part) * worst || (tries == 0 && *looks - start < PATIENCE) || tries == 5 ||
                *looks >= limit)
                break;
        }
        if (best_part != part) {
            for (int32_t k = 0; k < nv; ++k) p->w[k] = p->w0[k] + best_part * p->dw[k];
            for (int32_t j = 0; j < m; ++j) p->p[j] = p->p0[j] + best_part * p->dp[j];
            best = miss(s, h, theta, v, p);
        }
        worst = best;
    }
    return worst;
}

/* change an impulse, and w with it; returns by how much that is, in [sqrt J] */
static double shift(const tw_system *s, int32_t j, double to, work *p)
{
    const double by = to - p->p[j];
    const double *answer = p->answer + (int64_t)j * s->nv;
    for (int32_t k = 0; k < s->nv; ++k) p->w[k] += by * answer[k];
    p->p[j] = to;
    return tw_size(by) * tw_root(p->give[j]);
}

/* what every impulse does to w, with felts as they are now; and w as the impulses of now would have it */
static int respond(const tw_system *s, double h, const double *v, work *p)
{
    const tw_contacts *c = s->contacts;
    const tw_constraints *loops = s->constraints;
    const int32_t nv = s->nv, m = all_rows(s), fixed = loops->driven + loops->locked;
    for (int32_t i = 0; i < nv * nv; ++i) p->a[i] = p->base[i];
    for (int32_t j = 0; j < m; ++j) p->dp[j] = j < c->count && c->compliant[j] ? p->trial[j] : p->p[j];
    for (int32_t i = 0; i < c->count; ++i) {
        const double *n = p->g + i * nv;
        if (!c->compliant[i] || p->slope[i] == 0.0) continue;
        for (int32_t k = 0; k < nv; ++k)
            for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] -= p->slope[i] * n[k] * n[l];
    }
    for (int32_t i = 0; i < c->count; ++i) p->turn[i] = along(p->g + i * nv, p->w, nv);
    balance(s, h, v, p->dp, p);
    for (int32_t which = 0; which < fixed; ++which) {
        const int32_t k = which < loops->driven ? loops->driven_speed[which]
                                                : loops->locked_speed[which - loops->driven];
        for (int32_t l = 0; l < nv; ++l) p->a[k * nv + l] = k == l;
        p->right[k] = 0.0;
    }
    if (!(tw_lu(p->a, p->pivot, nv) > 0.0)) return 0;
    tw_lu_solve(p->a, p->pivot, nv, p->right);
    for (int32_t k = 0; k < nv; ++k) p->w[k] -= p->right[k];
    for (int32_t j = 0; j < m; ++j) {
        double *answer = p->answer + (int64_t)j * nv;
        for (int32_t k = 0; k < nv; ++k) answer[k] = p->g[j * nv + k];
        for (int32_t which = 0; which < fixed; ++which)
            answer[which < loops->driven ? loops->driven_speed[which] : loops->locked_speed[which - loops->driven]] = 0.0;
        tw_lu_solve(p->a, p->pivot, nv, answer);
        p->give[j] = along(p->g + j * nv, answer, nv) + 1e-300;
    }
    return 1;
}

/* One impulse after the other, each as its law wants it, over and over: slow, but not in circles. */
static void settle(const tw_system *s, double h, const double *v, double tolerance, work *p)
{
    const tw_contacts *c = s->contacts;
    const int32_t nv = s->nv, slides = c->count, dry = slides + c->tangents, loops = dry + c->dry, m = all_rows(s);
    if (!respond(s, h, v, p)) return;
    double change = 1e300;
    for (int sweep = 0; sweep < SWEEPS && change > tolerance; ++sweep) {
        change = 0.0;
        for (int32_t i = 0; i < slides; ++i) {
            const double u = along(p->g + i * nv, p->w, nv);
            double normal = p->trial[i] + p->slope[i] * (u - p->turn[i]);
            if (!c->compliant[i]) {
                normal = p->gap[i] <= TOUCHING ? p->p[i] - (u - p->target[i]) / p->give[i] : 0.0;
                if (!(normal > 0.0)) normal = 0.0;
                change += shift(s, i, normal, p);
            }
            const int32_t first = slides + c->slide_start[i], last = slides + c->slide_start[i + 1];
            double most = 0.0, size = 0.0, x[2] = {0.0, 0.0};
            for (int32_t j = first; j < last; ++j)
                if (p->give[j] > most) most = p->give[j];
            for (int32_t j = first; j < last; ++j) {
                x[j - first] = p->p[j] - along(p->g + j * nv, p->w, nv) / most;
                size += x[j - first] * x[j - first];
            }
            const double radius = normal > 0.0 ? p->friction[i] * normal : 0.0;
            const double part = size > radius * radius ? radius / tw_root(size) : 1.0;
            for (int32_t j = first; j < last; ++j) change += shift(s, j, part * x[j - first], p);
        }
        for (int32_t j = dry; j < m; ++j) {
            double x = p->p[j] - (along(p->g + j * nv, p->w, nv) - (j < loops ? 0.0 : p->target[j])) / p->give[j];
            const double radius = j < loops ? h * p->dry[j - dry] : 1e300;
            if (x > radius) x = radius;
            if (x < -radius) x = -radius;
            change += shift(s, j, x, p);
        }
    }
}

/* take everything that is closed as sticking */
static void hold_all(const tw_system *s, work *p)
{
    const tw_contacts *c = s->contacts;
    for (int32_t i = 0; i < c->count; ++i) {
        const int on = c->compliant[i] ? p->trial[i] > 0.0 : p->gap[i] <= TOUCHING;
        if (!c->compliant[i]) p->held[i] = on;
        for (int32_t j = c->slide_start[i]; j < c->slide_start[i + 1]; ++j)
            p->held[c->count + j] = on && p->friction[i] > 0.0;
    }
    for (int32_t i = 0; i < c->dry; ++i) p->held[c->count + c->tangents + i] = 1;
}

/* Solve for w and the impulses; returns how far from a solution it ended. From the impulses of the step before; if that
 * leads nowhere, from where sweeps over the impulses lead; from all that is closed sticking (where sliding wedges itself
 * in, only that is a solution); from no impulses at all. */
static double solve(const tw_system *s, double h, double theta, const double *v, double tolerance, int32_t *iterations,
                    work *p)
{
    static const int32_t limit[4] = {MOST_ITERATIONS / 8, MOST_ITERATIONS / 2, 3 * MOST_ITERATIONS / 4, MOST_ITERATIONS};
    const int32_t nv = s->nv, m = all_rows(s);
    int32_t looks = 1;
    double worst = descend(s, h, theta, v, tolerance, miss(s, h, theta, v, p), limit[0], &looks, p);
    for (int again = 1; again < 4 && !(worst <= tolerance); ++again) {
        const double before = worst;
        for (int32_t k = 0; k < nv; ++k) p->w1[k] = p->w[k];
        for (int32_t j = 0; j < m; ++j) p->p1[j] = p->p[j];
        if (again == 1)
            settle(s, h, v, tolerance, p);
        else
            for (int32_t j = 0; j < m; ++j) p->p[j] = 0.0;
        worst = miss(s, h, theta, v, p);
        if (again == 2) {
            hold_all(s, p);
            worst = 1e300; /* whatever that step leads to */
        }
        worst = descend(s, h, theta, v, tolerance, worst, limit[again], &looks, p);
        if (worst <= before) continue;
        for (int32_t k = 0; k < nv; ++k) p->w[k] = p->w1[k];
        for (int32_t j = 0; j < m; ++j) p->p[j] = p->p1[j];
        worst = miss(s, h, theta, v, p);
    }
    *iterations = looks;
    return worst;
}

/* one step, in place on y and on the impulses of the step before */
static int32_t once(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                    double *all, double *work_done)
{
    const tw_contacts *c = s->contacts;
    const tw_constraints *loops = s->constraints;
    const int32_t nq = s->nq, nv = s->nv, m = c ? all_rows(s) : 0;
    const double theta = memory->theta;
    work p;
    double *space = all + 4 * tw_state_size(s);
    lay_out(s, space + tw_constraint_space(s) + tw_rosenbrock_space(s), &p);
    double *v = y + nq;
    if (!prepare(s, t, h, theta, y, in->row[1], &p, space)) return TW_NOT_FINITE;
    for (int32_t k = 0; k < nv; ++k) p.w[k] = v[k];
    tw_fix_speeds(s, t + h, p.w, in->row[2], space);
    for (int32_t j = 0; j < m; ++j) p.p[j] = memory->impulse[j];
    int32_t iterations = 0;
    double worst = solve(s, h, theta, v, memory->contact_tolerance, &iterations, &p);
    if (loops->rows) { /* once more, as now the speeds at the end are known better */
        int32_t more = 0;
        aim(s, t, h, theta, y, p.w, &p, space);
        for (int32_t j = 0; j < m; ++j) p.p[j] = p.trial[j];
        worst = solve(s, h, theta, v, memory->contact_tolerance, &more, &p);
        iterations += more;
    }
    /* a joint that sticks stands still, to the last digit */
    if (worst <= memory->contact_tolerance)
        for (int32_t i = 0; i < c->dry; ++i)
            if (p.held[c->count + c->tangents + i] && p.dry[i] > 0.0) p.w[c->dry_speed[i]] = 0.0;
    memory->contact_residual = worst;
    memory->contact_iterations = iterations;
    if (iterations > memory->most_contact_iterations) memory->most_contact_iterations = iterations;
    /* what the driven and locked speeds took */
    balance(s, h, v, p.trial, &p);
    for (int32_t which = 0; which < loops->driven + loops->locked; ++which)
        memory->drive_impulse[which] = p.right[which < loops->driven ? loops->driven_speed[which]
                                                                     : loops->locked_speed[which - loops->driven]];
    for (int32_t j = 0; j < m; ++j) memory->impulse[j] = p.trial[j];
    /* coordinates with the mean speed, first-order states with their rate in the middle */
    for (int32_t k = 0; k < nv; ++k) p.column[k] = (1.0 - theta) * v[k] + theta * p.w[k];
    work_done[0] = work_done[1] = 0.0;
    for (int32_t j = 0; j < m - loops->rows; ++j)
        if (p.trial[j] != 0.0) work_done[0] += p.trial[j] * along(p.g + j * nv, p.column, nv);
    for (int32_t k = 0; k < loops->driven; ++k)
        work_done[1] += memory->drive_impulse[k] * p.column[loops->driven_speed[k]];
    if (s->nx) {
        const double mid = t + theta * h;
        const double *from[5] = {p.bar, p.column, y + nq + nv, in->row[1], &mid};
        double *to[1] = {all};
        loops->lags.unit->evaluate(loops->lags.c, from, to);
        for (int32_t i = 0; i < s->nx; ++i) y[nq + nv + i] += h * all[i];
    }
    const double *from[2] = {p.bar, p.column};
    double *to[1] = {p.dq};
    s->turn.unit->evaluate(s->turn.c, from, to);
    for (int32_t i = 0; i < nq; ++i) y[i] += h * p.dq[i];
    for (int32_t k = 0; k < nv; ++k) v[k] = p.w[k];
    return TW_DONE;
}

int32_t tw_moreau(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                  double *all)
{
    const tw_constraints *loops = s->constraints;
    if (!s->contacts || !loops) return TW_BAD_CALL;
    const int64_t size = tw_state_size(s);
    const int32_t m = all_rows(s), n = m + loops->driven + loops->locked;
    work p;
    lay_out(s, all + 4 * size + tw_constraint_space(s) + tw_rosenbrock_space(s), &p);
    for (int64_t k = 0; k < size; ++k) p.y0[k] = y[k];
    for (int32_t j = 0; j < m; ++j) p.before[j] = memory->impulse[j];
    double done[2], now[2], sum[2];
    int32_t ended = once(s, memory, t, h, y, in, all, done);
    if (ended) return ended;
    double best = memory->contact_residual;
    for (int32_t j = 0; j < n; ++j) p.total[j] = j < m ? memory->impulse[j] : memory->drive_impulse[j - m];
    /* where the problem was left unsolved, over the step again in 2, 4, ... shorter ones; the nearest counts */
    for (int32_t parts = 2; parts <= FINEST && !(best <= UNSOLVED * memory->contact_tolerance); parts *= 2) {
        const double part = h / parts;
        double worst = 0.0;
        sum[0] = sum[1] = 0.0;
        for (int64_t k = 0; k < size; ++k) p.y1[k] = p.y0[k];
        for (int32_t j = 0; j < m; ++j) memory->impulse[j] = p.before[j] / parts;
        for (int32_t j = 0; j < n; ++j) p.sum[j] = 0.0;
        for (int32_t i = 0; i < parts; ++i) {
            ended = once(s, memory, t + i * part, part, p.y1, in, all, now);
            if (ended) return ended;
            sum[0] += now[0];
            sum[1] += now[1];
            tw_normalise(s, p.y1);
            if (!(memory->contact_residual <= worst)) worst = memory->contact_residual;
            for (int32_t j = 0; j < n; ++j) p.sum[j] += j < m ? memory->impulse[j] : memory->drive_impulse[j - m];
        }
        if (!(worst <= best)) continue;
        best = worst;
        done[0] = sum[0];
        done[1] = sum[1];
        for (int64_t k = 0; k < size; ++k) y[k] = p.y1[k];
        for (int32_t j = 0; j < n; ++j) p.total[j] = p.sum[j];
    }
    memory->contact_residual = best;
    memory->contact_work += done[0];
    memory->drive_work += done[1];
    for (int32_t j = 0; j < m; ++j) memory->impulse[j] = p.total[j];
    for (int32_t j = m; j < n; ++j) memory->drive_impulse[j - m] = p.total[j];
    if (memory->impulse_sum)
        for (int32_t j = 0; j < n; ++j) memory->impulse_sum[j] += p.total[j];
    return TW_DONE;
}

/* mean forces since the last row, and start again */
void tw_record_forces(const tw_system *s, tw_memory *memory, double time)
{
    const int32_t n = all_rows(s) + s->constraints->driven + s->constraints->locked;
    for (int32_t j = 0; j < n; ++j) {
        *memory->force_record++ = memory->impulse_sum[j] / time;
        memory->impulse_sum[j] = 0.0;
    }
    *memory->force_record++ = memory->contact_work;
    *memory->force_record++ = memory->drive_work;
}
