/* The one timing loop every rival is timed by: best and median pass over the same random states.

   A state is one row of `width` doubles (q, v, u). `call` is timed; collecting what it computed is not.
   Valid as C11 and as C++17. */
#ifndef TOUCHWEIGHT_STATE_TIMER_H
#define TOUCHWEIGHT_STATE_TIMER_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void (*timed_call)(void *context, const double *state);

typedef struct {
    double best_ns;   /* per call, in the fastest pass */
    double median_ns; /* per call, in the median pass */
} timing;

static void timer_fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static double *timer_read(const char *path, size_t length) {
    double *values = (double *)malloc(length * sizeof(double) + 1);
    FILE *file = fopen(path, "rb");
    if (!values || !file) timer_fail("the states cannot be read");
    if (fread(values, sizeof(double), length, file) != length) timer_fail("fewer states than announced");
    fclose(file);
    return values;
}

static void timer_write(FILE *file, const double *values, size_t length) {
    if (fwrite(values, sizeof(double), length, file) != length) timer_fail("the results cannot be written");
}

static double timer_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int timer_ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* `repeat` passes (>= 1) over `count` states, after one pass to warm the caches. */
static timing time_states(timed_call call, void *context, const double *states, size_t count, size_t width,
                          size_t repeat) {
    double *passes = (double *)malloc(repeat * sizeof(double));
    timing result;
    size_t pass, i;
    if (!passes) timer_fail("out of memory");
    for (i = 0; i < count; i++) call(context, states + i * width);
    for (pass = 0; pass < repeat; pass++) {
        const double start = timer_now_ns();
        for (i = 0; i < count; i++) call(context, states + i * width);
        passes[pass] = (timer_now_ns() - start) / (double)count;
    }
    qsort(passes, repeat, sizeof(double), timer_ascending);
    result.best_ns = passes[0];
    result.median_ns = passes[repeat / 2];
    free(passes);
    return result;
}

#endif
