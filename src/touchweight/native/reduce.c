/* reduce.c: the equations of motion reduced to the independent speeds, for any partition. */
#include "tw_closure.h"

/* x = J_v⁻¹ (scaled right side), as dependent accelerations or speeds */
static void solve_dependent(const tw_system *s, const tw_memory *memory, double *x, tw_space *p)
{
    const tw_constraints *c = s->constraints;
    tw_lu_solve(p->lu, p->pivot, c->rows, x);
    for (int32_t i = 0; i < c->rows; ++i) x[i] *= c->column_scale[memory->dependent[i]];
}

/* accelerations, first-order rates and forces at a closed state */
int32_t tw_accelerate(const tw_system *s, tw_memory *memory, double t, const double *y, const double *u,
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
