/* tw_unit_end.h: closes a generated unit with its batch loop and its table. */

#if TW_LANES == 1

/* one item after another; arrays whose elements are apart are gathered first */
static void batch(const double *c, const double *p, tw_layout p_layout, const double *const *in,
                  const tw_layout *in_layout, double *const *out, const tw_layout *out_layout, int64_t count)
{
    double in_local[TW_IN_TOTAL], out_local[TW_OUT_TOTAL];
    const double *from[TW_INPUTS + 1];
    double *to[TW_OUTPUTS + 1];
    (void)p; (void)p_layout;
    for (int64_t b = 0; b < count; ++b) {
        int at = 0;
        for (int k = 0; k < TW_INPUTS; ++k) {
            const double *src = in[k] + b * in_layout[k].item;
            if (in_layout[k].element == 1) {
                from[k] = src;
            } else {
                for (int i = 0; i < sizes_in[k]; ++i) in_local[at + i] = src[i * in_layout[k].element];
                from[k] = in_local + at;
            }
            at += sizes_in[k];
        }
        at = 0;
        for (int k = 0; k < TW_OUTPUTS; ++k) {
            to[k] = out_layout[k].element == 1 ? out[k] + b * out_layout[k].item : out_local + at;
            at += sizes_out[k];
        }
        evaluate(c, from, to);
        at = 0;
        for (int k = 0; k < TW_OUTPUTS; ++k) {
            double *dst = out[k] + b * out_layout[k].item;
            if (out_layout[k].element != 1)
                for (int i = 0; i < sizes_out[k]; ++i) dst[i * out_layout[k].element] = out_local[at + i];
            at += sizes_out[k];
        }
    }
}

#else

#include "tw_lanes.h"

/* TW_LANES items at a time; the last block repeats its last item and stores only the valid ones */
static void batch(const double *c, const double *p, tw_layout p_layout, const double *const *in,
                  const tw_layout *in_layout, double *const *out, const tw_layout *out_layout, int64_t count)
{
    tw_real in_local[TW_IN_TOTAL], out_local[TW_OUT_TOTAL];
    const tw_real *from[TW_INPUTS + 1];
    tw_real *to[TW_OUTPUTS + 1];
#if TW_SLOT_LANES
    tw_real p_local[TW_PARAMETERS + 1], table[TW_SLOTS + 1];
    (void)c;
#else
    const double *table = c;
    (void)p; (void)p_layout;
#endif
    for (int64_t b = 0; b < count; b += TW_LANES) {
        const int valid = count - b < TW_LANES ? (int)(count - b) : TW_LANES;
        int at = 0;
        for (int k = 0; k < TW_INPUTS; ++k) {
            tw_gather_items(in_local + at, in[k] + b * in_layout[k].item, sizes_in[k], in_layout[k], valid);
            from[k] = in_local + at;
            at += sizes_in[k];
        }
        at = 0;
        for (int k = 0; k < TW_OUTPUTS; ++k) {
            to[k] = out_local + at;
            at += sizes_out[k];
        }
#if TW_SLOT_LANES
        tw_gather_items(p_local, p + b * p_layout.item, TW_PARAMETERS, p_layout, valid);
        prepare(p_local, table);
#endif
        evaluate(table, from, to);
        for (int k = 0; k < TW_OUTPUTS; ++k)
            tw_scatter_items(out[k] + b * out_layout[k].item, to[k], sizes_out[k], out_layout[k], valid);
    }
}

#endif

#if defined(_WIN32)
#define TW_EXPORT __declspec(dllexport)
#else
#define TW_EXPORT __attribute__((visibility("default")))
#endif

TW_EXPORT const tw_unit tw_unit_table = {
    TW_ABI, TW_LANES, TW_SLOT_LANES, TW_INPUTS, TW_OUTPUTS, TW_PARAMETERS, TW_SLOTS, sizes_in, sizes_out,
#if TW_LANES == 1
    prepare, evaluate,
#else
    0, 0,
#endif
    batch,
};
