/* tw_closure.h: what closure.c, reduce.c and constrain.c share. */
#ifndef TW_CLOSURE_H
#define TW_CLOSURE_H

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

static inline int32_t tw_fixed_speeds(const tw_constraints *c) { return c->driven + c->locked; }

TW_INTERNAL void tw_move(const tw_system *s, double *q, const double *along, double factor, tw_space *p);
TW_INTERNAL void tw_drive(const tw_system *s, double t, double *y, const double *u, double later, tw_space *p);
TW_INTERNAL double tw_closure(const tw_system *s, double t, const double *q, tw_space *p);
TW_INTERNAL double tw_factor(const tw_system *s, const int32_t *dependent, int32_t n, tw_space *p);
TW_INTERNAL double tw_choose(const tw_system *s, tw_memory *memory, tw_space *p);
TW_INTERNAL double tw_factor_well(const tw_system *s, tw_memory *memory, int32_t n, int keep, tw_space *p);
TW_INTERNAL int32_t tw_newton_positions(const tw_system *s, tw_memory *memory, double t, double *q, int keep,
                                        tw_space *p);
TW_INTERNAL void tw_close_speeds(const tw_system *s, const tw_memory *memory, double *v, tw_space *p);
TW_INTERNAL int32_t tw_accelerate(const tw_system *s, tw_memory *memory, double t, const double *y, const double *u,
                                  const double *extra, double *dy, double *force, tw_space *p);

#endif
