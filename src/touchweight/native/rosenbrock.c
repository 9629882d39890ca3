/* rosenbrock.c: a linearly implicit method for stiff elements.
 *
 * Two stages, second order with any approximation A of the Jacobian, and L-stable with the exact one (Verwer, Spee,
 * Blom and Hundsdorfer 1999). With g = 1 - 1/sqrt(2):
 *     (1 - g h A) k1 = f(y),   (1 - g h A) k2 = f(y + h k1) - 2 k1,   y += h (3 k1 + k2) / 2.
 * A comes from the symbolic derivatives of the equations of motion, M da + K dq + D dv + E dx = 0, projected on the
 * independent speeds; how B turns with q is left out, which the order does not mind. */
#include "tw_core.h"

#define GAMMA 0.29289321881345247560

typedef struct work {
    double *k, *d, *e, *xq, *xv, *xx; /* derivatives */
    double *s;                        /* LU of 1 - g h Xx */
    double *left;                     /* LU of the reduced matrix */
    double *force, *moved, *lag, *right, *column;
    double *k1q, *k1v, *k1x, *k2q, *k2v, *k2x, *turned1, *turned2;
    double *b;                        /* dependent over independent speeds, as they are at the start of the step */
    int32_t *s_pivot, *pivot, *dependent, *independent;
    int32_t free;
} work;

static int64_t lay_out(const tw_system *s, double *base, work *w)
{
    const tw_constraints *c = s->constraints;
    const int64_t nv = s->nv, nx = s->nx, rows = c ? c->rows : 0;
    const int64_t forces = c ? (int64_t)c->rows + c->driven + c->locked : 0;
    double *at = base;
#define TAKE(name, count)                                                                                    \
    w->name = at;                                                                                            \
    at += (count) + 1;
    TAKE(k, nv * nv) TAKE(d, nv * nv) TAKE(e, nv * nx) TAKE(xq, nx * nv) TAKE(xv, nx * nv) TAKE(xx, nx * nx)
    TAKE(s, nx * nx) TAKE(left, nv * nv) TAKE(force, forces) TAKE(moved, nv) TAKE(lag, nx) TAKE(right, nv)
    TAKE(column, nv) TAKE(k1q, nv) TAKE(k1v, nv) TAKE(k1x, nx) TAKE(k2q, nv) TAKE(k2v, nv) TAKE(k2x, nx)
    TAKE(turned1, s->nq) TAKE(turned2, s->nq) TAKE(b, rows * nv)
#undef TAKE
    w->s_pivot = (int32_t *)at;
    at += nx + 1;
    w->pivot = (int32_t *)at;
    at += nv + 1;
    w->dependent = (int32_t *)at;
    at += rows + 1;
    w->independent = (int32_t *)at;
    at += nv + 1;
    return at - base;
}

int64_t tw_rosenbrock_space(const tw_system *s)
{
    work w;
    double nowhere[1];
    return s->slopes.unit ? lay_out(s, nowhere, &w) : 0;
}

/* out = S⁻¹ (Fx + gh (Xq moved + Xv v)) */
static void lag(const tw_system *s, const work *w, double gh, const double *moved, const double *v, const double *fx,
                double *out)
{
    for (int32_t i = 0; i < s->nx; ++i) {
        double sum = 0.0;
        for (int32_t k = 0; k < s->nv; ++k) sum += w->xq[i * s->nv + k] * moved[k] + w->xv[i * s->nv + k] * v[k];
        out[i] = (fx ? fx[i] : 0.0) + gh * sum;
    }
    tw_lu_solve(w->s, w->s_pivot, s->nx, out);
}

/* out = K moved + D v + E lag */
static void stiffness(const tw_system *s, const work *w, const double *moved, const double *v, const double *lagged,
                      double *out)
{
    for (int32_t i = 0; i < s->nv; ++i) {
        double sum = 0.0;
        for (int32_t k = 0; k < s->nv; ++k) sum += w->k[i * s->nv + k] * moved[k] + w->d[i * s->nv + k] * v[k];
        for (int32_t k = 0; k < s->nx; ++k) sum += w->e[i * s->nx + k] * lagged[k];
        out[i] = sum;
    }
}

/* the part of x that the j-th independent speed feels */
static double along(const work *w, int32_t rows, int32_t j, const double *x)
{
    double sum = x[w->independent[j]];
    for (int32_t i = 0; i < rows; ++i) sum += w->b[i * w->free + j] * x[w->dependent[i]];
    return sum;
}

/* a unit of the j-th independent speed, with what depends on it */
static void unit(const work *w, int32_t nv, int32_t rows, int32_t j, double *x)
{
    for (int32_t k = 0; k < nv; ++k) x[k] = 0.0;
    x[w->independent[j]] = 1.0;
    for (int32_t i = 0; i < rows; ++i) x[w->dependent[i]] = w->b[i * w->free + j];
}

/* factor S and the reduced matrix of 1 - g h A */
static int prepare(const tw_system *s, work *w, const double *mass, double gh)
{
    const int32_t nv = s->nv, nx = s->nx, m = s->constraints->rows, n = w->free;
    for (int32_t i = 0; i < nx; ++i)
        for (int32_t k = 0; k < nx; ++k) w->s[i * nx + k] = (i == k) - gh * w->xx[i * nx + k];
    if (!(tw_lu(w->s, w->s_pivot, nx) > 0.0)) return 0;
    for (int32_t j = 0; j < n; ++j) {
        unit(w, nv, m, j, w->column);
        for (int32_t k = 0; k < nv; ++k) w->moved[k] = gh * w->column[k];
        lag(s, w, gh, w->moved, w->column, 0, w->lag);
        stiffness(s, w, w->moved, w->column, w->lag, w->right);
        for (int32_t k = 0; k < nv; ++k) {
            double sum = 0.0;
            for (int32_t l = 0; l < nv; ++l) sum += mass[k * nv + l] * w->column[l];
            w->right[k] = sum + gh * w->right[k];
        }
        for (int32_t i = 0; i < n; ++i) w->left[i * n + j] = along(w, m, i, w->right);
    }
    return tw_lu(w->left, w->pivot, n) > 0.0;
}

/* k from (1 - g h A) k = F, coordinates along the speeds */
static void solve(const tw_system *s, work *w, double gh, const double *fq, const double *fv, const double *fx,
                  double *kq, double *kv, double *kx)
{
    const int32_t nv = s->nv, m = s->constraints->rows, n = w->free;
    for (int32_t k = 0; k < nv; ++k) w->moved[k] = fq[k] + gh * fv[k];
    lag(s, w, gh, w->moved, fv, fx, w->lag);
    stiffness(s, w, w->moved, fv, w->lag, w->column);
    for (int32_t j = 0; j < n; ++j) w->right[j] = -gh * along(w, m, j, w->column);
    tw_lu_solve(w->left, w->pivot, n, w->right);
    for (int32_t k = 0; k < nv; ++k) kv[k] = fv[k];
    for (int32_t j = 0; j < n; ++j) kv[w->independent[j]] += w->right[j];
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) kv[w->dependent[i]] += w->b[i * n + j] * w->right[j];
    for (int32_t k = 0; k < nv; ++k) kq[k] = fq[k] + gh * kv[k];
    lag(s, w, gh, kq, kv, fx, kx);
}

/* rates of the coordinates when the speeds are `along` */
static void turn(const tw_system *s, const double *q, const double *along_speeds, double *dq)
{
    const double *from[2] = {q, along_speeds};
    double *to[1] = {dq};
    s->turn.unit->evaluate(s->turn.c, from, to);
}

int32_t tw_rosenbrock(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                      double *all)
{
    const int64_t size = tw_state_size(s);
    const int32_t nq = s->nq, nv = s->nv, nx = s->nx;
    const double gh = GAMMA * h;
    double *z = all, *dz = all + size, *space = all + 4 * size;
    if (!s->slopes.unit || !s->constraints) return TW_BAD_CALL;
    tw_space p;
    work w;
    lay_out(s, space + tw_lay_out(s, space, &p), &w);
    memory->generic = 1;
    int32_t ended = tw_rates(s, memory, t, y, in->row[0], 0, dz, w.force, space);
    if (ended) return ended;
    tw_list_independent(s, memory->dependent, &p);
    w.free = p.free;
    for (int32_t k = 0; k < p.free; ++k) w.independent[k] = p.independent[k];
    for (int32_t i = 0; i < s->constraints->rows; ++i) w.dependent[i] = memory->dependent[i];
    for (int32_t k = 0; k < s->constraints->rows * p.free; ++k) w.b[k] = p.b[k];
    {
        const double *from[7] = {y, y + nq, dz + nq, w.force, y + nq + nv, in->row[0], &t};
        double *to[6] = {w.k, w.d, w.e, w.xq, w.xv, w.xx};
        s->slopes.unit->evaluate(s->slopes.c, from, to);
    }
    if (!prepare(s, &w, p.mass, gh)) return TW_NOT_FINITE;
    solve(s, &w, gh, y + nq, dz + nq, dz + nq + nv, w.k1q, w.k1v, w.k1x);
    turn(s, y, w.k1q, w.turned1);
    for (int32_t i = 0; i < nq; ++i) z[i] = y[i] + h * w.turned1[i];
    for (int32_t i = 0; i < nv; ++i) z[nq + i] = y[nq + i] + h * w.k1v[i];
    for (int32_t i = 0; i < nx; ++i) z[nq + nv + i] = y[nq + nv + i] + h * w.k1x[i];
    tw_normalise(s, z);
    ended = tw_rates(s, memory, t + h, z, in->row[2], 0, dz, w.force, space);
    if (ended) return ended;
    for (int32_t i = 0; i < nv; ++i) {
        z[nq + i] -= 2.0 * w.k1q[i];
        dz[nq + i] -= 2.0 * w.k1v[i];
    }
    for (int32_t i = 0; i < nx; ++i) dz[nq + nv + i] -= 2.0 * w.k1x[i];
    solve(s, &w, gh, z + nq, dz + nq, dz + nq + nv, w.k2q, w.k2v, w.k2x);
    turn(s, y, w.k2v, w.turned2);
    for (int32_t i = 0; i < nq; ++i) {
        const double second = dz[i] - 2.0 * w.turned1[i] + gh * w.turned2[i];
        y[i] += h * (1.5 * w.turned1[i] + 0.5 * second);
    }
    for (int32_t i = 0; i < nv; ++i) y[nq + i] += h * (1.5 * w.k1v[i] + 0.5 * w.k2v[i]);
    for (int32_t i = 0; i < nx; ++i) y[nq + nv + i] += h * (1.5 * w.k1x[i] + 0.5 * w.k2x[i]);
    return TW_DONE;
}
