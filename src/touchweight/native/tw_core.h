/* tw_core.h: what the units of the native core share. */
#ifndef TW_CORE_H
#define TW_CORE_H

#include "touchweight.h"

#if defined(_WIN32)
#define TW_EXPORT __declspec(dllexport)
#define TW_INTERNAL
#else
#define TW_EXPORT __attribute__((visibility("default")))
#define TW_INTERNAL __attribute__((visibility("hidden")))
#endif

static inline double tw_size(double x) { return __builtin_fabs(x); }
static inline double tw_root(double x) { return __builtin_sqrt(x); }
static inline int64_t tw_state_size(const tw_system *s) { return (int64_t)s->nq + s->nv + s->nx; }

/* dense.c */
TW_INTERNAL double tw_lu(double *a, int32_t *pivot, int32_t n);
TW_INTERNAL void tw_lu_solve(const double *a, const int32_t *pivot, int32_t n, double *x);
TW_INTERNAL void tw_lu_solve_transposed(const double *a, const int32_t *pivot, int32_t n, double *x);
TW_INTERNAL int tw_ldl(double *a, int32_t n);
TW_INTERNAL void tw_ldl_solve(const double *a, int32_t n, double *x);
TW_INTERNAL double tw_choose_columns(double *a, int32_t rows, int32_t first, int32_t columns, int32_t *chosen);

/* constrain.c */
/* where the constraints work: pieces of the caller's work space */
typedef struct tw_space {
    double *h, *j_all, *r_all, *d_all; /* as the units give them */
    double *j, *r, *lu, *rhs;          /* rows in use, scaled */
    double *a0, *tau, *mass, *b, *w, *reduced, *step, *dq, *drive, *free_columns;
    double *aside_y, *aside_dy, *aside_force, *held;
    int32_t *pivot, *independent, *kind, *trial;
    int32_t free;
} tw_space;
TW_INTERNAL int64_t tw_lay_out(const tw_system *s, double *base, tw_space *p);
TW_INTERNAL void tw_list_independent(const tw_system *s, const int32_t *dependent, tw_space *p);
TW_INTERNAL int64_t tw_constraint_space(const tw_system *s);
TW_INTERNAL int32_t tw_rates(const tw_system *s, tw_memory *memory, double t, double *y, const double *u,
                             const double *tau, double *dy, double *force, double *space);
TW_INTERNAL void tw_begin_step(const tw_system *s, tw_memory *memory, double t, const double *y, int generated,
                               double *space);
TW_INTERNAL int32_t tw_close(const tw_system *s, tw_memory *memory, double t, double *y, const double *u, double *space);
TW_INTERNAL void tw_normalise(const tw_system *s, double *q);

TW_INTERNAL int32_t tw_close_positions(const tw_system *s, tw_memory *memory, double t, double *y, const double *u,
                                       double *space);

/* impact.c */
TW_INTERNAL int64_t tw_impact_space(const tw_system *s);
TW_INTERNAL int32_t tw_impact(const tw_system *s, tw_memory *memory, double t, double *y, const double *u,
                              const double *normal, double wanted, double *work);

/* integrate.c */
/* the inputs over one step: rows at its start, middle and end (all the same when held) */
typedef struct tw_inputs {
    const double *row[3];
} tw_inputs;
/* whether the units of a system can be called from here */
TW_INTERNAL int tw_usable(const tw_system *s);
TW_INTERNAL int32_t tw_step(const tw_system *s, tw_memory *memory, int32_t method, double t, double h, double *y,
                            const tw_inputs *in, double *work);

/* rosenbrock.c */
TW_INTERNAL int64_t tw_rosenbrock_space(const tw_system *s);
TW_INTERNAL int32_t tw_rosenbrock(const tw_system *s, tw_memory *memory, double t, double h, double *y,
                                  const tw_inputs *in, double *work);

/* moreau.c */
TW_INTERNAL void tw_loop_rows(const tw_system *s, double t, const double *q, double *rows, double *wanted,
                              double *space);
TW_INTERNAL void tw_fix_speeds(const tw_system *s, double t, double *w, const double *u, double *space);
TW_INTERNAL int64_t tw_moreau_space(const tw_system *s);
TW_INTERNAL int32_t tw_moreau(const tw_system *s, tw_memory *memory, double t, double h, double *y, const tw_inputs *in,
                              double *work);

TW_INTERNAL void tw_record_forces(const tw_system *s, tw_memory *memory, double time);

#endif
