/* hybrid.c: motion through several modes, with every transition located inside its step.
 *
 * A guard is positive while its mode is valid. It is armed once it has been positive in this stay in the mode, so that
 * one that starts at zero does not fire by rounding. Where an armed guard has fallen through zero over a step, the root
 * is bracketed on the cubic through both ends of the step (values and rates), then polished by steps that end there;
 * the rest of the step runs in the next mode. The work of a step is bounded by most_events. */
#include "tw_core.h"

/* evaluations of the guard on the continuous extension, and steps to polish the root */
#define MOST_LOOKS 40
#define MOST_POLISH 16
/* halvings in the search for a guard that rises from zero and falls again within one step */
#define MOST_HALVINGS 24

/* transitions at one instant, to and fro, after which a step goes on without looking at guards */
#define CHATTER 4

typedef struct run {
    const tw_hybrid *hybrid;
    int32_t mode;
    int32_t method;
    double *y, *start, *rate0, *rate1, *end, *trial, *aside, *q2, *normal, *force, *inputs, *space;
    const double *row[3]; /* inputs at the start, middle and end of the whole step */
    double t0, h;         /* the whole step */
} run;

static const tw_system *system_of(const run *r) { return r->hybrid->system[r->mode]; }
static tw_memory *memory_of(const run *r) { return r->hybrid->memory[r->mode]; }

/* position, velocity and acceleration of a drive a part s of the step along: the quintic through both ends, so that
 * each is the rate of the one before; else a driven body would part from what it carries */
static void drive_at(const double *start, const double *end, double s, double h, double *out)
{
    const double q0 = start[0], v0 = start[1] * h, a0 = start[2] * h * h;
    const double d = end[0] - q0 - v0 - 0.5 * a0, e = end[1] * h - v0 - a0, f = end[2] * h * h - a0;
    const double c3 = 10.0 * d - 4.0 * e + 0.5 * f, c4 = -15.0 * d + 7.0 * e - f, c5 = 6.0 * d - 3.0 * e + 0.5 * f;
    out[0] = q0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))));
    out[1] = (v0 + s * (a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h;
    out[2] = (a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (h * h);
}

/* inputs at a moment within the step: the parabola through the three rows, or the held row */
static const double *inputs_at(const run *r, double t, double *out)
{
    if (r->row[0] == r->row[2]) return r->row[0];
    const double s = (t - r->t0) / r->h;
    const double a = (1.0 - s) * (1.0 - 2.0 * s), b = 4.0 * s * (1.0 - s), c = s * (2.0 * s - 1.0);
    for (int32_t k = 0; k < system_of(r)->nu; ++k) out[k] = a * r->row[0][k] + b * r->row[1][k] + c * r->row[2][k];
    for (int32_t k = 0; k < r->hybrid->live; ++k) {
        const int32_t i = r->hybrid->live_input[k];
        drive_at(r->row[0] + i, r->row[2] + i, s, r->h, out + i);
    }
    return out;
}

/* a step of length tau from r->start (at time t) to z */
static int32_t step(run *r, double t, double tau, double *z)
{
    const tw_system *s = system_of(r);
    const int64_t n = tw_state_size(s);
    for (int64_t k = 0; k < n; ++k) z[k] = r->start[k];
    if (!(tau > 0.0)) return TW_DONE;
    tw_inputs in;
    for (int i = 0; i < 3; ++i) in.row[i] = inputs_at(r, t + 0.5 * i * tau, r->inputs + i * (s->nu + 1));
    return tw_step(s, memory_of(r), r->method, t, tau, z, &in, r->space);
}

/* rates (and forces) at a state */
static int32_t rates(run *r, double t, double *z, double *dz, double *force)
{
    const tw_system *s = system_of(r);
    return tw_rates(s, memory_of(r), t, z, inputs_at(r, t, r->inputs), 0, dz, force, r->space + 4 * tw_state_size(s));
}

static double guard(run *r, const tw_transition *way, double t, double *z)
{
    const tw_system *s = system_of(r);
    double g = 0.0;
    if (way->needs_force && rates(r, t, z, r->q2, r->force)) return -1.0;
    const double *in[6] = {z, z + s->nq, z + s->nq + s->nv, inputs_at(r, t, r->inputs), &t, r->force};
    double *out[1] = {&g};
    way->guard.unit->evaluate(way->guard.c, in, out);
    return g;
}

/* the state a part of the way along the cubic through start and end */
static void along(const run *r, double tau, double part, double *z)
{
    const int64_t n = tw_state_size(system_of(r));
    const double s = part, a = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), b = s * (1.0 - s) * (1.0 - s) * tau,
                 c = s * s * (3.0 - 2.0 * s), d = s * s * (s - 1.0) * tau;
    for (int64_t k = 0; k < n; ++k) z[k] = a * r->start[k] + b * r->rate0[k] + c * r->end[k] + d * r->rate1[k];
    tw_normalise(system_of(r), z);
}

/* the moment (from t) at which the guard falls through zero between low (positive) and high (not), in r->trial */
static int32_t locate(run *r, const tw_transition *way, double t, double whole, double low, double high, double g_low,
                      double g_high, double guess, double *found)
{
    const double tolerance = r->hybrid->tolerance;
    double a = low, b = high, fa = g_low, fb = g_high;
    double x = guess > a && guess < b ? guess : a + (b - a) * fa / (fa - fb);
    int side = 0;
    /* on the continuous extension: false position (Illinois) */
    for (int i = 0; i < MOST_LOOKS && b - a > 0.01 * tolerance; ++i) {
        along(r, whole, x / whole, r->trial);
        const double g = guard(r, way, t + x, r->trial);
        if (g > 0.0) {
            a = x;
            fa = g;
            if (side == 1) fb *= 0.5;
            side = 1;
        } else {
            b = x;
            fb = g;
            if (side == -1) fa *= 0.5;
            side = -1;
        }
        const double next = a + (b - a) * fa / (fa - fb);
        if (!(tw_size(next - x) > 0.1 * tolerance)) break;
        x = next;
    }
    /* by steps that end there: secants, kept inside the bracket */
    a = low;
    fa = g_low;
    b = high;
    fb = g_high;
    double before = low, f_before = g_low;
    for (int i = 0; i < MOST_POLISH; ++i) {
        const int32_t ended = step(r, t, x, r->trial);
        if (ended) return ended;
        const double g = guard(r, way, t + x, r->trial);
        if (g > 0.0) {
            a = x;
            fa = g;
        } else {
            b = x;
            fb = g;
        }
        if (i == 0 && tw_size(b - x) < tw_size(x - before) && b != x) {
            before = b;
            f_before = fb;
        }
        double next = x - g * (x - before) / (g - f_before);
        if (!(next >= a && next <= b)) next = a + (b - a) * fa / (fa - fb);
        if (!(next >= a && next <= b)) next = 0.5 * (a + b);
        const double change = tw_size(next - x);
        before = x;
        f_before = g;
        x = next;
        if (b - a <= tolerance || change <= 0.1 * tolerance) break;
    }
    *found = x;
    return step(r, t, x, r->trial);
}

/* Whether a guard that started at zero rises and falls again before `until` (of a step of tau); gives a moment at
 * which it is positive. */
static int rises(run *r, const tw_transition *way, double t, double tau, double until, double *z, double *moment,
                 double *value)
{
    double part = 0.5 * until / tau;
    for (int i = 0; i < MOST_HALVINGS; ++i, part *= 0.5) {
        along(r, tau, part, z);
        const double g = guard(r, way, t + part * tau, z);
        if (g > 0.0) {
            *moment = part * tau;
            *value = g;
            return 1;
        }
    }
    return 0;
}

/* take a transition at time t from r->trial into r->start */
static int32_t take(run *r, int32_t which, double t, int rest)
{
    const tw_transition *way = r->hybrid->transition + which;
    const tw_system *from = system_of(r);
    const int32_t nq = from->nq, nv = from->nv;
    double restitution = 0.0, *z = r->trial, *after = r->start;
    const double *u = inputs_at(r, t, r->inputs);
    const double *in[5] = {z, z + nq, z + nq + nv, u, &t};
    double *out[5] = {after, after + nq, after + nq + nv, &restitution, r->normal};
    way->reset.unit->evaluate(way->reset.c, in, out);
    tw_normalise(from, after);
    r->mode = rest ? way->rest : way->target;
    /* what the guard moves by itself, where its reset tells: the last entry beyond the normal */
    const double own = way->impact && way->reset.unit->sizes_out[4] > nv ? r->normal[nv] : 0.0;
    double speed = own;
    for (int32_t k = 0; k < nv; ++k) speed += r->normal[k] * z[nq + k];
    const int bounce = way->impact && !rest;
    return tw_impact(system_of(r), memory_of(r), t, after, u, bounce ? r->normal : 0, -restitution * speed - own,
                     r->space);
}

/* guards of the mode as they are now: forget what was armed in another stay */
static void enter(run *r, double t)
{
    const tw_hybrid *hy = r->hybrid;
    for (int32_t i = 0; i < hy->transitions; ++i) {
        const tw_transition *way = hy->transition + i;
        tw_watch *w = hy->watch + i;
        w->armed = 0;
        w->predicted = 1e300;
        if (way->source != r->mode) continue;
        w->g = guard(r, way, t, r->start);
    }
}

/* sizes below which a guard counts as zero: what a tolerance of time makes of its rate */
static double zero_of(const tw_hybrid *hy, double g0, double g1, double tau)
{
    return tw_size(g1 - g0) / tau * hy->tolerance * 4.0 + 1e-13 * (tw_size(g0) + tw_size(g1)) + 1e-15;
}

static int32_t whole_step(run *r, tw_event *events, int64_t *count)
{
    const tw_hybrid *hy = r->hybrid;
    double t = r->t0;
    const double end = r->t0 + r->h;
    int32_t taken = 0, stalled = 0, chatters = 0;
    for (;;) {
        const tw_system *s = system_of(r);
        const int64_t n = tw_state_size(s);
        const double tau = end - t;
        if (!(tau > 0.0)) return TW_DONE;
        int32_t ended = step(r, t, tau, r->end);
        if (ended) return ended;
        if (chatters) { /* no more transitions in this step: it goes on as it is */
            for (int64_t k = 0; k < n; ++k) r->start[k] = r->end[k];
            enter(r, end);
            return TW_DONE;
        }
        int have_rates = 0;
        int32_t first = -1;
        double earliest = 1e300, low_of = 0.0, g_low_of = 0.0, g_high_of = 0.0;
        for (int32_t i = 0; i < hy->transitions; ++i) {
            const tw_transition *way = hy->transition + i;
            tw_watch *w = hy->watch + i;
            if (way->source != r->mode) continue;
            const double g0 = w->g, g1 = guard(r, way, end, r->end);
            const double zero = zero_of(hy, g0, g1, tau);
            double low = 0.0, g_low = g0, estimate;
            if (g0 > zero) w->armed = 1;
            if (!(g1 <= 0.0)) continue;
            if (!w->armed || !(g0 > 0.0)) {
                /* it starts at zero or below: does it rise before it falls? */
                if (!have_rates) {
                    have_rates = 1;
                    if (rates(r, t, r->start, r->rate0, 0) || rates(r, end, r->end, r->rate1, 0)) return TW_OPEN;
                }
                if (g1 > -zero && tw_size(g0) <= zero) continue; /* it rests at zero */
                if (!rises(r, way, t, tau, tau, r->trial, &low, &g_low)) {
                    low = 0.0; /* already through: at once */
                    g_low = 0.0;
                }
            }
            estimate = g_low > 0.0 ? low + (tau - low) * g_low / (g_low - g1) : 0.0;
            if (estimate < earliest) {
                earliest = estimate;
                first = i;
                low_of = low;
                g_low_of = g_low;
                g_high_of = g1;
            }
        }
        if (first < 0) {
            for (int64_t k = 0; k < n; ++k) r->start[k] = r->end[k];
            for (int32_t i = 0; i < hy->transitions; ++i) {
                const tw_transition *way = hy->transition + i;
                tw_watch *w = hy->watch + i;
                if (way->source != r->mode) continue;
                const double g = guard(r, way, end, r->start), fall = (w->g - g) / tau;
                if (g > zero_of(hy, w->g, g, tau)) w->armed = 1;
                w->predicted = fall > 0.0 && g > 0.0 ? end + g / fall : 1e300;
                w->g = g;
            }
            return TW_DONE;
        }
        const tw_transition *way = hy->transition + first;
        tw_watch *w = hy->watch + first;
        double found = 0.0;
        if (g_low_of > 0.0) {
            if (!have_rates && (rates(r, t, r->start, r->rate0, 0) || rates(r, end, r->end, r->rate1, 0)))
                return TW_OPEN;
            ended = locate(r, way, t, tau, low_of, tau, g_low_of, g_high_of, w->predicted - t, &found);
            if (ended) return ended;
            /* another guard may have fallen before it on the way there */
            for (int32_t i = 0; i < hy->transitions; ++i) {
                const tw_transition *other = hy->transition + i;
                tw_watch *x = hy->watch + i;
                if (i == first || other->source != r->mode || !(found > 0.0)) continue;
                const double g = guard(r, other, t + found, r->trial);
                if (g > 0.0 || !(g < -zero_of(hy, x->g, g, found))) continue;
                double earlier = found, low = 0.0, g_low = x->g;
                /* from zero it has to rise first */
                if (!(x->armed && g_low > 0.0) && !rises(r, other, t, tau, found, r->aside, &low, &g_low)) continue;
                ended = locate(r, other, t, tau, low, found, g_low, g, -1.0, &earlier);
                if (ended) return ended;
                found = earlier;
                first = i;
                way = other;
                w = x;
            }
        } else {
            for (int64_t k = 0; k < n; ++k) r->trial[k] = r->start[k];
        }
        t += found;
        const double interval = t - w->last, ratio = w->interval > 0.0 ? interval / w->interval : 1.0;
        const double left = ratio < 1.0 ? interval * ratio / (1.0 - ratio) : 1e300;
        /* the second time already, when there was no way to go in between */
        const int still = !(w->interval > 0.0) && interval < hy->rest_time;
        const int rest = way->rest >= 0 && (left < hy->rest_time || still || taken + 1 >= hy->most_events);
        const int32_t source = r->mode;
        ended = take(r, first, t, rest);
        if (ended) return ended;
        events[*count].t = t;
        events[*count].transition = first;
        events[*count].source = source;
        events[*count].target = r->mode;
        stalled = found <= hy->tolerance && source != r->mode ? stalled + 1 : 0;
        chatters = stalled >= CHATTER && !rest;
        events[*count].rested = chatters ? 2 : rest;
        ++*count;
        w->interval = rest || interval > 1e200 ? 0.0 : interval;
        w->last = t;
        enter(r, t);
        if (++taken >= hy->most_events + rest) return TW_TOO_MANY_EVENTS;
    }
}

static int64_t largest(const tw_hybrid *hy)
{
    int64_t most = 0;
    for (int32_t i = 0; i < hy->modes; ++i) {
        const int64_t steps = tw_work_size(hy->system[i]), kick = tw_impact_space(hy->system[i]);
        if (steps > most) most = steps;
        if (kick > most) most = kick;
    }
    return most;
}

static int64_t most_forces(const tw_hybrid *hy)
{
    int64_t most = 1;
    for (int32_t i = 0; i < hy->modes; ++i) {
        const tw_constraints *c = hy->system[i]->constraints;
        const int64_t count = (int64_t)c->rows + c->driven + c->locked + 1;
        if (count > most) most = count;
    }
    return most;
}

TW_EXPORT int64_t tw_run_size(const tw_hybrid *hy)
{
    const tw_system *s = hy->system[0];
    return 6 * (tw_state_size(s) + 1) + s->nv + 1 + most_forces(hy) + 3 * (s->nu + 1) + largest(hy) + 8;
}

TW_EXPORT int32_t tw_run(const tw_hybrid *hy, int32_t *mode, int32_t method, double t, double h, int64_t n, double *y,
                         const double *u, int32_t u_per_step, int64_t every, double *record, double *residual,
                         int32_t *mode_record, tw_event *events, int64_t capacity, int64_t *count, double *work,
                         int64_t *taken)
{
    const tw_system *s = hy->system[0];
    const int64_t size = tw_state_size(s);
    *taken = 0;
    if (!(h > 0.0) || every < 1 || u_per_step < 0 || u_per_step > 2) return TW_BAD_CALL;
    if (hy->most_events < 1 || *mode < 0 || *mode >= hy->modes) return TW_BAD_CALL;
    for (int32_t k = 0; k < hy->modes; ++k)
        if (!tw_usable(hy->system[k])) return TW_BAD_CALL;
    run r = {hy, *mode, method, y, y, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {u, u, u}, t, h};
    double *at = work;
    r.rate0 = at, at += size + 1;
    r.rate1 = at, at += size + 1;
    r.end = at, at += size + 1;
    r.trial = at, at += size + 1;
    r.aside = at, at += size + 1;
    r.q2 = at, at += size + 1;
    r.normal = at, at += s->nv + 1; /* and what the guard moves by itself */
    r.force = at, at += most_forces(hy);
    r.inputs = at, at += 3 * (s->nu + 1);
    r.space = at;
    int64_t until = every;
    double worst = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double *here = u + i * u_per_step * s->nu;
        const int64_t stride = u_per_step == 2 ? s->nu : 0;
        r.row[0] = here;
        r.row[1] = here + stride;
        r.row[2] = here + 2 * stride;
        r.t0 = t + (double)i * h;
        if (i == 0) {
            for (int32_t k = 0; k < hy->transitions; ++k) {
                tw_watch *w = hy->watch + k;
                if (hy->transition[k].source == r.mode && w->armed < 0) {
                    w->armed = 0;
                    w->g = guard(&r, hy->transition + k, r.t0, y);
                }
            }
        }
        if (capacity - *count <= hy->most_events) {
            *mode = r.mode;
            return TW_EVENTS_FULL;
        }
        const int32_t ended = whole_step(&r, events, count);
        *mode = r.mode;
        double finite = 0.0;
        for (int64_t k = 0; k < size; ++k) finite += y[k] - y[k];
        if (!(finite == 0.0)) return TW_NOT_FINITE;
        if (ended) return ended;
        const tw_memory *memory = hy->memory[r.mode];
        if (memory->residual > worst) worst = memory->residual;
        *taken = i + 1;
        if (--until == 0) {
            until = every;
            for (int64_t k = 0; k < size; ++k) record[k] = y[k];
            record += size;
            *mode_record++ = r.mode;
            if (residual) *residual++ = worst;
            worst = 0.0;
        }
    }
    return TW_DONE;
}
