/* Appended to the C that CasADi generates for a function `rival`:

     casadi_timer STATES RESULTS COUNT REPEAT INPUTS JOINTS NUMBERS

   The first INPUTS of q, v, u (JOINTS doubles each) are the arguments; the result is NUMBERS doubles. */
#include "state_timer.h"

typedef struct {
    const double *arguments[8];
    double *results[8];
    casadi_int *iw;
    double *w;
    size_t inputs, joints;
} casadi_context;

static void casadi_call(void *context, const double *state) {
    casadi_context *c = (casadi_context *)context;
    for (size_t i = 0; i < c->inputs; i++) c->arguments[i] = state + i * c->joints;
    rival(c->arguments, c->results, c->iw, c->w, 0);
}

int main(int argc, char **argv) {
    if (argc != 8) timer_fail("usage: casadi_timer STATES RESULTS COUNT REPEAT INPUTS JOINTS NUMBERS");
    const size_t count = strtoul(argv[3], NULL, 10), repeat = strtoul(argv[4], NULL, 10);
    const size_t joints = strtoul(argv[6], NULL, 10), numbers = strtoul(argv[7], NULL, 10);
    const size_t width = 3 * joints;
    casadi_int arguments, results, integers, doubles;
    rival_work(&arguments, &results, &integers, &doubles);
    if (arguments > 8 || results > 8) timer_fail("the generated function wants more arguments than expected");

    casadi_context context = {.inputs = strtoul(argv[5], NULL, 10), .joints = joints};
    context.iw = calloc((size_t)integers + 1, sizeof(casadi_int));
    context.w = calloc((size_t)doubles + 1, sizeof(double));
    context.results[0] = calloc(numbers + 1, sizeof(double));
    const double *states = timer_read(argv[1], count * width);
    FILE *file = fopen(argv[2], "wb");
    if (!file) timer_fail("the results cannot be written");
    if (!context.iw || !context.w || !context.results[0]) timer_fail("out of memory");

    for (size_t i = 0; i < count; i++) {
        casadi_call(&context, states + i * width);
        timer_write(file, context.results[0], numbers);
    }
    const timing t = time_states(casadi_call, &context, states, count, width, repeat);
    printf("{\"best_ns\": %.6g, \"median_ns\": %.6g}\n", t.best_ns, t.median_ns);
    return fclose(file);
}
