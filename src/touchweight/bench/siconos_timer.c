/* Times Siconos' solvers of friction problems and ours, one after the other in the same run, each inside its own call:

     siconos_timer CORE PROBLEMS RESULTS TOLERANCE PASSES SECONDS

   CORE is the library of the native core. PROBLEMS holds, for each problem, doubles: dimension, contacts, W by rows, q,
   mu. RESULTS receives, for each problem and each solver in turn, r then u. Prints JSON: for each problem the solvers'
   names, whether they succeeded, the error by Siconos' own measure (relative to |q|), iterations, seconds of the best
   and of the median pass. Ours is asked for more until it meets TOLERANCE by that measure: both solve equally well. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "touchweight.h"

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "NumericsSparseMatrix.h"
#include "NumericsVerbose.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"
#include "fc2d_compute_error.h"
#include "fc3d_compute_error.h"

typedef struct {
    const char *name;
    int id, most_contacts, blocks; /* blocks: 1 when W is given as a matrix of blocks that are not zero */
} solver_t;

static const solver_t SOLVERS_3D[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 1000, 0},
    {"NSGS, blocks", SICONOS_FRICTION_3D_NSGS, 1000, 1},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 20, 0},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, 20, 0},
};
static const solver_t SOLVERS_2D[] = {
    {"NSGS", SICONOS_FRICTION_2D_NSGS, 1000, 0},
    {"CPG", SICONOS_FRICTION_2D_CPG, 1000, 0},
    {"LEMKE", SICONOS_FRICTION_2D_LEMKE, 20, 0},
    {"ENUM", SICONOS_FRICTION_2D_ENUM, 2, 0},
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why ? why : "failed");
    exit(1);
}

static void *reserve(size_t size) {
    void *p = calloc(size ? size : 1, 1);
    if (!p) fail("out of memory");
    return p;
}

static double *read_doubles(FILE *f, size_t n) {
    double *x = reserve(n * sizeof(double));
    if (fread(x, sizeof(double), n, f) != n) fail("the file of problems is too short");
    return x;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct {
    int d, n, m;
    double *w, *q, *mu, *r, *u;
    FrictionContactProblem *dense, *blocks;
} problem_t;

static double their_error(problem_t *p) {
    double error = 1e30, norm = 0.0;
    double *r = reserve(p->m * sizeof(double)), *u = reserve(p->m * sizeof(double));
    memcpy(r, p->r, p->m * sizeof(double)); /* it overwrites the speeds with its own W r + q */
    memcpy(u, p->u, p->m * sizeof(double));
    for (int i = 0; i < p->m; i++) norm += p->q[i] * p->q[i];
    norm = sqrt(norm);
    if (p->d == 3) {
        SolverOptions *o = solver_options_create(SICONOS_FRICTION_3D_NSGS);
        fc3d_compute_error(p->dense, r, u, 1e-30, o, norm, &error);
        solver_options_delete(o);
        free(o);
    } else {
        fc2d_compute_error(p->dense, r, u, 1e-30, norm, &error);
    }
    free(r);
    free(u);
    return isfinite(error) ? error : 1e30;
}

typedef struct {
    int ok, iterations, steps, passes;
    double best, median;
} timed_t;

#define MOST_PASSES 1000
#define MOST_ITERATIONS 5000
static double taken[MOST_PASSES];

static void finish(timed_t *t) {
    qsort(taken, t->passes, sizeof(double), by_size);
    t->best = taken[0];
    t->median = taken[t->passes / 2];
}

static timed_t run_theirs(problem_t *p, const solver_t *s, double tolerance, int passes, double limit) {
    timed_t t = {0, 0, 0, 0, 0.0, 0.0};
    const double begun = seconds();
    for (int k = 0; k < passes && (k == 0 || seconds() - begun < limit); k++) {
        SolverOptions *o = solver_options_create(s->id);
        o->dparam[SICONOS_DPARAM_TOL] = tolerance;
        o->iparam[SICONOS_IPARAM_MAX_ITER] = MOST_ITERATIONS;
        memset(p->r, 0, p->m * sizeof(double));
        memset(p->u, 0, p->m * sizeof(double));
        const double from = seconds();
        const int info = p->d == 3 ? fc3d_driver(s->blocks ? p->blocks : p->dense, p->r, p->u, o)
                                   : fc2d_driver(p->dense, p->r, p->u, o);
        taken[t.passes++] = seconds() - from;
        t.ok = info == 0;
        t.iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
        solver_options_delete(o);
        free(o);
    }
    finish(&t);
    return t;
}

typedef int32_t (*solve_t)(const tw_cone_problem *, const tw_cone_options *, double *, double *, tw_cone_report *,
                           double *);
typedef int64_t (*size_t_)(int32_t, int32_t);

static timed_t run_ours(problem_t *p, solve_t solve, double *work, double tolerance, int newton, int passes,
                        double limit) {
    timed_t t = {0, 0, 0, 0, 0.0, 0.0};
    tw_cone_problem problem = {p->n, p->d, p->w, p->q, p->mu, NULL};
    tw_cone_options options = {tolerance, newton ? 2000 : MOST_ITERATIONS, newton, 1.0, NULL};
    tw_cone_report report;
    const double begun = seconds();
    for (int k = 0; k < passes && (k == 0 || seconds() - begun < limit); k++) {
        memset(p->r, 0, p->m * sizeof(double));
        const double from = seconds();
        const int ended = solve(&problem, &options, p->r, p->u, &report, work);
        taken[t.passes++] = seconds() - from;
        t.ok = ended == TW_DONE;
        t.iterations = report.sweeps;
        t.steps = report.newton_steps;
    }
    finish(&t);
    return t;
}

static void tell(const char *name, const problem_t *p, timed_t t, double error, double own, int last, FILE *out) {
    printf("  {\"solver\": \"%s\", \"ok\": %s, \"error\": %.3e, \"iterations\": %d, \"newton_steps\": %d, "
           "\"tolerance\": %.1e, \"best\": %.9e, \"median\": %.9e, \"passes\": %d}%s\n",
           name, t.ok ? "true" : "false", error, t.iterations, t.steps, own, t.best, t.median, t.passes,
           last ? "" : ",");
    fwrite(p->r, sizeof(double), p->m, out);
    fwrite(p->u, sizeof(double), p->m, out);
}

static FrictionContactProblem *make(problem_t *p, int blocks) {
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, p->m, p->m, p->w); /* symmetric: by rows or by columns */
    if (blocks) {
        NumericsMatrix *sparse = NM_create(NM_SPARSE, p->m, p->m);
        NM_triplet_alloc(sparse, 16);
        NM_copy_to_sparse(M, sparse, 0.0);
        SparseBlockStructuredMatrix *b = SBM_new();
        SBM_from_csparse(p->d, NM_csc(sparse), b);
        M = NM_new_SBM(p->m, p->m, b);
    }
    return frictionContactProblem_new_with_data(p->d, p->n, M, p->q, p->mu);
}

int main(int argc, char **argv) {
    if (argc != 7) fail("usage: siconos_timer CORE PROBLEMS RESULTS TOLERANCE PASSES SECONDS");
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) fail(dlerror());
    solve_t solve = (solve_t)dlsym(library, "tw_cone_solve");
    size_t_ size = (size_t_)dlsym(library, "tw_cone_size");
    if (!solve || !size) fail(dlerror());
    FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
    if (!in || !out) fail("a file cannot be opened");
    const double tolerance = atof(argv[4]), limit = atof(argv[6]);
    const int passes = atoi(argv[5]) < MOST_PASSES ? atoi(argv[5]) : MOST_PASSES;
    numerics_set_verbose(0);
    double head[2];
    printf("[\n");
    for (int number = 0; fread(head, sizeof(double), 2, in) == 2; number++) {
        problem_t p = {(int)head[0], (int)head[1], (int)(head[0] * head[1]), 0, 0, 0, 0, 0, 0, 0};
        p.w = read_doubles(in, (size_t)p.m * p.m);
        p.q = read_doubles(in, p.m);
        p.mu = read_doubles(in, p.n);
        p.r = reserve(p.m * sizeof(double));
        p.u = reserve(p.m * sizeof(double));
        p.dense = make(&p, 0);
        p.blocks = p.d == 3 ? make(&p, 1) : NULL;
        double *work = reserve((size_t)size(p.n, p.d) * sizeof(double));
        printf("%s [\n", number ? "," : "");
        double own = 10.0 * tolerance, error;
        do {
            own *= 0.1;
            run_ours(&p, solve, work, own, 1, 1, 0.0);
            error = their_error(&p);
        } while (error > tolerance && own > 1e-15);
        timed_t t = run_ours(&p, solve, work, own, 1, passes, limit);
        tell("touchweight", &p, t, error, own, 0, out);
        t = run_ours(&p, solve, work, own, 0, passes, limit);
        tell("touchweight, sweeps only", &p, t, their_error(&p), own, 0, out);
        const solver_t *list = p.d == 3 ? SOLVERS_3D : SOLVERS_2D;
        const int all = (int)(p.d == 3 ? sizeof SOLVERS_3D : sizeof SOLVERS_2D) / (int)sizeof(solver_t);
        int count = 0;
        for (int k = 0; k < all; k++) count += p.n <= list[k].most_contacts;
        for (int k = 0; k < all; k++) {
            if (p.n > list[k].most_contacts) continue;
            t = run_theirs(&p, list + k, tolerance, passes, limit);
            tell(list[k].name, &p, t, their_error(&p), tolerance, --count == 0, out);
            fflush(stdout);
        }
        printf(" ]\n");
        free(work);
    }
    printf("]\n");
    return 0;
}
