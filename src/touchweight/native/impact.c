/* impact.c: speeds after an impulse. The change of speeds is the smallest in kinetic energy that satisfies the
 * constraints of a mode and, if asked for, a speed along a normal: what an impulse through M and J does. */
#include "tw_core.h"

/* L D Lᵀ as tw_ldl does it, but a direction in which nothing can give beyond those before it takes no impulse */
static void factor_giving(double *a, double *gap, int32_t n)
{
    for (int32_t j = 0; j < n; ++j) {
        double d = a[j * n + j];
        const double enough = 1e-12 * d;
        for (int32_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k] * a[k * n + k];
        const int gives = d > enough;
        a[j * n + j] = gives ? d : 1.0;
        if (!gives) {
            gap[j] = 0.0;
            for (int32_t k = 0; k < j; ++k) a[j * n + k] = 0.0;
        }
        for (int32_t i = j + 1; i < n; ++i) {
            double sum = a[i * n + j];
            for (int32_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k] * a[k * n + k];
            a[i * n + j] = gives ? sum / d : 0.0;
        }
    }
}

/* normal may be null; wanted is the speed along it afterwards. y must be closed in its positions. */
int32_t tw_impact(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, const double *normal,
                  double wanted, double *work)
{
    const tw_constraints *c = s->constraints;
    const int32_t nv = s->nv, m = c->rows, rows = m + (normal != 0);
    tw_space p;
    double *space = work, *own = work + tw_lay_out(s, work, &p);
    int32_t ended = tw_close_positions(s, memory, t, y, u, space);
    if (ended) return ended;
    double *v = y + s->nq;
    double *metric = own, *carried = metric + nv * nv, *left = carried + rows * nv, *gap = left + rows * rows;
    int32_t *free = (int32_t *)(gap + rows + 1);
    int32_t n = 0;
    for (int32_t k = 0; k < nv; ++k) p.kind[k] = 0;
    for (int32_t k = 0; k < c->driven; ++k) p.kind[c->driven_speed[k]] = 1;
    for (int32_t k = 0; k < c->locked; ++k) p.kind[c->locked_speed[k]] = 1;
    for (int32_t k = 0; k < nv; ++k)
        if (!p.kind[k]) free[n++] = k;
    {
        const double *in[1] = {y};
        double *out[1] = {p.mass};
        c->mass.unit->evaluate(c->mass.c, in, out);
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n; ++k) metric[i * n + k] = p.mass[free[i] * nv + free[k]];
    if (!tw_ldl(metric, n)) return TW_NOT_FINITE;
    /* rows of J and the normal; M⁻¹ of each; what is missing */
    for (int32_t i = 0; i < rows; ++i) {
        const double *row = i < m ? p.j_all + (int64_t)c->row[i] * nv : normal;
        double sum = i < m ? p.r_all[c->row[i]] : -wanted;
        for (int32_t k = 0; k < nv; ++k) sum += row[k] * v[k];
        gap[i] = -sum;
        for (int32_t k = 0; k < n; ++k) carried[i * n + k] = row[free[k]];
        tw_ldl_solve(metric, n, carried + i * n);
    }
    for (int32_t i = 0; i < rows; ++i) {
        const double *row = i < m ? p.j_all + (int64_t)c->row[i] * nv : normal;
        for (int32_t k = 0; k < rows; ++k) {
            double sum = 0.0;
            for (int32_t l = 0; l < n; ++l) sum += row[free[l]] * carried[k * n + l];
            left[i * rows + k] = sum;
        }
    }
    factor_giving(left, gap, rows);
    tw_ldl_solve(left, rows, gap);
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t k = 0; k < n; ++k) v[free[k]] += gap[i] * carried[i * n + k];
    return tw_close(s, memory, t, y, u, space);
}

int64_t tw_impact_space(const tw_system *s)
{
    const int64_t nv = s->nv, rows = s->constraints->rows + 1;
    return tw_constraint_space(s) + nv * nv + rows * nv + rows * rows + 3 * rows + nv + 8;
}
