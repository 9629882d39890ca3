/* moreau_lanes.h: opens a unit that carries several copies of one mechanism side by side, one in each lane.
 *
 * The unit is generated; before it includes this it defines its sizes: NQ NV NX NU, CONTACTS, TANGENTS, DRY, DRIVEN,
 * PARAMETERS, SLOTS, and how many entries are not zero: ENTRIES (of all rows), MASS, BASE, STIFF, DAMP. It goes on with
 *   middle      everything at the predicted middle of a step;  turn, lags, drives: as in touchweight.h
 *   normalise   the quaternions of q
 *   make_base   A = M + theta h (D + theta h K);  soften: g A^-1 g^T of every row;  inertia: A (w - v)
 *   along       G x for every row;  push_back: r - G^T p;  solve: (A + sum weight g^T g - sum follow t^T n
 *               + sum side c^T c) x = r, with c = t_2 e_1 - t_1 e_2 across the direction e of sliding in space
 *   law_0, ...  force of every compliant contact and its slopes
 *   LAWS(X)     X(i) for every compliant contact i;  RIGID(X): X(i) for every other
 *   SLIDES(X)   X(i, first, last): the sliding rows of contact i
 * and ends by including moreau_lanes_end.h, which holds the method. */
#ifndef TW_MOREAU_LANES_H
#define TW_MOREAU_LANES_H

#if !defined(TW_LANES) || TW_LANES < 2
#error "TW_LANES must be 2, 4 or 8"
#endif
#define TW_SLOT_LANES 1

#include "tw_ensemble.h"
#include "tw_unit.h"

#define ROWS (CONTACTS + TANGENTS + DRY)
#define FIRST_DRY (CONTACTS + TANGENTS)

/* where a step works; rows are ordered normal, sliding, dry friction */
typedef struct work {
    const tw_real *c;
    /* at the middle of the step; friction and restitution by contact */
    tw_real gap[CONTACTS + 1], g[ENTRIES + 1], mass[MASS + 1], push[NV + 1], k[STIFF + 1], d[DAMP + 1];
    tw_real restitution[CONTACTS + 1], friction[CONTACTS + 1], dry[DRY + 1], bar[NQ + 1], dq[NQ + 1];
    /* the same for all looks: A, v, G v, wanted speeds, softness of rows and one over it, 1 / M_kk */
    tw_real base[BASE + 1], v[NV + 1], gv[ROWS + 1], target[CONTACTS + 1], soft[ROWS + 1], hard[ROWS + 1];
    tw_real light[NV + 1];
    /* a look: speeds, G w, impulses, projected trial values, slopes of felts, directions of sliding, friction's
       radius over its trial value, A (w - v) + h c, what is left over */
    tw_real w[NV + 1], gw[ROWS + 1], p[ROWS + 1], trial[ROWS + 1], stiff[CONTACTS + 1], turn[CONTACTS + 1];
    tw_real slope[ROWS + 1], moved[NV + 1], right[NV + 1];
    tw_mask held[ROWS + 1];
    /* impulses at the end of a Newton step */
    tw_real to[ROWS + 1];
} work;

/* x^y for positive, normal x: a relative error of at most 1e-13 while |y log x| < 100, at a third of the price of
   tw_pow; beyond e^-700 and e^700 it stays there */
TW_INLINE tw_real tw_power(tw_real x, tw_real y)
{
    const tw_real o = {0};
    tw_bits_ u = (tw_bits_)x + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    tw_real k = (tw_real)((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    tw_real f = (tw_real)((u & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0; /* x = 2^k (1 + f) */
    tw_real s = f / (2.0 + f), z = s * s, q = z * z;
    tw_real a = tw_fma_(z, o + 0x1.39a1e8a709101p-3, o + 0x1.74663ced9a7fep-3);
    tw_real b = tw_fma_(z, o + 0x1.c71c521455a71p-3, o + 0x1.24924941e149fp-2);
    tw_real l = tw_fma_(z, o + 0x1.999999997ff1ap-2, o + 0x1.5555555555592p-1);
    l = tw_fma_(q, tw_fma_(q, tw_fma_(q, o + 0x1.2f03bca3f7850p-3, a), b), l);
    l = tw_fma_(k, o + 0x1.62e42fefa39efp-1, s * tw_fma_(z, l, o + 2.0)); /* log x */
    tw_real e = y * l;
    e = tw_select(tw_lt(e, o + 700.0), e, o + 700.0);
    e = tw_select(tw_gt(e, o - 700.0), e, o - 700.0);
    tw_real t = tw_fma_(e, o + 0x1.71547652b82fep+0, o + TW_MAGIC_), n = t - TW_MAGIC_;
    tw_real r = tw_fma_(n, o - 0x1.ef35793c76730p-45, tw_fma_(n, o - 0x1.62e42fefa3800p-1, e)), w = r * r;
    tw_real v = 1.0 + tw_fma_(w, tw_exp_poly_(r, w), r);
    return (tw_real)((tw_bits_)v + ((tw_bits_)t << 52));
}

#endif
