/* closure.c: loops and drives in numbers: residuals, J, the partition, and how a state is closed by it. */
#include "tw_closure.h"

int64_t tw_lay_out(const tw_system *s, double *base, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int64_t m = c->rows, all = c->all_rows, nv = s->nv, ny = tw_state_size(s);
    const int64_t forces = m + tw_fixed_speeds(c);
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
void tw_move(const tw_system *s, double *q, const double *along, double factor, tw_space *p)
{
    const double *in[2] = {q, along};
    double *out[1] = {p->dq};
    s->turn.unit->evaluate(s->turn.c, in, out);
    for (int32_t i = 0; i < s->nq; ++i) q[i] += factor * p->dq[i];
    tw_normalise(s, q);
}

/* what is driven takes its place; `later` [s] looks a little ahead or back */
void tw_drive(const tw_system *s, double t, double *y, const double *u, double later, tw_space *p)
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
double tw_closure(const tw_system *s, double t, const double *q, tw_space *p)
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
double tw_factor(const tw_system *s, const int32_t *dependent, int32_t n, tw_space *p)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n; ++k) p->lu[i * n + k] = p->j[i * s->nv + dependent[k]];
    return tw_lu(p->lu, p->pivot, n);
}

/* the best conditioned partition for the J at hand, taken if it can be trusted; returns its smallest pivot */
double tw_choose(const tw_system *s, tw_memory *memory, tw_space *p)
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
double tw_factor_well(const tw_system *s, tw_memory *memory, int32_t n, int keep, tw_space *p)
{
    const double least = tw_factor(s, memory->dependent, n, p);
    if (least >= POOR || keep) return least;
    if (tw_choose(s, memory, p) < SINGULAR) return 0.0;
    return tw_factor(s, memory->dependent, n, p);
}

/* Newton's method on the positions; leaves J at the end in p->j. Returns TW_DONE, TW_OPEN, or -1 where singular. */
int32_t tw_newton_positions(const tw_system *s, tw_memory *memory, double t, double *q, int keep, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    const int32_t n = c->positions;
    double before = 1e300;
    int32_t steps = 0;
    for (;;) {
        const double now = tw_closure(s, t, q, p);
        if (now <= CLOSED || (now < 1e-10 && now > 0.25 * before)) break;
        if (steps == MOST_NEWTON || !(now < 1e300)) {
            if (!(now <= OPEN)) return TW_OPEN;
            break;
        }
        if (tw_factor_well(s, memory, n, keep, p) < SINGULAR) return -1;
        tw_lu_solve(p->lu, p->pivot, n, p->rhs);
        for (int32_t k = 0; k < s->nv; ++k) p->step[k] = 0.0;
        for (int32_t i = 0; i < n; ++i)
            p->step[memory->dependent[i]] = -c->column_scale[memory->dependent[i]] * p->rhs[i];
        tw_move(s, q, p->step, 1.0, p);
        before = now;
        ++steps;
    }
    memory->newton += steps;
    if (steps > memory->most_newton) memory->most_newton = steps;
    return TW_DONE;
}

/* dependent speeds from the others; J is factored in p->lu */
void tw_close_speeds(const tw_system *s, const tw_memory *memory, double *v, tw_space *p)
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

/* rows of J in use and the speeds along them that keep the loops closed (minus the rate that time makes), for others */
void tw_loop_rows(const tw_system *s, double t, const double *q, double *rows, double *wanted, double *work)
{
    const tw_constraints *c = s->constraints;
    tw_space p;
    tw_lay_out(s, work, &p);
    tw_closure(s, t, q, &p);
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
