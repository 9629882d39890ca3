/* moreau_lanes_end.h: closes a unit that carries several copies of one mechanism: the step of moreau.c in lanes.
 *
 * The method is that of moreau.c, with masks instead of branches: every lane has its own Newton steps and its own line
 * search; a lane that is done is left as it is while others go on. No lane sees another. */

/* as in moreau.c */
#define SOFT 1e-6
#define MOST_ITERATIONS 80
#define SWEEPS 30
#define PATIENCE 8
#define TRIES 5
#define TOUCHING 1e-12
#define UNSOLVED 1e3
#define FINEST 32

#define EACH(i, n) for (int i = 0; i < (n); ++i)

/* x where m, else y, in place */
#define PUT(m, y, x) ((y) = tw_select(m, x, y))

/* the size of a positive x with the sign of y */
TW_INLINE tw_real signed_by(tw_real x, tw_real y) { return (tw_real)((tw_bits_)x | ((tw_bits_)y & TW_SIGN_)); }

TW_INLINE tw_real larger(tw_real x, tw_real worst) { return tw_select(tw_le(x, worst), worst, x); }

/* normal impulses of felts and their slopes at the present w, in the lanes of `going`; the others keep theirs */
static void press(work *p, double h, double theta, tw_mask going)
{
    const tw_real zero = tw_set1(0.0), one = tw_set1(1.0);
#define PRESS(i)                                                                                             \
    {                                                                                                        \
        const tw_real depth = -(p->gap[i] + (theta * theta * h) * (p->gw[i] - p->gv[i]));                    \
        tw_mask on = tw_and(tw_gt(depth, zero), going);                                                      \
        tw_real force = zero, slope = zero;                                                                  \
        if (tw_any(on)) { /* powers are dear: none where nothing touches */                                  \
            const tw_real rate = -((1.0 - theta) * p->gv[i] + theta * p->gw[i]);                             \
            tw_real by_depth, by_rate;                                                                       \
            law_##i(p->c, tw_select(on, depth, one), rate, &force, &by_depth, &by_rate);                     \
            on = tw_and(on, tw_gt(force, zero));                                                             \
            force = tw_select(on, h * force, zero);                                                          \
            slope = tw_select(on, (h * theta) * ((theta * h) * by_depth + by_rate), zero);                   \
        }                                                                                                    \
        PUT(going, p->trial[i], force);                                                                      \
        PUT(going, p->stiff[i], slope);                                                                      \
    }
    LAWS(PRESS)
#undef PRESS
}

/* trial values of set-valued impulses, projected, and whether they are held; the largest change */
static tw_real project(work *p, double h)
{
    const tw_real zero = tw_set1(0.0), one = tw_set1(1.0);
    tw_real worst = zero;
/* squares, so that no row needs a root */
#define CHANGE(j)                                                                                            \
    {                                                                                                        \
        const tw_real change = p->trial[j] - p->p[j];                                                        \
        worst = larger(change * change * p->soft[j], worst);                                                 \
    }
#define CLOSE(i)                                                                                             \
    {                                                                                                        \
        const tw_real x = p->p[i] - (p->gw[i] - p->target[i]) * p->hard[i];                                  \
        p->held[i] = tw_and(tw_le(p->gap[i], tw_set1(TOUCHING)), tw_gt(x, zero));                            \
        p->trial[i] = tw_select(p->held[i], x, zero);                                                        \
        CHANGE(i)                                                                                            \
    }
    RIGID(CLOSE)
#undef CLOSE
#define SLIDE(i, first, last)                                                                                \
    {                                                                                                        \
        const tw_real radius = p->friction[i] * p->trial[i];                                                 \
        tw_real size = zero;                                                                                 \
        for (int j = first; j < last; ++j) {                                                                 \
            p->trial[j] = p->p[j] - p->gw[j] * p->hard[j];                                                   \
            size = size + p->trial[j] * p->trial[j];                                                         \
        }                                                                                                    \
        size = last - first == 1 ? tw_abs(p->trial[first]) : tw_sqrt(size);                                  \
        const tw_mask held = tw_le(size, radius);                                                            \
        const tw_real over = 1.0 / tw_select(tw_gt(size, zero), size, one);                                  \
        if (last - first == 2) p->turn[i] = tw_select(held, zero, radius * over);                            \
        for (int j = first; j < last; ++j) {                                                                 \
            p->held[j] = held;                                                                               \
            p->slope[j] = last - first == 1 ? signed_by(one, p->trial[j]) : p->trial[j] * over;              \
            p->trial[j] = tw_select(held, p->trial[j], radius * p->slope[j]);                                \
            CHANGE(j)                                                                                        \
        }                                                                                                    \
    }
    SLIDES(SLIDE)
#undef SLIDE
    EACH(i, DRY) {
        const int j = FIRST_DRY + i;
        const tw_real x = p->p[j] - p->gw[j] * p->hard[j], radius = h * p->dry[i];
        p->held[j] = tw_le(tw_abs(x), radius);
        p->trial[j] = tw_select(p->held[j], x, signed_by(radius, x));
        CHANGE(j)
    }
#undef CHANGE
    return worst;
}

/* how far (w, p) is from a solution [sqrt J], with G w at hand, in the lanes of `going`; leaves trial values, held rows
 * and slopes behind */
static tw_real miss(work *p, double h, double theta, tw_mask going)
{
    press(p, h, theta, going);
    tw_real worst = project(p, h);
    inertia(p);
    EACH(k, NV) p->moved[k] = p->moved[k] + h * p->push[k];
    EACH(k, NV) p->right[k] = p->moved[k];
    push_back(p, p->trial, p->right);
    EACH(k, NV) if (!fixed[k]) worst = larger(p->right[k] * p->right[k] * p->light[k], worst);
    return tw_sqrt(worst);
}

/* a Newton step from (w, p): the impulses at its end into p->to, minus the change of w into x and of G w into gx */
static void newton(work *p, tw_real *x, tw_real *gx)
{
    const tw_real zero = tw_set1(0.0);
    tw_real weight[ROWS + 1], follow[ROWS + 1], rest[CONTACTS + 1], side[CONTACTS + 1], *value = p->to;
#define COMPLIANT(i)                                                                                         \
    {                                                                                                        \
        weight[i] = p->stiff[i];                                                                             \
        value[i] = p->trial[i];                                                                              \
    }
    LAWS(COMPLIANT)
#undef COMPLIANT
#define HELD(j, wanted)                                                                                      \
    {                                                                                                        \
        weight[j] = tw_select(p->held[j], (1.0 / SOFT) * p->hard[j], zero);                                  \
        value[j] = tw_select(p->held[j], p->p[j] - (p->gw[j] - wanted) * weight[j], p->trial[j]);            \
    }
#define HELD_CLOSED(i) HELD(i, p->target[i])
    RIGID(HELD_CLOSED)
#undef HELD_CLOSED
    for (int j = CONTACTS; j < ROWS; ++j) HELD(j, zero)
#undef HELD
#define FOLLOW(i, first, last)                                                                               \
    for (int j = first; j < last; ++j) {                                                                     \
        const tw_real by = tw_select(p->held[j], zero, p->friction[i] * p->slope[j]);                        \
        value[j] = tw_select(p->held[j], value[j], by * value[i]);                                           \
        follow[j] = by * weight[i];                                                                          \
    }
    SLIDES(FOLLOW)
#undef FOLLOW
    /* In space friction turns with the sliding: s = radius x/|x| with x = s - T w/ε; across the direction e of x,
       ds (1 - radius/|x|) = -s - radius/|x| T dw/ε. */
#define ACROSS(i, first, last)                                                                               \
    if (last - first == 2) {                                                                                 \
        const tw_real *e = p->slope + first, left = larger(1.0 - p->turn[i], tw_set1(SOFT));                 \
        const tw_mask on = tw_gt(p->turn[i], zero);                                                          \
        const tw_real part = tw_select(on, p->turn[i] / left, zero);                                         \
        rest[i] = (e[1] * p->p[first] - e[0] * p->p[last - 1]) * part;                                       \
        side[i] = part * p->hard[first];                                                                     \
        value[first] = value[first] - e[1] * rest[i];                                                        \
        value[last - 1] = value[last - 1] + e[0] * rest[i];                                                  \
    }
    SLIDES(ACROSS)
#undef ACROSS
    EACH(k, NV) x[k] = p->moved[k];
    push_back(p, value, x);
    solve(p, weight, follow, side, x);
    along(p, x, gx);
    EACH(j, ROWS) value[j] = value[j] + weight[j] * gx[j];
#define FOLLOW(i, first, last)                                                                               \
    for (int j = first; j < last; ++j)                                                                       \
        value[j] = tw_select(p->held[j], value[j],                                                           \
                             tw_select(tw_gt(value[i], zero), p->friction[i] * p->slope[j] * value[i], zero));
    SLIDES(FOLLOW)
#undef FOLLOW
#define ACROSS(i, first, last)                                                                               \
    if (last - first == 2) {                                                                                 \
        const tw_real *e = p->slope + first;                                                                 \
        const tw_real now = rest[i] + side[i] * (e[0] * gx[last - 1] - e[1] * gx[first]);                    \
        value[first] = value[first] - e[1] * now;                                                            \
        value[last - 1] = value[last - 1] + e[0] * now;                                                      \
    }
    SLIDES(ACROSS)
#undef ACROSS
}

/* everything that stays the same within a step */
static void prepare_step(work *p, double t, double h, double theta, const tw_real *y, const tw_real *u)
{
    const tw_real *v = y + NQ, mid = tw_set1(t + theta * h);
    turn(p->c, y, v, p->dq);
    EACH(i, NQ) p->bar[i] = y[i] + theta * h * p->dq[i];
    normalise(p->bar);
    middle(p->c, p->bar, v, v + NV, u, mid, p);
    make_base(p, h, theta);
    soften(p);
    /* the directions in which one contact slides share theirs: friction is a disc, opposite to the sliding */
#define SHARE(i, first, last)                                                                                \
    if (last - first == 2) {                                                                                 \
        p->soft[first] = larger(p->soft[first], p->soft[last - 1]);                                          \
        p->soft[last - 1] = p->soft[first];                                                                  \
    }
    SLIDES(SHARE)
#undef SHARE
    EACH(j, ROWS) {
        p->soft[j] = p->soft[j] + 1e-300;
        p->hard[j] = 1.0 / p->soft[j];
    }
    EACH(k, NV) p->light[k] = 1.0 / p->mass[diagonal[k]];
    along(p, v, p->gv);
#define TARGET(i) p->target[i] = -p->restitution[i] * p->gv[i];                                              \
    p->target[i] = tw_select(tw_lt(p->target[i], tw_set1(0.0)), tw_set1(0.0), p->target[i]);
    RIGID(TARGET)
#undef TARGET
}

/* the lanes of `going` go on with a line search, at first trusting full steps, until `limit` looks: rare */
static TW_NOINLINE TW_COLD tw_real search(work *p, double h, double theta, double tolerance, tw_mask going,
                                          tw_real worst, double limit, tw_real trusted, tw_real *looks)
{
    const tw_real one = tw_set1(1.0), none = tw_set1(1e300);
    tw_real w0[NV + 1], gw0[ROWS + 1], p0[ROWS + 1], dw[NV + 1], gdw[ROWS + 1], dp[ROWS + 1], x[NV + 1], gx[ROWS + 1];
    tw_real count = *looks, part = one, best = none, best_part = one, tries = one;
    tw_mask start = going, back = tw_lt(one, one);
    for (int round = 0; round < 2 * MOST_ITERATIONS && tw_any(going); ++round) {
        if (tw_any(start)) {
            newton(p, x, gx);
            EACH(k, NV) {
                PUT(start, w0[k], p->w[k]);
                PUT(start, dw[k], -x[k]);
            }
            EACH(j, ROWS) {
                PUT(start, p0[j], p->p[j]);
                PUT(start, gw0[j], p->gw[j]);
                PUT(start, gdw[j], -gx[j]);
                PUT(start, dp[j], p->to[j] - p->p[j]);
            }
            PUT(start, part, one);
            PUT(start, best_part, one);
            PUT(start, best, none);
            PUT(start, tries, tw_set1(0.0));
        }
        EACH(k, NV) PUT(going, p->w[k], w0[k] + part * dw[k]);
        EACH(j, ROWS) {
            PUT(going, p->p[j], p0[j] + part * dp[j]);
            PUT(going, p->gw[j], gw0[j] + part * gdw[j]);
        }
        const tw_real now = miss(p, h, theta, going);
        PUT(tw_and(going, tw_not(back)), count, count + one);
        const tw_mask better = tw_lt(now, best);
        PUT(tw_or(better, back), best, now);
        PUT(better, best_part, part);
        const tw_mask full = tw_and(tw_eq(tries, tw_set1(0.0)), tw_lt(count, trusted));
        const tw_mask enough = tw_or(tw_or(tw_lt(now, (1.0 - 0.1 * part) * worst), full),
                                     tw_or(tw_or(tw_ge(tries, tw_set1(TRIES)), tw_ge(count, tw_set1(limit))), back));
        const tw_mask here = tw_or(tw_eq(best_part, part), back);
        start = tw_and(going, tw_and(enough, here));
        back = tw_and(going, tw_and(enough, tw_not(here))); /* once more, where it was best */
        PUT(start, worst, best);
        going = tw_and(going, tw_not(tw_and(start, tw_or(tw_le(worst, tw_set1(tolerance)),
                                                         tw_ge(count, tw_set1(limit))))));
        start = tw_and(start, going);
        PUT(back, part, best_part);
        const tw_mask shorter = tw_and(going, tw_not(tw_or(start, back)));
        PUT(shorter, part, 0.4 * part);
        PUT(shorter, tries, tries + one);
    }
    *looks = count;
    return worst;
}

/* take everything that is closed as sticking, in the lanes of `on` */
static void hold_all(work *p, tw_mask on)
{
    const tw_real zero = tw_set1(0.0);
#define HOLD(j, which) p->held[j] = tw_or(tw_and(on, which), tw_and(tw_not(on), p->held[j]));
#define CLOSED(i) HOLD(i, tw_le(p->gap[i], tw_set1(TOUCHING)))
    RIGID(CLOSED)
#undef CLOSED
#define STICK(i, first, last)                                                                                \
    {                                                                                                        \
        const tw_mask closed = compliant[i] ? tw_gt(p->trial[i], zero) : tw_le(p->gap[i], tw_set1(TOUCHING)); \
        for (int j = first; j < last; ++j) HOLD(j, tw_and(closed, tw_gt(p->friction[i], zero)))              \
        if (last - first == 2) p->turn[i] = tw_select(on, zero, p->turn[i]);                                 \
    }
    SLIDES(STICK)
#undef STICK
    EACH(i, DRY) HOLD(FIRST_DRY + i, on)
#undef HOLD
}

/* what every impulse does to w, and to the speeds along all rows, with felts as they are now */
static void respond(work *p, const tw_real *weight, const tw_real *none, tw_real (*answer)[NV + 1],
                    tw_real (*spread)[ROWS + 1])
{
    tw_real unit[ROWS + 1];
    EACH(j, ROWS) unit[j] = tw_set1(0.0);
    EACH(j, ROWS) {
        EACH(k, NV) answer[j][k] = tw_set1(0.0);
        unit[j] = tw_set1(-1.0);
        push_back(p, unit, answer[j]);
        unit[j] = tw_set1(0.0);
        solve(p, weight, none, none, answer[j]);
        along(p, answer[j], spread[j]);
    }
}

/* One impulse after the other, each as its law wants it, over and over, in the lanes of `on`: slow, but not in circles.
 * Rare. */
static TW_NOINLINE TW_COLD void settle(work *p, double h, double tolerance, tw_mask on)
{
    const tw_real zero = tw_set1(0.0), one = tw_set1(1.0);
    tw_real answer[ROWS + 1][NV + 1], spread[ROWS + 1][ROWS + 1], give[ROWS + 1], weight[ROWS + 1], none[ROWS + 1];
    tw_real value[ROWS + 1], w[NV + 1], gw[ROWS + 1], change = tw_set1(1e300);
    EACH(j, ROWS) {
        weight[j] = none[j] = zero;
        value[j] = p->p[j];
    }
#define FELT(i)                                                                                              \
    weight[i] = p->stiff[i];                                                                                 \
    value[i] = p->trial[i];
    LAWS(FELT)
#undef FELT
    EACH(k, NV) w[k] = p->moved[k];
    push_back(p, value, w);
    solve(p, weight, none, none, w);
    EACH(k, NV) w[k] = p->w[k] - w[k];
    along(p, w, gw);
    respond(p, weight, none, answer, spread);
    EACH(j, ROWS) {
        value[j] = p->p[j];
        give[j] = spread[j][j] + 1e-300;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        const tw_mask active = tw_and(on, tw_gt(change, tw_set1(tolerance)));
        if (!tw_any(active)) break;
        change = tw_select(active, zero, change);
/* change an impulse, and w with it */
#define SHIFT(j, x)                                                                                          \
    {                                                                                                        \
        const tw_real by = tw_select(active, (x) - value[j], zero);                                          \
        EACH(k, NV) w[k] = w[k] + by * answer[j][k];                                                         \
        EACH(l, ROWS) gw[l] = gw[l] + by * spread[j][l];                                                     \
        value[j] = value[j] + by;                                                                            \
        change = change + tw_abs(by) * tw_sqrt(give[j]);                                                     \
    }
#define CLOSE(i)                                                                                             \
    {                                                                                                        \
        const tw_real x = value[i] - (gw[i] - p->target[i]) / give[i];                                       \
        SHIFT(i, tw_select(tw_and(tw_le(p->gap[i], tw_set1(TOUCHING)), tw_gt(x, zero)), x, zero))            \
    }
        RIGID(CLOSE)
#undef CLOSE
#define SLIDE(i, first, last)                                                                                \
    {                                                                                                        \
        const tw_real normal = compliant[i] ? p->trial[i] - p->stiff[i] * (gw[i] - p->gw[i]) : value[i];     \
        const tw_real radius = tw_select(tw_gt(normal, zero), p->friction[i] * normal, zero);                \
        tw_real most = zero, size = zero, x[2];                                                              \
        for (int j = first; j < last; ++j) most = larger(give[j], most);                                     \
        for (int j = first; j < last; ++j) {                                                                 \
            x[j - first] = value[j] - gw[j] / most;                                                          \
            size = size + x[j - first] * x[j - first];                                                       \
        }                                                                                                    \
        const tw_mask over = tw_gt(size, radius * radius);                                                   \
        const tw_real part = tw_select(over, radius / tw_sqrt(tw_select(over, size, one)), one);             \
        for (int j = first; j < last; ++j) SHIFT(j, part * x[j - first])                                     \
    }
        SLIDES(SLIDE)
#undef SLIDE
        EACH(i, DRY) {
            const int j = FIRST_DRY + i;
            const tw_real x = value[j] - gw[j] / give[j], radius = h * p->dry[i];
            SHIFT(j, tw_select(tw_gt(tw_abs(x), radius), signed_by(radius, x), x))
        }
#undef SHIFT
    }
    EACH(k, NV) PUT(on, p->w[k], w[k]);
    EACH(j, ROWS) PUT(on, p->p[j], value[j]);
    along(p, p->w, p->gw);
}

/* what moreau.c does where the impulses of the step before lead nowhere: lanes that have not arrived start again from
 * where sweeps over the impulses lead, from all that is closed sticking, and from no impulses at all; rare */
static TW_NOINLINE TW_COLD tw_real start_again(work *p, double h, double theta, double tolerance, tw_real worst,
                                               tw_real *looks)
{
    static const double limit[4] = {0, MOST_ITERATIONS / 2, 3 * MOST_ITERATIONS / 4, MOST_ITERATIONS};
    tw_real w1[NV + 1], p1[ROWS + 1];
    for (int again = 1; again < 4; ++again) {
        const tw_mask going = tw_not(tw_le(worst, tw_set1(tolerance)));
        if (!tw_any(going)) break;
        const tw_real before = worst;
        EACH(k, NV) w1[k] = p->w[k];
        EACH(j, ROWS) p1[j] = p->p[j];
        if (again == 1)
            settle(p, h, tolerance, going);
        else
            EACH(j, ROWS) PUT(going, p->p[j], tw_set1(0.0));
        PUT(going, worst, miss(p, h, theta, going));
        if (again == 2) {
            hold_all(p, going);
            PUT(going, worst, tw_set1(1e300)); /* whatever that step leads to */
        }
        const tw_mask left = tw_and(going, tw_not(tw_le(worst, tw_set1(tolerance))));
        worst = search(p, h, theta, tolerance, left, worst, limit[again], *looks + PATIENCE, looks);
        const tw_mask bad = tw_and(going, tw_not(tw_le(worst, before)));
        if (!tw_any(bad)) continue;
        EACH(k, NV) PUT(bad, p->w[k], w1[k]);
        EACH(j, ROWS) PUT(bad, p->p[j], p1[j]);
        along(p, p->w, p->gw);
        PUT(bad, worst, miss(p, h, theta, bad));
    }
    return worst;
}

/* w and the impulses from where p->w and p->p are; how far from a solution, and the looks that took */
static tw_real find(work *p, double h, double theta, double tolerance, tw_real *looks)
{
    const tw_real one = tw_set1(1.0);
    along(p, p->w, p->gw);
    tw_real worst = miss(p, h, theta, tw_eq(one, one)), count = one;
    tw_mask going = tw_not(tw_le(worst, tw_set1(tolerance)));
    /* full steps are trusted for a while */
    for (int look = 1; look < PATIENCE && tw_any(going); ++look) {
        tw_real x[NV + 1], gx[ROWS + 1];
        newton(p, x, gx);
        EACH(k, NV) PUT(going, p->w[k], p->w[k] - x[k]);
        EACH(j, ROWS) PUT(going, p->gw[j], p->gw[j] - gx[j]);
        /* the impulse of a felt follows from w */
#define TAKE(i) PUT(going, p->p[i], p->to[i]);
        RIGID(TAKE)
#undef TAKE
        for (int j = CONTACTS; j < ROWS; ++j) PUT(going, p->p[j], p->to[j]);
        PUT(going, worst, miss(p, h, theta, going));
        PUT(going, count, count + one);
        going = tw_and(going, tw_not(tw_le(worst, tw_set1(tolerance))));
    }
    *looks = count;
    if (TW_UNLIKELY(tw_any(going))) {
        worst = search(p, h, theta, tolerance, going, worst, MOST_ITERATIONS / 8, one, looks);
        worst = start_again(p, h, theta, tolerance, worst, looks);
    }
    return worst;
}

/* one step of one block, in place on y and on the impulses of the step before */
static void step(work *p, double t, double h, double theta, double tolerance, tw_real *y, tw_real *impulse,
                 const tw_real *middle_u, const tw_real *end_u, tw_real *residual, tw_real *looks)
{
    tw_real *v = y + NQ, *x = v + NV, drive_q[DRIVEN + 1], drive_v[DRIVEN + 1];
    prepare_step(p, t, h, theta, y, middle_u);
    EACH(k, NV) {
        p->v[k] = v[k];
        p->w[k] = v[k];
    }
    drives(p->c, end_u, tw_set1(t + h), drive_q, drive_v);
    EACH(k, DRIVEN) p->w[driven_speed[k]] = drive_v[k];
    EACH(j, ROWS) p->p[j] = impulse[j];
    *residual = find(p, h, theta, tolerance, looks);
    /* a joint that sticks stands still, to the last digit */
    EACH(i, DRY) {
        const tw_mask sticks = tw_and(p->held[FIRST_DRY + i], tw_gt(p->dry[i], tw_set1(0.0)));
        PUT(tw_and(sticks, tw_le(*residual, tw_set1(tolerance))), p->w[dry_speed[i]], tw_set1(0.0));
    }
    EACH(j, ROWS) impulse[j] = p->trial[j];
    EACH(k, DRIVEN) impulse[ROWS + k] = p->right[driven_speed[k]];
    tw_real mean[NV + 1];
    EACH(k, NV) mean[k] = (1.0 - theta) * v[k] + theta * p->w[k];
    if (NX) {
        tw_real rate[NX + 1];
        lags(p->c, p->bar, mean, x, middle_u, tw_set1(t + theta * h), rate);
        EACH(i, NX) x[i] = x[i] + h * rate[i];
    }
    turn(p->c, p->bar, mean, p->dq);
    EACH(i, NQ) y[i] = y[i] + h * p->dq[i];
    EACH(k, NV) v[k] = p->w[k];
    normalise(y);
    EACH(k, DRIVEN) {
        y[driven_coordinate[k]] = drive_q[k];
        v[driven_speed[k]] = drive_v[k];
    }
}

/* Lanes whose problem was left unsolved go over the step again in 2, 4, ... shorter ones, as moreau.c does: rare. y and
 * impulse hold what the whole step gave, y0 and impulse0 what there was before it. */
static TW_NOINLINE TW_COLD void split(work *p, double t, double h, double theta, double tolerance, const tw_real *y0,
                                      const tw_real *impulse0, tw_real *y, tw_real *impulse, const tw_real *middle_u,
                                      const tw_real *end_u, tw_mask on, tw_real *residual, tw_real *looks)
{
    enum { SIZE = NQ + NV + NX, FORCES = ROWS + DRIVEN };
    for (int parts = 2; parts <= FINEST && tw_any(on); parts *= 2) {
        const double part = h / parts;
        tw_real z[SIZE + 1], push[FORCES + 1], sum[FORCES + 1], worst = tw_set1(0.0), took, miss_now;
        EACH(k, SIZE) z[k] = y0[k];
        EACH(j, FORCES) {
            push[j] = impulse0[j] * (1.0 / parts);
            sum[j] = tw_set1(0.0);
        }
        EACH(i, parts) {
            step(p, t + i * part, part, theta, tolerance, z, push, middle_u, end_u, &miss_now, &took);
            worst = larger(miss_now, worst);
            PUT(on, *looks, larger(took, *looks));
            EACH(j, FORCES) sum[j] = sum[j] + push[j];
        }
        /* the nearest so far */
        const tw_mask better = tw_and(on, tw_le(worst, *residual));
        EACH(k, SIZE) PUT(better, y[k], z[k]);
        EACH(j, FORCES) PUT(better, impulse[j], sum[j]);
        PUT(better, *residual, worst);
        on = tw_and(on, tw_not(tw_le(*residual, tw_set1(UNSOLVED * tolerance))));
    }
}

/* one row of inputs, copy by copy, into lanes; beyond the last copy it is repeated */
static void take_inputs(tw_real *to, const double *u, int64_t first, int64_t copies)
{
    EACH(l, TW_LANES) {
        const double *from = u + (first + l < copies ? first + l : copies - 1) * NU;
        EACH(i, NU) ((double *)(to + i))[l] = from[i];
    }
}

static int all_finite(const tw_real *y)
{
    tw_real sum = tw_set1(0.0);
    EACH(i, NQ + NV + NX) sum = sum + (y[i] - y[i]);
    return tw_all(tw_eq(sum, tw_set1(0.0)));
}

static void set_table(const double *p, double *c)
{
    prepare_all((const tw_real *)p, (tw_real *)c);
}

static int32_t run(const tw_copies *s, double t, double h, int64_t n, const double *u, int32_t u_per_step,
                   int64_t every, double *record, double *force_record)
{
    enum { SIZE = NQ + NV + NX, FORCES = ROWS + DRIVEN };
    int32_t ended = 0;
    work p;
    tw_real middle_u[NU + 1], end_u[NU + 1], y0[SIZE + 1], impulse0[FORCES + 1], residual, looks;
    for (int64_t b = 0; b < s->blocks; ++b) {
        tw_real *y = (tw_real *)s->y + b * SIZE, *impulse = (tw_real *)s->impulse + b * (FORCES + 1);
        tw_real *told = (tw_real *)s->told + b * 4, sum[FORCES + 1];
        p.c = (const tw_real *)s->c + b * (SLOTS + 1);
        EACH(j, FORCES) sum[j] = tw_set1(0.0);
        int64_t row = 0, until = every;
        for (int64_t i = 0; i < n; ++i) {
            const double *here = u + i * u_per_step * s->copies * NU, *next = here + (u_per_step == 2) * s->copies * NU;
            if (i == 0 || u_per_step) {
                take_inputs(middle_u, next, b * TW_LANES, s->copies);
                take_inputs(end_u, next + (u_per_step == 2) * s->copies * NU, b * TW_LANES, s->copies);
            }
            EACH(k, SIZE) y0[k] = y[k];
            EACH(j, FORCES) impulse0[j] = impulse[j];
            step(&p, t + (double)i * h, h, s->theta, s->tolerance, y, impulse, middle_u, end_u, &residual, &looks);
            const tw_mask missed = tw_not(tw_le(residual, tw_set1(UNSOLVED * s->tolerance)));
            if (TW_UNLIKELY(tw_any(missed)))
                split(&p, t + (double)i * h, h, s->theta, s->tolerance, y0, impulse0, y, impulse, middle_u, end_u, missed,
                      &residual, &looks);
            told[0] = residual;
            told[1] = looks;
            told[2] = larger(looks, told[2]);
            told[3] = larger(residual, told[3]);
            if (!all_finite(y)) {
                ended = 1;
                break;
            }
            if (!s->recorded) continue;
            EACH(j, FORCES) sum[j] = sum[j] + impulse[j];
            if (--until) continue;
            until = every;
            for (int64_t r = 0; r < s->recorded; ++r) {
                const int64_t l = s->record_copy[r] - b * TW_LANES;
                if (l < 0 || l >= TW_LANES) continue;
                double *to = record + (row * s->recorded + r) * SIZE;
                double *forces = force_record + (row * s->recorded + r) * FORCES;
                EACH(k, SIZE) to[k] = ((const double *)(y + k))[l];
                EACH(j, FORCES) forces[j] = ((const double *)(sum + j))[l] / ((double)every * h);
            }
            EACH(j, FORCES) sum[j] = tw_set1(0.0);
            ++row;
        }
    }
    return ended;
}

#if defined(_WIN32)
#define TW_EXPORT __declspec(dllexport)
#else
#define TW_EXPORT __attribute__((visibility("default")))
#endif

TW_EXPORT const tw_ensemble tw_ensemble_table = {
    TW_ENSEMBLE_ABI, TW_LANES, NQ, NV, NX, NU, ROWS, DRIVEN, PARAMETERS, SLOTS, set_table, run,
};
