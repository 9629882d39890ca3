/* Times a generated unit by the loop that times its rivals:

     touchweight_timer MODE UNIT CORE SLOTS STATES RESULTS COUNT REPEAT JOINTS

   MODE is one (an evaluation at a time), items or elements (the whole batch: items one after another in memory, or
   equal elements side by side) or rk4 (steps of the native integrator). SLOTS holds the table of slots, STATES rows of
   q, v, u. RESULTS receives the outputs of every state. */
#include <dlfcn.h>
#include <string.h>

#include "state_timer.h"
#include "touchweight.h"

typedef struct {
    const tw_unit *unit;
    const double *c;
    const double *in[8];
    double *out[8];
    size_t joints, count, takes;
    tw_layout in_layout[8], out_layout[8];
    const tw_system *system;
    int32_t (*integrate)(const tw_system *, int32_t, double, double, int64_t, double *, const double *, int64_t,
                         int64_t, double *, double *, int64_t *);
    double *y, *work, *record;
} context_t;

static double nothing[64];

static void one(void *context, const double *state) {
    context_t *x = (context_t *)context;
    for (size_t k = 0; k < x->takes; k++) x->in[k] = state + k * x->joints;
    x->unit->evaluate(x->c, x->in, x->out);
}

static void whole(void *context, const double *state) {
    context_t *x = (context_t *)context;
    (void)state;
    x->unit->batch(x->c, NULL, x->in_layout[0], x->in, x->in_layout, x->out, x->out_layout, (int64_t)x->count);
}

static void step(void *context, const double *state) {
    context_t *x = (context_t *)context;
    int64_t taken;
    memcpy(x->y, state, 2 * x->joints * sizeof(double));
    x->integrate(x->system, TW_RK4, 0.0, 1e-3, 1, x->y, nothing, 0, 1, x->record, x->work, &taken);
}

static void *symbol_of(const char *path, const char *name) {
    void *library = dlopen(path, RTLD_NOW), *found = library ? dlsym(library, name) : NULL;
    if (!found) timer_fail(dlerror());
    return found;
}

int main(int argc, char **argv) {
    if (argc != 10) timer_fail("usage: touchweight_timer MODE UNIT CORE SLOTS STATES RESULTS COUNT REPEAT JOINTS");
    const char *mode = argv[1];
    const tw_unit *unit = (const tw_unit *)symbol_of(argv[2], "tw_unit_table");
    const size_t count = strtoul(argv[7], NULL, 10), repeat = strtoul(argv[8], NULL, 10);
    const size_t joints = strtoul(argv[9], NULL, 10), width = 3 * joints;
    const double *states = timer_read(argv[5], count * width);
    context_t x = {.unit = unit, .joints = joints, .count = count};
    x.c = timer_read(argv[4], (size_t)unit->slots);
    FILE *file = fopen(argv[6], "wb");
    if (!file) timer_fail("the results cannot be written");

    timing t;
    if (!strcmp(mode, "rk4")) {
        const tw_system system = {unit, x.c, (int32_t)joints, (int32_t)joints, 0, 0, 0, NULL};
        x.system = &system;
        *(void **)&x.integrate = symbol_of(argv[3], "tw_integrate");
        x.y = calloc(2 * joints + 1, sizeof(double));
        x.record = calloc(2 * joints + 1, sizeof(double));
        x.work = calloc(10 * joints + 8, sizeof(double));
        for (size_t i = 0; i < count; i++) {
            step(&x, states + i * width);
            timer_write(file, x.y, 2 * joints);
        }
        t = time_states(step, &x, states, count, width, repeat);
    } else if (!strcmp(mode, "one")) {
        for (int k = 0; k < unit->inputs; k++) {
            x.in[k] = nothing;
            if ((size_t)unit->sizes_in[k] == joints && k < 3) x.takes = (size_t)k + 1;
        }
        for (int k = 0; k < unit->outputs; k++) x.out[k] = calloc((size_t)unit->sizes_out[k] + 1, sizeof(double));
        for (size_t i = 0; i < count; i++) {
            one(&x, states + i * width);
            timer_write(file, x.out[0], (size_t)unit->sizes_out[0]);
        }
        t = time_states(one, &x, states, count, width, repeat);
    } else {
        const int beside = !strcmp(mode, "elements");
        const size_t pad = count + 8; /* keeps columns off one another's cache lines */
        for (int k = 0; k < unit->inputs; k++) {
            const size_t n = (size_t)unit->sizes_in[k];
            double *a = aligned_alloc(64, ((pad * (n + 1) * sizeof(double)) / 64 + 1) * 64);
            for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < n; j++)
                    a[beside ? j * pad + i : i * n + j] = k < 3 && n == joints ? states[i * width + (size_t)k * joints + j] : 0;
            x.in[k] = a;
            x.in_layout[k].item = beside ? 1 : (int64_t)n;
            x.in_layout[k].element = beside ? (int64_t)pad : 1;
        }
        for (int k = 0; k < unit->outputs; k++) {
            const size_t n = (size_t)unit->sizes_out[k];
            x.out[k] = aligned_alloc(64, ((pad * (n + 1) * sizeof(double)) / 64 + 1) * 64);
            x.out_layout[k].item = beside ? 1 : (int64_t)n;
            x.out_layout[k].element = beside ? (int64_t)pad : 1;
        }
        whole(&x, NULL);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < (size_t)unit->sizes_out[0]; j++)
                timer_write(file, x.out[0] + (beside ? j * pad + i : i * (size_t)unit->sizes_out[0] + j), 1);
        t = time_states(whole, &x, states, 1, 0, repeat);
        t.best_ns /= (double)count;
        t.median_ns /= (double)count;
    }
    printf("{\"best_ns\": %.6g, \"median_ns\": %.6g}\n", t.best_ns, t.median_ns);
    return fclose(file);
}
