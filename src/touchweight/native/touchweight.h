/* touchweight.h: the contract between generated code, the native core and whoever calls them.
 *
 * A generated function is a unit: a constant table that says its sizes and holds its entry points. A model is a
 * handful of units; what changes (states, parameters, tables of slots) belongs to the caller. Nothing here allocates.
 * Python reads this very text: keep it to plain declarations. */
#ifndef TOUCHWEIGHT_H
#define TOUCHWEIGHT_H

#include <stdint.h>

/* raised whenever a declaration below changes */
#define TW_ABI 2

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

/* a generated function with its table of slots; unit is null where there is none */
typedef struct tw_function {
    const tw_unit *unit;
    const double *c;
} tw_function;

/* what restricts the motion: rows of h(q, t) = 0, J v + r = 0, J a + d = 0, and driven and locked speeds */
typedef struct tw_constraints {
    int32_t rows;                     /* rows of J in use */
    int32_t positions;                /* the first so many of them have a residual h */
    int32_t all_rows;                 /* rows that closure and drift give; the others of them are redundant */
    const int32_t *row;               /* which of them are in use */
    const double *row_scale;          /* size of each row of J in use */
    const double *column_scale;       /* size of a step of each speed */
    double pivot;                     /* the smallest pivot of the scaled J_v where it is at its best */
    int32_t driven;                   /* number of driven speeds */
    const int32_t *driven_speed;
    const int32_t *driven_coordinate;
    int32_t locked;                   /* number of locked speeds */
    const int32_t *locked_speed;
    const int32_t *dependent;         /* speeds the rows are solved for to begin with, one for each row */
    tw_function closure;              /* q, t -> h, J, r */
    tw_function drift;                /* q, v, t -> d */
    tw_function drives;               /* u, t -> q, v, a of the driven */
    tw_function lags;                 /* q, v, x, u, t -> dx */
    tw_function inverse;              /* q, v, a, x, u, t -> tau */
    tw_function mass;                 /* q -> M */
    tw_function newton;               /* q, t -> h, step, health: the generated partition */
    tw_function speeds;               /* q, v, t -> v: the same */
    tw_function reduced;              /* q, v, x, u, t -> v, dq, dv, dx: the same */
    tw_function feel;                 /* the same, and the forces of rows, drives and locks */
} tw_constraints;

/* what may touch: rows of gaps and of sliding, laws, and dry friction on speeds */
typedef struct tw_contacts {
    int32_t count;               /* normal rows */
    int32_t tangents;            /* sliding rows */
    int32_t dry;                 /* speeds with dry friction */
    const int32_t *compliant;    /* for each normal row: 1 when a law gives its force, 0 when it is rigid */
    const int32_t *slide_start;  /* for each normal row, and one more: where its sliding rows start */
    const int32_t *dry_speed;
    tw_function touch;           /* q, t -> gaps, normal rows, sliding rows */
    tw_function law;             /* compression, its rate -> force, its slopes by both */
    tw_function limits;          /* t -> restitution, friction coefficient, dry friction */
    tw_function push;            /* q, v, x, u, t -> generalised forces of laws, their slopes by q and by v */
} tw_contacts;

/* a system of first-order equations for the integrators: y = (q, v, x), dy/dt = f(t, y, u) */
typedef struct tw_system {
    tw_function rates;          /* q, v, x, u, t -> dq, dv, dx; not asked when there are constraints */
    tw_function turn;           /* q, v -> dq */
    tw_function slopes;         /* q, v, a, lambda, x, u, t -> derivatives, for the implicit method */
    int32_t nq, nv, nx, nu;
    int32_t balls;              /* number of quaternions in q */
    const int32_t *ball_start;  /* where each starts in q */
    const tw_constraints *constraints; /* null for a tree without drives */
    const tw_contacts *contacts;       /* null where nothing touches */
} tw_system;

/* what a run remembers from step to step, and tells about itself */
typedef struct tw_memory {
    int32_t *dependent;     /* one for each row: the partition in use */
    int32_t generic;        /* 1 when the generated partition is not in use */
    int32_t most_newton;    /* most Newton steps in one closure */
    int64_t evaluations;    /* of the accelerations */
    int64_t newton;         /* Newton steps */
    int64_t switches;       /* of the partition */
    int64_t singular;       /* evaluations at singular positions */
    double residual;        /* largest |h| at the end of the last step */
    double speed_residual;  /* largest |J v + r| there */
    double *impulse;        /* of contacts: normal rows, sliding rows, dry friction, rows of closure; in the last step */
    double *drive_impulse;  /* of driven and locked speeds, in the last step */
    double *impulse_sum;    /* impulses of contacts, then of drives and locks, since the last recorded row; or null */
    double *force_record;   /* rows of mean forces and of the two works below, advanced with every recorded row; or null */
    double contact_work;    /* work of contacts and dry friction since the start [J] */
    double drive_work;      /* work of drives [J] */
    double theta;           /* of the non-smooth method: 1/2 the middle, 1 the end of the step */
    double contact_tolerance; /* at which the contact problem counts as solved [sqrt J] */
    double contact_residual; /* of the contact problem, relative */
    int32_t contact_iterations; /* of the last step */
    int32_t most_contact_iterations;
} tw_memory;

/* how a run ended */
enum { TW_DONE = 0, TW_NOT_FINITE = 1, TW_BAD_CALL = 2, TW_OPEN = 3, TW_TOO_MANY_EVENTS = 4, TW_EVENTS_FULL = 5 };
/* methods of integration */
enum { TW_EULER = 0, TW_RK4 = 1, TW_ROSENBROCK = 2, TW_MOREAU = 3 };

/* Integrate n steps of length h from time t, in place on y. u holds one row of nu inputs (u_per_step == 0), one row for
 * each step (1), or rows at the start, middle and end of the steps (2: 2 n + 1 rows).
 * Every `every`-th step (and not the start) is written to rows of record: y; and, with constraints, to residual: the
 * largest |h| since the row before. work holds tw_work_size() doubles.
 * Returns how it ended; *taken is the number of steps done. */
int32_t tw_integrate(const tw_system *system, tw_memory *memory, int32_t method, double t, double h, int64_t n, double *y,
                     const double *u, int32_t u_per_step, int64_t every, double *record, double *residual, double *work,
                     int64_t *taken);

/* Close the loops at y (driven coordinates, positions, speeds) and give its rates; force gets the multipliers of the
 * rows in use, then the forces of the drives, then those of the locks, and may be null; tau is added to the
 * generalised forces and may be null. Returns TW_DONE or TW_OPEN. */
int32_t tw_evaluate(const tw_system *system, tw_memory *memory, double t, double *y, const double *u, const double *tau,
                    double *dy, double *force, double *work);

/* a way from one mode to another */
typedef struct tw_transition {
    int32_t source, target;
    int32_t rest;        /* the mode to enter when events accumulate; -1 for none */
    int32_t impact;      /* 1 when there is an impact along the guard */
    int32_t needs_force; /* 1 when the guard reads forces */
    tw_function guard;   /* q, v, x, u, t, force -> g: positive while the source is valid */
    tw_function reset;   /* q, v, x, u, t -> q, v, x, restitution, normal */
} tw_transition;

/* what a run with modes remembers about each transition */
typedef struct tw_watch {
    int32_t armed;     /* 1 once its guard has been positive in this stay in the mode */
    double g;          /* its guard at the start of the step */
    double last;       /* when it was last taken [s] */
    double interval;   /* between the last two times [s] */
    double predicted;  /* when it is expected next, from the steps before [s] */
} tw_watch;

/* several modes of one mechanism; every system has constraints, if only empty ones */
typedef struct tw_hybrid {
    int32_t modes;
    const tw_system *const *system;
    tw_memory *const *memory;
    int32_t transitions;
    const tw_transition *transition;
    tw_watch *watch;        /* one for each transition */
    double tolerance;       /* how closely events are located [s] */
    double rest_time;       /* events that would end within this time go to rest [s] */
    int32_t most_events;    /* in one step; then to rest as well */
    int32_t live;           /* drives from outside */
    const int32_t *live_input; /* the input with the position of each; its velocity and acceleration come next */
} tw_hybrid;

/* a transition that was taken */
typedef struct tw_event {
    double t;
    int32_t transition;
    int32_t source;
    int32_t target;
    int32_t rested; /* 1 when events accumulated here, 2 when modes sent each other back and forth */
} tw_event;

/* As tw_integrate, with transitions located inside the steps; mode_record gets the mode of each row. Ends with
 * TW_EVENTS_FULL at a step boundary when most_events places or fewer are left in events. */
int32_t tw_run(const tw_hybrid *hybrid, int32_t *mode, int32_t method, double t, double h, int64_t n, double *y,
               const double *u, int32_t u_per_step, int64_t every, double *record, double *residual,
               int32_t *mode_record, tw_event *events, int64_t capacity, int64_t *count, double *work, int64_t *taken);

/* doubles of work space that tw_run needs */
int64_t tw_run_size(const tw_hybrid *hybrid);

/* doubles of work space that tw_integrate and tw_evaluate need */
int64_t tw_work_size(const tw_system *system);

/* ---- friction problems (cone.c) ---- */
/* the most contacts of one problem */
enum { TW_MOST_CONTACTS = 10000 };
/* a call that used up its sweeps: what it gives is usable, its residual says how well */
enum { TW_STOPPED = 6 };

/* find r: u = W r + q, Coulomb's law with Signorini's condition at every contact; rows of a contact: normal first */
typedef struct tw_cone_problem {
    int32_t contacts;
    int32_t dimension;         /* rows of a contact: 2 or 3 */
    const double *w;           /* symmetric, positive semidefinite, by rows */
    const double *q;           /* speeds without impulses */
    const double *mu;          /* friction coefficient of each contact */
    const int32_t *bilateral;  /* of each contact: 1 when it keeps u = 0 and has no cone; or null */
} tw_cone_problem;

typedef struct tw_cone_options {
    double tolerance;          /* of the residual */
    int32_t most_sweeps;       /* over each group */
    int32_t newton;            /* 1: Newton's method where it pays; 0: sweeps only */
    double relaxation;         /* 1: none; below 2 */
    double *history;           /* residual after every sweep, most_sweeps of them; or null */
} tw_cone_options;

typedef struct tw_cone_report {
    double residual;           /* largest |r - P_K(r - u - mu |u_t| e_n)| in scaled r and u, relative to both */
    int32_t sweeps;            /* of the group that took most */
    int32_t newton_steps;      /* of all groups */
    int32_t groups;            /* of contacts that act on each other; 0 when all contacts open by themselves */
} tw_cone_report;

/* Solve a friction problem from r, in place; u gets the speeds. work holds tw_cone_size() doubles.
 * Returns TW_DONE, TW_STOPPED, TW_NOT_FINITE or TW_BAD_CALL. */
int32_t tw_cone_solve(const tw_cone_problem *problem, const tw_cone_options *options, double *r, double *u,
                      tw_cone_report *report, double *work);

/* doubles of work space that tw_cone_solve needs */
int64_t tw_cone_size(int32_t contacts, int32_t dimension);
/* ---- end of friction problems ---- */

/* ABI the native core was built with */
uint32_t tw_abi(void);

#endif
