/* Times mj_step, from states set one by one:

     mujoco_timer MODEL.mjb STATES RESULTS COUNT REPEAT

   STATES has COUNT rows q, v, u in MuJoCo's joint order; u is the applied joint force. RESULTS gets q and v
   after the step. Setting the state is a copy of 3 nv doubles inside the timed call. */
#include <string.h>

#include <mujoco/mujoco.h>

#include "state_timer.h"

typedef struct {
    const mjModel *model;
    mjData *data;
} mujoco_context;

static void mujoco_call(void *context, const double *state) {
    mujoco_context *c = (mujoco_context *)context;
    const size_t n = (size_t)c->model->nv;
    memcpy(c->data->qpos, state, n * sizeof(double));
    memcpy(c->data->qvel, state + n, n * sizeof(double));
    memcpy(c->data->qfrc_applied, state + 2 * n, n * sizeof(double));
    mj_step(c->model, c->data);
}

int main(int argc, char **argv) {
    if (argc != 6) timer_fail("usage: mujoco_timer MODEL STATES RESULTS COUNT REPEAT");
    if (sizeof(mjtNum) != sizeof(double)) timer_fail("MuJoCo is not built in double precision");
    mjModel *model = mj_loadModel(argv[1], NULL);
    if (!model || model->nq != model->nv) timer_fail("the model cannot be read");
    mujoco_context context = {model, mj_makeData(model)};
    const size_t n = (size_t)model->nv;
    const size_t count = strtoul(argv[4], NULL, 10), repeat = strtoul(argv[5], NULL, 10);
    const double *states = timer_read(argv[2], count * 3 * n);
    FILE *results = fopen(argv[3], "wb");
    if (!results || !context.data) timer_fail("the results cannot be written");

    for (size_t i = 0; i < count; i++) {
        mujoco_call(&context, states + i * 3 * n);
        timer_write(results, context.data->qpos, n);
        timer_write(results, context.data->qvel, n);
    }
    const timing t = time_states(mujoco_call, &context, states, count, 3 * n, repeat);
    printf("{\"best_ns\": %.6g, \"median_ns\": %.6g}\n", t.best_ns, t.median_ns);
    return fclose(results);
}
