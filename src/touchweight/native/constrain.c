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
#include "tw_core.h"

/* most Newton steps in one closure */
#define MOST_NEWTON 12
/* a residual (relative to the size of its row) that cannot get better */
#define CLOSED 2e-15
/* a residual that is an error when Newton's method ends with it */
#define OPEN 1e-9
/* pivots of the scaled J_v, relative to its best, below which a partition is given up, above which it is resumed, and
 * below which no partition is trusted */
#define POOR (0.3 * s->constraints->pivot)
#define GOOD (0.5 * s->constraints->pivot)
#define SINGULAR (1e-2 * s->constraints->pivot)
/* a residual of a redundant row, relative to the largest row, at which it does not follow from the others */
#define CONTRADICTED 1e-6
/* health of the generated partition (1 where it was chosen) below which it is given up */
#define UNHEALTHY 0.3
/* how far to either side a singular position is looked at, in scaled coordinates */
#define ASIDE 0.05
#define ASIDES 6

static int32_t fixed_speeds(const tw_constraints *c) { return c->driven + c->locked; }

int64_t tw_lay_out(const tw_system *s, double *base, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int64_t m = c->rows, all = c->all_rows, nv = s->nv, ny = tw_state_size(s);
    const int64_t forces = m + fixed_speeds(c);
    double *at = base;
#define TAKE(name, count)                                                                                    \
    p->name = at;                                                                                            \
    at += (count);
    TAKE(h, all) TAKE(j_all, all * nv) TAKE(r_all, all) TAKE(d_all, all)
    TAKE(j, m * nv) TAKE(r, m) TAKE(lu, m * m) TAKE(rhs, m)
    TAKE(a0, nv) TAKE(tau, nv) TAKE(mass, nv * nv) TAKE(b, m * nv) TAKE(w, nv) TAKE(reduced, nv * nv)
    TAKE(step, nv) TAKE(dq, s->nq) TAKE(drive, 3 * c->driven + 1) TAKE(free_columns, m * nv)
    TAKE(aside_y, ASIDES * ny) TAKE(aside_dy, ASIDES * ny) TAKE(aside_force, ASIDES * forces + 1)
    TAKE(held, ny + s->nu + 1)
#undef TAKE
    p->pivot = (int32_t *)at;
    at += m + 1;
    p->independent = (int32_t *)at;
    at += nv + 1;
    p->kind = (int32_t *)at;
    at += nv + 1;
    p->trial = (int32_t *)at;
    at += m + 1;
    return at - base;
}

int64_t tw_constraint_space(const tw_system *s)
{
    tw_space p;
    double nowhere[1];
    return s->constraints ? tw_lay_out(s, nowhere, &p) : 0;
}

void tw_normalise(const tw_system *s, double *q)
{
    for (int32_t k = 0; k < s->balls; ++k) {
        double *b = q + s->ball_start[k];
        const double size = tw_root(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
        for (int i = 0; i < 4; ++i) b[i] /= size;
    }
}

/* q moved by a small displacement along the speeds */
static void move(const tw_system *s, double *q, const double *along, double factor, tw_space *p)
{
    const double *in[2] = {q, along};
    double *out[1] = {p->dq};
    s->turn.unit->evaluate(s->turn.c, in, out);
    for (int32_t i = 0; i < s->nq; ++i) q[i] += factor * p->dq[i];
    tw_normalise(s, q);
}

/* what is driven takes its place; `later` [s] looks a little ahead or back */
static void drive(const tw_system *s, double t, double *y, const double *u, double later, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    if (c->driven) {
        double *q = p->drive, *v = q + c->driven, *a = v + c->driven;
        const double *in[2] = {u, &t};
        double *out[3] = {q, v, a};
        c->drives.unit->evaluate(c->drives.c, in, out);
        for (int32_t k = 0; k < c->driven; ++k) {
            y[c->driven_coordinate[k]] = q[k] + later * (v[k] + 0.5 * later * a[k]);
            y[s->nq + c->driven_speed[k]] = v[k] + later * a[k];
        }
    }
    for (int32_t k = 0; k < c->locked; ++k) y[s->nq + c->locked_speed[k]] = 0.0;
}

/* h, J, r of the rows in use, scaled; returns the largest residual */
static double closure(const tw_system *s, double t, const double *q, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int32_t nv = s->nv;
    const double *in[2] = {q, &t};
    double *out[3] = {p->h, p->j_all, p->r_all};
    double most = 0.0;
    if (!c->rows) return 0.0;
    c->closure.unit->evaluate(c->closure.c, in, out);
    for (int32_t i = 0; i < c->rows; ++i) {
        const double scale = 1.0 / c->row_scale[i];
        const double *from = p->j_all + (int64_t)c->row[i] * nv;
        for (int32_t k = 0; k < nv; ++k) p->j[i * nv + k] = scale * from[k] * c->column_scale[k];
        p->r[i] = scale * p->r_all[c->row[i]];
        if (i < c->positions) {
            p->rhs[i] = scale * p->h[c->row[i]];
            if (!(tw_size(p->rhs[i]) <= most)) most = tw_size(p->rhs[i]);
        }
    }
    return most;
}

/* factor the first n rows of J on their dependent columns; returns the smallest pivot */
static double factor(const tw_system *s, const int32_t *dependent, int32_t n, tw_space *p)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n; ++k) p->lu[i * n + k] = p->j[i * s->nv + dependent[k]];
    return tw_lu(p->lu, p->pivot, n);
}

/* the best conditioned partition for the J at hand, taken if it can be trusted; returns its smallest pivot */
static double choose(const tw_system *s, tw_memory *memory, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    int32_t free = 0;
    for (int32_t k = 0; k < s->nv; ++k) p->kind[k] = 0;
    for (int32_t k = 0; k < c->driven; ++k) p->kind[c->driven_speed[k]] = 1;
    for (int32_t k = 0; k < c->locked; ++k) p->kind[c->locked_speed[k]] = 1;
    for (int32_t k = 0; k < s->nv; ++k)
        if (!p->kind[k]) p->independent[free++] = k;
    for (int32_t i = 0; i < c->rows; ++i)
        for (int32_t k = 0; k < free; ++k) p->free_columns[i * free + k] = p->j[i * s->nv + p->independent[k]];
    const double least = tw_choose_columns(p->free_columns, c->rows, c->positions, free, p->trial);
    if (!(least >= SINGULAR)) return least;
    int32_t moved = 0;
    for (int32_t i = 0; i < c->rows; ++i) {
        moved |= memory->dependent[i] != p->independent[p->trial[i]];
        memory->dependent[i] = p->independent[p->trial[i]];
    }
    memory->switches += moved;
    return least;
}

/* the independent speeds, into p->independent */
void tw_list_independent(const tw_system *s, const int32_t *dependent, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    for (int32_t k = 0; k < s->nv; ++k) p->kind[k] = 0;
    for (int32_t k = 0; k < c->driven; ++k) p->kind[c->driven_speed[k]] = 1;
    for (int32_t k = 0; k < c->locked; ++k) p->kind[c->locked_speed[k]] = 1;
    for (int32_t i = 0; i < c->rows; ++i) p->kind[dependent[i]] = 1;
    p->free = 0;
    for (int32_t k = 0; k < s->nv; ++k)
        if (!p->kind[k]) p->independent[p->free++] = k;
}

/* factor the first n rows, on a better partition if the one in use is poor; returns the smallest pivot */
static double factor_well(const tw_system *s, tw_memory *memory, int32_t n, int keep, tw_space *p)
{
    const double least = factor(s, memory->dependent, n, p);
    if (least >= POOR || keep || s->constraints->fixed_partition) return least;
    if (choose(s, memory, p) < SINGULAR) return 0.0;
    return factor(s, memory->dependent, n, p);
}

/* Newton's method on the positions; leaves J at the end in p->j. Returns TW_DONE, TW_OPEN, or -1 where singular. */
static int32_t close_positions(const tw_system *s, tw_memory *memory, double t, double *q, int keep, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int32_t n = c->positions;
    double before = 1e300;
    int32_t steps = 0;
    for (;;) {
        const double now = closure(s, t, q, p);
        if (now <= CLOSED || (now < 1e-10 && now > 0.25 * before)) break;
        if (steps == MOST_NEWTON || !(now < 1e300)) {
            if (!(now <= OPEN)) return TW_OPEN;
            break;
        }
        if (factor_well(s, memory, n, keep, p) < SINGULAR) return -1;
        tw_lu_solve(p->lu, p->pivot, n, p->rhs);
        for (int32_t k = 0; k < s->nv; ++k) p->step[k] = 0.0;
        for (int32_t i = 0; i < n; ++i)
            p->step[memory->dependent[i]] = -c->column_scale[memory->dependent[i]] * p->rhs[i];
        move(s, q, p->step, 1.0, p);
        before = now;
        ++steps;
    }
    memory->newton += steps;
    if (steps > memory->most_newton) memory->most_newton = steps;
    return TW_DONE;
}

/* dependent speeds from the others; J is factored in p->lu */
static void close_speeds(const tw_system *s, const tw_memory *memory, double *v, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int32_t m = c->rows, nv = s->nv;
    for (int32_t i = 0; i < m; ++i) v[memory->dependent[i]] = 0.0;
    for (int32_t i = 0; i < m; ++i) {
        double sum = p->r[i];
        for (int32_t k = 0; k < nv; ++k) sum += p->j[i * nv + k] * (v[k] / c->column_scale[k]);
        p->rhs[i] = -sum;
    }
    tw_lu_solve(p->lu, p->pivot, m, p->rhs);
    for (int32_t i = 0; i < m; ++i) v[memory->dependent[i]] = c->column_scale[memory->dependent[i]] * p->rhs[i];
}

/* x = J_v⁻¹ (scaled right side), as dependent accelerations or speeds */
static void solve_dependent(const tw_system *s, const tw_memory *memory, double *x, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    tw_lu_solve(p->lu, p->pivot, c->rows, x);
    for (int32_t i = 0; i < c->rows; ++i) x[i] *= c->column_scale[memory->dependent[i]];
}

/* accelerations, first-order rates and forces at a closed state */
static int32_t accelerate(const tw_system *s, tw_memory *memory, double t, const double *y, const double *u,
                          const double *extra, double *dy, double *force, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int32_t m = c->rows, nv = s->nv;
    const double *q = y, *v = y + s->nq, *x = v + nv;
    double *dv = dy + s->nq;
    const int32_t *dependent = memory->dependent;
    { /* J a + d = 0 for what is driven and dependent, the independent at rest */
        const double *in[3] = {q, v, &t};
        double *out[1] = {p->d_all};
        if (m) c->drift.unit->evaluate(c->drift.c, in, out);
    }
    for (int32_t k = 0; k < nv; ++k) p->a0[k] = 0.0;
    for (int32_t k = 0; k < c->driven; ++k) p->a0[c->driven_speed[k]] = p->drive[2 * c->driven + k];
    for (int32_t i = 0; i < m; ++i) {
        double sum = p->d_all[c->row[i]] / c->row_scale[i];
        for (int32_t k = 0; k < c->driven; ++k) {
            const int32_t at = c->driven_speed[k];
            sum += p->j[i * nv + at] * (p->a0[at] / c->column_scale[at]);
        }
        p->rhs[i] = -sum;
    }
    solve_dependent(s, memory, p->rhs, p);
    for (int32_t i = 0; i < m; ++i) p->a0[dependent[i]] = p->rhs[i];
    {
        const double *in[6] = {q, v, p->a0, x, u, &t};
        double *out[1] = {p->tau};
        c->inverse.unit->evaluate(c->inverse.c, in, out);
        const double *at[1] = {q};
        double *matrix[1] = {p->mass};
        c->mass.unit->evaluate(c->mass.c, at, matrix);
    }
    if (extra)
        for (int32_t k = 0; k < nv; ++k) p->tau[k] -= extra[k];
    /* B = -J_v⁻¹ J_u; M_r = [1 B]ᵀ M [1 B] */
    const int32_t n = p->free;
    for (int32_t j = 0; j < n; ++j) {
        const int32_t col = p->independent[j];
        const double scale = 1.0 / c->column_scale[col];
        for (int32_t i = 0; i < m; ++i) p->rhs[i] = -p->j[i * nv + col] * scale;
        solve_dependent(s, memory, p->rhs, p);
        for (int32_t i = 0; i < m; ++i) p->b[i * n + j] = p->rhs[i];
    }
    double *right = p->step;
    for (int32_t j = 0; j < n; ++j) {
        const int32_t col = p->independent[j];
        for (int32_t k = 0; k < nv; ++k) p->w[k] = p->mass[k * nv + col];
        for (int32_t i = 0; i < m; ++i) {
            const double b = p->b[i * n + j];
            if (b == 0.0) continue;
            const double *from = p->mass + (int64_t)dependent[i] * nv;
            for (int32_t k = 0; k < nv; ++k) p->w[k] += from[k] * b;
        }
        double sum = p->tau[col];
        for (int32_t i = 0; i < m; ++i) sum += p->b[i * n + j] * p->tau[dependent[i]];
        right[j] = -sum;
        for (int32_t k = j; k < n; ++k) {
            double entry = p->w[p->independent[k]];
            for (int32_t i = 0; i < m; ++i) entry += p->b[i * n + k] * p->w[dependent[i]];
            p->reduced[k * n + j] = entry;
        }
    }
    if (!tw_ldl(p->reduced, n)) return TW_NOT_FINITE;
    tw_ldl_solve(p->reduced, n, right);
    for (int32_t k = 0; k < nv; ++k) dv[k] = p->a0[k];
    for (int32_t j = 0; j < n; ++j) dv[p->independent[j]] = right[j];
    for (int32_t i = 0; i < m; ++i) {
        double sum = dv[dependent[i]];
        for (int32_t j = 0; j < n; ++j) sum += p->b[i * n + j] * right[j];
        dv[dependent[i]] = sum;
    }
    {
        const double *in[5] = {q, v, x, u, &t};
        double *out[1] = {dy + s->nq + nv};
        if (s->nx) c->lags.unit->evaluate(c->lags.c, in, out);
        const double *moved[2] = {q, v};
        double *rate[1] = {dy};
        s->turn.unit->evaluate(s->turn.c, moved, rate);
    }
    if (!force) return TW_DONE;
    /* M a + c = Jᵀ λ on the dependent; what remains on the driven and locked is their force */
    for (int32_t k = 0; k < nv; ++k) {
        double sum = p->tau[k];
        for (int32_t l = 0; l < nv; ++l) sum += p->mass[k * nv + l] * (dv[l] - p->a0[l]);
        p->w[k] = sum;
    }
    for (int32_t i = 0; i < m; ++i) p->rhs[i] = c->column_scale[dependent[i]] * p->w[dependent[i]];
    tw_lu_solve_transposed(p->lu, p->pivot, m, p->rhs);
    for (int32_t i = 0; i < m; ++i) force[i] = p->rhs[i] / c->row_scale[i];
    for (int32_t k = 0; k < c->driven + c->locked; ++k) {
        const int32_t at = k < c->driven ? c->driven_speed[k] : c->locked_speed[k - c->driven];
        double sum = p->w[at];
        for (int32_t i = 0; i < m; ++i) sum -= p->j[i * nv + at] / c->column_scale[at] * p->rhs[i];
        force[m + k] = sum;
    }
    return TW_DONE;
}

/* a state next to a regular position: closed, with its rates when they are asked for */
static int32_t regular(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                       double later, int keep, double *dy, double *force, tw_space *p)
{
    drive(s, t, y, u, later, p);
    const int32_t ended = close_positions(s, memory, t + later, y, keep, p);
    if (ended) return ended;
    if (factor_well(s, memory, s->constraints->rows, keep, p) < SINGULAR) return -1;
    close_speeds(s, memory, y + s->nq, p);
    if (!dy) return TW_DONE;
    tw_list_independent(s, memory->dependent, p);
    return accelerate(s, memory, t + later, y, u, tau, dy, force, p);
}

/* At a singular position J tells too little, but the motion through it is smooth: close and accelerate at six
 * positions of the same motion, three on either side, and interpolate. */
static int32_t singular(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                        double *dy, double *force, tw_space *p)
{
    static const double place[ASIDES] = {1.0, -1.0, 2.0, -2.0, 3.0, -3.0},
                        weight[ASIDES] = {0.75, 0.75, -0.3, -0.3, 0.05, 0.05};
    const tw_constraints *c = s->constraints;
    const int64_t ny = tw_state_size(s), forces = (int64_t)c->rows + fixed_speeds(c);
    double speed = 0.0;
    drive(s, t, y, u, 0.0, p);
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
        move(s, z, y + s->nq, later, p);
        if (i == 0) {
            closure(s, t + later, z, p);
            if (choose(s, memory, p) < SINGULAR) return TW_OPEN;
        }
        const int32_t ended = regular(s, memory, t, z, u, tau, later, 1, dy ? p->aside_dy + i * ny : 0,
                                      force ? p->aside_force + i * forces : 0, p);
        if (ended) return TW_OPEN;
        /* what remains is the correction of the coordinates, smooth along the motion */
        for (int64_t k = 0; k < s->nq; ++k) p->held[k] = y[k];
        move(s, p->held, y + s->nq, later, p);
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
    drive(s, t, y, u, 0.0, p);
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
        move(s, q, p->step, 1.0, p);
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
    drive(s, t, y, u, 0.0, p);
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

/* rows of J in use and the speeds along them that keep the loops closed (minus the rate that time makes), for others */
void tw_loop_rows(const tw_system *s, double t, const double *q, double *rows, double *wanted, double *work)
{
    const tw_constraints *c = s->constraints;
    tw_space p;
    tw_lay_out(s, work, &p);
    closure(s, t, q, &p);
    for (int32_t i = 0; i < c->rows; ++i) {
        for (int32_t k = 0; k < s->nv; ++k) rows[i * s->nv + k] = p.j_all[(int64_t)c->row[i] * s->nv + k];
        wanted[i] = -p.r_all[c->row[i]];
    }
}

/* speeds at the end of a step of what is driven and of what is locked */
void tw_fix_speeds(const tw_system *s, double t, double *w, const double *u, double *work)
{
    const tw_constraints *c = s->constraints;
    tw_space p;
    tw_lay_out(s, work, &p);
    if (c->driven) {
        double *q = p.drive, *v = q + c->driven, *a = v + c->driven;
        const double *in[2] = {u, &t};
        double *out[3] = {q, v, a};
        c->drives.unit->evaluate(c->drives.c, in, out);
        for (int32_t k = 0; k < c->driven; ++k) w[c->driven_speed[k]] = v[k];
    }
    for (int32_t k = 0; k < c->locked; ++k) w[c->locked_speed[k]] = 0.0;
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
    drive(s, t, y, u, 0.0, &p);
    return close_positions(s, memory, t, y, 0, &p) == TW_DONE ? TW_DONE : TW_OPEN;
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
        drive(s, t, y, u, 0.0, &p);
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
        if (!ended) closure(s, t, y, &p);
    }
    if (ended) return ended;
    note_residuals(s, memory, y + s->nq, &p);
    return check_redundant(s, memory, t, y, &p);
}

/* whether the generated partition would be at its ease */
static int healthy(const tw_system *s, double t, const double *q, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    if (!c->newton.unit || !(factor(s, c->dependent, c->rows, p) > GOOD)) return 0;
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
    closure(s, t, y, &p);
    if (generated && healthy(s, t, y, &p)) {
        for (int32_t i = 0; i < c->rows; ++i) memory->dependent[i] = c->dependent[i];
        memory->generic = 0;
        ++memory->switches;
    } else if (c->fixed_partition) { /* back from a singular position */
        for (int32_t i = 0; i < c->rows; ++i) memory->dependent[i] = c->dependent[i];
    } else if (factor(s, memory->dependent, c->rows, &p) < POOR) {
        choose(s, memory, &p);
    }
}

TW_EXPORT int32_t tw_evaluate(const tw_system *s, tw_memory *memory, double t, double *y, const double *u,
                              const double *tau, double *dy, double *force, double *work)
{
    return tw_rates(s, memory, t, y, u, tau, dy, force, work + 4 * tw_state_size(s));
}
