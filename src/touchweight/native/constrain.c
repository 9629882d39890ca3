/* constrain.c: closed loops and driven speeds by coordinate partitioning.
 *
 * The state keeps all coordinates. The dependent ones (as many as there are rows) are made to satisfy the rows before
 * anything else is asked of a state: positions by Newton's method from where they are, speeds by the factored J_v. The
 * equations of motion are then reduced to the independent accelerations. Integrating y' = f(P(y)) with such a
 * projection P keeps the order of the method, whichever speeds are called dependent; so the choice may change at any
 * step without a jump.
 *
 * A generated partition does this in straight-line code. The path here works with any partition, picks the best
 * conditioned one where the current one degrades, and crosses positions where none exists. */
#include "tw_closure.h"

/* a state next to a regular position: closed, with its rates when they are asked for */
static int32_t regular(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                       double later, int keep, double *dy, double *force, tw_space *p)
{
    tw_drive(s, t, y, u, later, p);
    const int32_t ended = tw_newton_positions(s, memory, t + later, y, keep, p);
    if (ended) return ended;
    if (tw_factor_well(s, memory, s->constraints->rows, keep, p) < SINGULAR) return -1;
    tw_close_speeds(s, memory, y + s->nq, p);
    if (!dy) return TW_DONE;
    tw_list_independent(s, memory->dependent, p);
    return tw_accelerate(s, memory, t + later, y, u, tau, dy, force, p);
}

/* At a singular position J tells too little, but the motion through it is smooth: close and accelerate at six
 * positions of the same motion, three on either side, and interpolate. */
static int32_t singular(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                        double *dy, double *force, tw_space *p)
{
    static const double place[ASIDES] = {1.0, -1.0, 2.0, -2.0, 3.0, -3.0},
                        weight[ASIDES] = {0.75, 0.75, -0.3, -0.3, 0.05, 0.05};
    const tw_constraints *c = s->constraints;
    const int64_t ny = tw_state_size(s), forces = (int64_t)c->rows + tw_fixed_speeds(c);
    double speed = 0.0;
    tw_drive(s, t, y, u, 0.0, p);
    for (int32_t k = 0; k < s->nv; ++k) {
        const double part = tw_size(y[s->nq + k] / c->column_scale[k]);
        if (part > speed) speed = part;
    }
    if (!(speed > 0.0)) return TW_OPEN;
    ++memory->singular;
    const double apart = ASIDE / speed;
    for (int i = 0; i < ASIDES; ++i) {
        double *z = p->aside_y + i * ny;
        const double later = place[i] * apart;
        for (int64_t k = 0; k < ny; ++k) z[k] = y[k];
        tw_move(s, z, y + s->nq, later, p);
        if (i == 0) {
            tw_closure(s, t + later, z, p);
            if (tw_choose(s, memory, p) < SINGULAR) return TW_OPEN;
        }
        const int32_t ended = regular(s, memory, t, z, u, tau, later, 1, dy ? p->aside_dy + i * ny : 0,
                                      force ? p->aside_force + i * forces : 0, p);
        if (ended) return TW_OPEN;
        /* what remains is the correction of the coordinates, smooth along the motion */
        for (int64_t k = 0; k < s->nq; ++k) p->held[k] = y[k];
        tw_move(s, p->held, y + s->nq, later, p);
        for (int64_t k = 0; k < s->nq; ++k) z[k] -= p->held[k];
    }
    for (int64_t k = 0; k < ny; ++k) {
        double sum = k < s->nq ? y[k] : 0.0;
        for (int i = 0; i < ASIDES; ++i) sum += weight[i] * p->aside_y[i * ny + k];
        y[k] = sum;
        if (!dy) continue;
        dy[k] = 0.0;
        for (int i = 0; i < ASIDES; ++i) dy[k] += weight[i] * p->aside_dy[i * ny + k];
    }
    tw_normalise(s, y);
    tw_drive(s, t, y, u, 0.0, p);
    if (dy) {
        const double *moved[2] = {y, y + s->nq};
        double *rate[1] = {dy};
        s->turn.unit->evaluate(s->turn.c, moved, rate);
    }
    if (force)
        for (int64_t k = 0; k < forces; ++k) {
            force[k] = 0.0;
            for (int i = 0; i < ASIDES; ++i) force[k] += weight[i] * p->aside_force[i * forces + k];
        }
    return TW_DONE;
}

/* positions by the generated partition; -1 where it is not healthy */
static int32_t close_generated(const tw_system *s, tw_memory *memory, double t, double *q, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    double health = 1.0, before = 1e300;
    int32_t steps = 0;
    while (c->rows) { /* rows on speeds alone have a health, too */
        const double *in[2] = {q, &t};
        double *out[3] = {p->h, p->step, &health};
        c->newton.unit->evaluate(c->newton.c, in, out);
        if (!(health > UNHEALTHY)) return -1;
        double now = 0.0, open = 0.0;
        for (int32_t i = 0; i < c->positions; ++i) {
            const double size = tw_size(p->h[i]);
            if (!(size <= open)) open = size;
            if (!(size <= now * c->row_scale[i])) now = size / c->row_scale[i];
        }
        memory->residual = open;
        if (now <= CLOSED || (now < 1e-10 && now > 0.25 * before)) break;
        if (steps == MOST_NEWTON || !(now < 1e300)) return -1;
        tw_move(s, q, p->step, 1.0, p);
        before = now;
        ++steps;
    }
    memory->newton += steps;
    if (steps > memory->most_newton) memory->most_newton = steps;
    return TW_DONE;
}

/* the generated partition: positions, speeds and rates in straight-line code; -1 where it is not healthy */
static int32_t generated(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, double *dy,
                         double *force, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    tw_drive(s, t, y, u, 0.0, p);
    if (close_generated(s, memory, t, y, p)) return -1;
    const double *in[5] = {y, y + s->nq, y + s->nq + s->nv, u, &t};
    double *out[5] = {p->w, dy, dy + s->nq, dy + s->nq + s->nv, force};
    const tw_function *f = force ? &c->feel : &c->reduced;
    f->unit->evaluate(f->c, in, out);
    for (int32_t k = 0; k < s->nv; ++k) y[s->nq + k] = p->w[k];
    return TW_DONE;
}

int32_t tw_rates(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                 double *dy, double *force, double *work)
{
    const tw_constraints *c = s->constraints;
    ++memory->evaluations;
    if (!c) {
        if (tau) return TW_BAD_CALL; /* the rates of a tree have no place for them */
        const double *in[5] = {y, y + s->nq, y + s->nq + s->nv, u, &t};
        double *out[3] = {dy, dy + s->nq, dy + s->nq + s->nv};
        s->rates.unit->evaluate(s->rates.c, in, out);
        return TW_DONE;
    }
    tw_space p;
    tw_lay_out(s, work, &p);
    /* else the length of a quaternion would look like a gap, and Newton's method correct it twice */
    tw_normalise(s, y);
    if (!memory->generic && !tau && (!force || c->feel.unit)) {
        const int32_t ended = generated(s, memory, t, y, u, dy, force, &p);
        if (ended != -1) return ended;
        memory->generic = 1;
        ++memory->switches;
    }
    const int32_t ended = regular(s, memory, t, y, u, tau, 0.0, 0, dy, force, &p);
    return ended == -1 ? singular(s, memory, t, y, u, tau, dy, force, &p) : ended;
}

/* how well a state is closed, from h, J and r at hand */
static void note_residuals(const tw_system *s, tw_memory *memory, const double *v, const tw_space *p)
{
    const tw_constraints *c = s->constraints;
    double most = 0.0, fastest = 0.0;
    for (int32_t i = 0; i < c->positions; ++i) {
        const double size = tw_size(p->h[c->row[i]]);
        if (!(size <= most)) most = size;
    }
    for (int32_t i = 0; i < c->rows; ++i) {
        double sum = p->r_all[c->row[i]];
        for (int32_t k = 0; k < s->nv; ++k) sum += p->j_all[(int64_t)c->row[i] * s->nv + k] * v[k];
        if (!(tw_size(sum) <= fastest)) fastest = tw_size(sum);
    }
    memory->residual = most;
    memory->speed_residual = fastest;
}

/* drives and positions only; h, J and r of the closed position are left in the space */
int32_t tw_close_positions(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, double *work)
{
    tw_space p;
    tw_lay_out(s, work, &p);
    tw_drive(s, t, y, u, 0.0, &p);
    return tw_newton_positions(s, memory, t, y, 0, &p) == TW_DONE ? TW_DONE : TW_OPEN;
}

/* Rows that should follow from the others must be closed when these are: else the mechanism is asked for what it
 * cannot do, as by two drives that contradict each other. */
static int32_t check_redundant(const tw_system *s, tw_memory *memory, double t, const double *q, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    if (c->all_rows == c->rows) return TW_DONE;
    const double *in[2] = {q, &t};
    double *out[3] = {p->h, p->j_all, p->r_all};
    c->closure.unit->evaluate(c->closure.c, in, out);
    double most = 0.0, scale = 0.0;
    for (int32_t i = 0; i < c->all_rows; ++i)
        if (!(tw_size(p->h[i]) <= most)) most = tw_size(p->h[i]);
    for (int32_t i = 0; i < c->rows; ++i)
        if (c->row_scale[i] > scale) scale = c->row_scale[i];
    memory->residual = most;
    return most <= CONTRADICTED * (c->rows ? scale : 1.0) ? TW_DONE : TW_OPEN;
}

/* close a state without asking for its rates, and note how well it is closed */
int32_t tw_close(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, double *work)
{
    const tw_constraints *c = s->constraints;
    if (!c) return TW_DONE;
    tw_space p;
    tw_lay_out(s, work, &p);
    if (!memory->generic) {
        tw_drive(s, t, y, u, 0.0, &p);
        if (!close_generated(s, memory, t, y, &p)) {
            const double *in[3] = {y, y + s->nq, &t};
            double *out[1] = {p.w};
            c->speeds.unit->evaluate(c->speeds.c, in, out);
            for (int32_t k = 0; k < s->nv; ++k) y[s->nq + k] = p.w[k];
            return check_redundant(s, memory, t, y, &p);
        }
        memory->generic = 1;
        ++memory->switches;
    }
    int32_t ended = regular(s, memory, t, y, u, 0, 0.0, 0, 0, 0, &p);
    if (ended == -1) {
        ended = singular(s, memory, t, y, u, 0, 0, 0, &p);
        if (!ended) tw_closure(s, t, y, &p);
    }
    if (ended) return ended;
    note_residuals(s, memory, y + s->nq, &p);
    return check_redundant(s, memory, t, y, &p);
}

/* whether the generated partition would be at its ease */
static int healthy(const tw_system *s, double t, const double *q, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    if (!c->newton.unit || !(tw_factor(s, c->dependent, c->rows, p) > GOOD)) return 0;
    double health = 0.0;
    const double *in[2] = {q, &t};
    double *out[3] = {p->h, p->step, &health};
    c->newton.unit->evaluate(c->newton.c, in, out);
    return health > 2.0 * UNHEALTHY;
}

/* at a step boundary: leave a partition that has become poor, return to the generated one, if it is of use, when it is
 * good again */
void tw_begin_step(const tw_system *s, tw_memory *memory, double t, const double *y, int generated, double *work)
{
    const tw_constraints *c = s->constraints;
    if (!c || !c->rows || !memory->generic) return;
    tw_space p;
    tw_lay_out(s, work, &p);
    tw_closure(s, t, y, &p);
    if (generated && healthy(s, t, y, &p)) {
        for (int32_t i = 0; i < c->rows; ++i) memory->dependent[i] = c->dependent[i];
        memory->generic = 0;
        ++memory->switches;
    } else if (tw_factor(s, memory->dependent, c->rows, &p) < POOR) {
        tw_choose(s, memory, &p);
    }
}

TW_EXPORT int32_t tw_evaluate(const tw_system *s, tw_memory *memory, double t, double *y, const double *u,
                              const double *tau, double *dy, double *force, double *work)
{
    return tw_rates(s, memory, t, y, u, tau, dy, force, work + 4 * tw_state_size(s));
}
