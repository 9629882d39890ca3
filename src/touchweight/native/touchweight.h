/* touchweight.h: the contract between generated code, the native core and whoever calls them.
 *
 * A generated function is a unit: a constant table that says its sizes and holds its entry points. A model is a
 * handful of units; what changes (states, parameters, tables of slots) belongs to the caller. Nothing here allocates.
 * Python reads this very text: keep it to plain declarations. */
#ifndef TOUCHWEIGHT_H
#define TOUCHWEIGHT_H

#include <stdint.h>

/* raised whenever a declaration below changes */
#define TW_ABI 1

/* how the items of a batch lie in memory: distance from item to item, and from element to element, in doubles */
typedef struct tw_layout {
    int64_t item;
    int64_t element;
} tw_layout;

/* a generated function */
typedef struct tw_unit {
    uint32_t abi;        /* TW_ABI it was built with */
    uint32_t lanes;      /* items side by side in a register: 1, 2, 4 or 8 */
    uint32_t slot_lanes; /* 1 when every item of a batch has parameters of its own */
    int32_t inputs;      /* number of input arrays */
    int32_t outputs;     /* number of output arrays */
    int32_t parameters;  /* length of p */
    int32_t slots;       /* length of c */
    const int32_t *sizes_in;
    const int32_t *sizes_out;
    /* table of slots c from parameters p; lanes == 1 only */
    void (*prepare)(const double *p, double *c);
    /* one evaluation; lanes == 1 only; outputs must not overlap inputs */
    void (*evaluate)(const double *c, const double *const *in, double *const *out);
    /* count evaluations; p is read instead of c when slot_lanes is 1 */
    void (*batch)(const double *c, const double *p, tw_layout p_layout, const double *const *in,
                  const tw_layout *in_layout, double *const *out, const tw_layout *out_layout, int64_t count);
} tw_unit;

/* a system of first-order equations for the integrators: y = (q, v, x), dy/dt = f(t, y, u) */
typedef struct tw_system {
    const tw_unit *rates;       /* inputs q, v, x, u, t; outputs dq, dv, dx */
    const double *c;            /* its table of slots */
    int32_t nq, nv, nx, nu;
    int32_t balls;              /* number of quaternions in q */
    const int32_t *ball_start;  /* where each starts in q */
} tw_system;

/* how a run ended */
enum { TW_DONE = 0, TW_NOT_FINITE = 1, TW_BAD_CALL = 2 };
/* methods of integration */
enum { TW_EULER = 0, TW_RK4 = 1 };

/* Integrate n steps of length h from time t, in place on y. u holds nu inputs (u_step == 0) or one row per step.
 * Every `every`-th step (and not the start) is written to rows of record: y. work holds tw_work_size() doubles.
 * Returns how it ended; *taken is the number of steps done. */
int32_t tw_integrate(const tw_system *system, int32_t method, double t, double h, int64_t n, double *y,
                     const double *u, int64_t u_step, int64_t every, double *record, double *work, int64_t *taken);

/* doubles of work space that tw_integrate needs */
int64_t tw_work_size(const tw_system *system);

/* ABI the native core was built with */
uint32_t tw_abi(void);

#endif
