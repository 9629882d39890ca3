/* moreau.c: non-smooth motion by time stepping (Moreau 1988, Jean 1999; Acary and Brogliato 2008).
 *
 * Over a step h the unknown is the speed w at its end. With v_θ = (1-θ) v + θ w and q_θ = q + θ h v_θ:
 *     M (w - v) + h c(q_θ, v_θ) = Nᵀ p + Tᵀ s + d + Jᵀ λ,   q⁺ = q + h v_θ
 * p are normal impulses: of a felt, h times its law at (q_θ, v_θ), taken implicitly; of a rigid contact that is closed,
 * p >= 0, N w + e N v >= 0, one of them zero. s are sliding impulses in the disc of radius µ p, opposite to the sliding
 * T w, or anything inside it where nothing slides. d is the same on single speeds, with a given radius. λ keep loops.
 *
 * Set-valued laws are written with their multiplier from before (of the iteration, of the step): s = proj(s₀ - T w / ε).
 * Newton's method on w then has one matrix of the size of the speeds, whatever touches; and as s₀ follows s, T w becomes
 * zero where it sticks, exactly: nothing creeps. */
#include "tw_core.h"

#define THETA 0.5
/* softness of the multipliers relative to what the mechanism gives by itself */
#define SOFT 1e-3
#define MOST_NEWTON 12
#define MOST_OUTER 6
#define CONVERGED 1e-9

typedef struct work {
    double *mass, *push, *k, *d, *gap, *n, *t, *pressed, *rate, *force, *by_depth, *by_rate, *restitution, *friction,
        *dry;
    double *held, *now, *soft, *give; /* multipliers before and now, ε, and M⁻¹ of a row */
    double *w, *best, *residual, *a, *factored, *free, *bar, *dq, *zero;
    int32_t *pivot;
} work;

static int32_t all_rows(const tw_system *s)
{
    const tw_contacts *t = s->contacts;
    return t->count + t->tangents + t->dry + s->constraints->rows;
}

static int64_t lay_out(const tw_system *s, double *base, work *p)
{
    const tw_contacts *t = s->contacts;
    const int64_t nv = s->nv, c = t->count, m = all_rows(s);
    double *at = base;
#define TAKE(name, size)                                                                                     \
    p->name = at;                                                                                            \
    at += (size) + 1;
    TAKE(mass, nv * nv) TAKE(push, nv) TAKE(k, nv * nv) TAKE(d, nv * nv) TAKE(gap, c) TAKE(n, c * nv)
    TAKE(t, t->tangents * nv) TAKE(pressed, c) TAKE(rate, c) TAKE(force, c) TAKE(by_depth, c) TAKE(by_rate, c)
    TAKE(restitution, c) TAKE(friction, c) TAKE(dry, t->dry) TAKE(held, m) TAKE(now, m) TAKE(soft, m) TAKE(give, nv)
    TAKE(w, nv) TAKE(best, nv) TAKE(residual, nv) TAKE(a, nv * nv) TAKE(factored, nv * nv) TAKE(free, nv)
    TAKE(bar, s->nq) TAKE(dq, s->nq) TAKE(zero, nv)
#undef TAKE
    p->pivot = (int32_t *)at;
    at += nv + 1;
    return at - base;
}

int64_t tw_moreau_space(const tw_system *s)
{
    work p;
    double nowhere[1];
    return s->contacts ? lay_out(s, nowhere, &p) : 0;
}
