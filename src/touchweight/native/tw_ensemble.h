/* tw_ensemble.h: the contract of units that carry several copies of one mechanism side by side.
 * Python reads this very text: keep it to plain declarations. */
#ifndef TW_ENSEMBLE_H
#define TW_ENSEMBLE_H

#include <stdint.h>

/* raised whenever a declaration below changes */
#define TW_ENSEMBLE_ABI 1

/* copies of one mechanism, in blocks of as many as there are lanes; arrays are aligned to a register, the numbers of
 * a block lie lane by lane: element 0 of every copy, element 1 of every copy, ... */
typedef struct tw_copies {
    int64_t blocks;
    int64_t copies;             /* the lanes beyond repeat the last one */
    const double *c;            /* tables of slots, slots + 1 for each copy */
    double *y;                  /* q, v, x */
    double *impulse;            /* of rows, then of drives, and one more: in the last step [N s, N m s] */
    double *told;               /* residual and looks of the last step, most looks, largest residual so far */
    double theta;               /* 1/2: felts in the middle of the step; 1: at its end */
    double tolerance;           /* at which the contact problem counts as solved [sqrt J] */
    int64_t recorded;           /* number of copies to record */
    const int64_t *record_copy; /* which ones */
} tw_copies;

typedef struct tw_ensemble {
    uint32_t abi;   /* TW_ENSEMBLE_ABI it was built with */
    uint32_t lanes; /* copies side by side in a register: 2, 4 or 8 */
    int32_t nq, nv, nx, nu;
    int32_t rows;   /* normal rows, sliding rows, dry friction */
    int32_t driven;
    int32_t parameters;
    int32_t slots;
    /* table of slots of one block from its parameters, both lane by lane */
    void (*prepare)(const double *p, double *c);
    /* n steps of length h from time t. u holds rows of nu inputs for every copy: one row (u_per_step == 0), one for each
     * step (1), or rows at the start, middle and end of the steps (2: 2 n + 1 rows). Every `every`-th step the recorded
     * copies are written to rows of record (y) and force_record (mean forces). Returns 0, or 1 when a copy is no longer
     * finite. */
    int32_t (*run)(const tw_copies *copies, double t, double h, int64_t n, const double *u, int32_t u_per_step,
                   int64_t every, double *record, double *force_record);
} tw_ensemble;

#endif
