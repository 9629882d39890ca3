/* tw_lanes.h: items of a batch into the lanes of registers and back. Included with TW_LANES > 1. */
#ifndef TW_LANES_H
#define TW_LANES_H

#include "touchweight.h"
#include "tw_math.h"

/* lanes of a and b by number: gcc before 12 knows this builtin by another name */
#if defined(__clang__) || __GNUC__ >= 12
#define TW_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TW_PICK(a, b, ...) __builtin_shuffle(a, b, (tw_mask){__VA_ARGS__})
#endif

/* r[i] lane l becomes r[l] lane i */
TW_INLINE void tw_transpose(tw_real *r)
{
#if TW_LANES == 2
    const tw_real a = TW_PICK(r[0], r[1], 0, 2), b = TW_PICK(r[0], r[1], 1, 3);
    r[0] = a;
    r[1] = b;
#elif TW_LANES == 4
    tw_real s[4];
    for (int i = 0; i < 4; i += 2) {
        s[i] = TW_PICK(r[i], r[i + 1], 0, 4, 2, 6);
        s[i + 1] = TW_PICK(r[i], r[i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; ++i) {
        r[i] = TW_PICK(s[i], s[i + 2], 0, 1, 4, 5);
        r[i + 2] = TW_PICK(s[i], s[i + 2], 2, 3, 6, 7);
    }
#else
    tw_real s[8];
    for (int i = 0; i < 8; i += 2) {
        s[i] = TW_PICK(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[i + 1] = TW_PICK(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int g = 0; g < 8; g += 4)
        for (int i = g; i < g + 2; ++i) {
            const tw_real low = TW_PICK(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            const tw_real high = TW_PICK(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
            s[i] = low;
            s[i + 2] = high;
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = TW_PICK(s[i], s[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = TW_PICK(s[i], s[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#endif
}

/* one element of TW_LANES items, `step` doubles apart */
TW_INLINE tw_real tw_gather(const double *x, int64_t step)
{
#if TW_LANES == 2
    return (tw_real){x[0], x[step]};
#elif TW_LANES == 4
    return (tw_real){x[0], x[step], x[2 * step], x[3 * step]};
#else
    return (tw_real){x[0],        x[step],     x[2 * step], x[3 * step],
                     x[4 * step], x[5 * step], x[6 * step], x[7 * step]};
#endif
}

/* element i of item l goes to lane l of to[i]; beyond `valid` items the last one is repeated */
static inline void tw_gather_items(tw_real *to, const double *src, int size, tw_layout layout, int valid)
{
    if (valid < TW_LANES) {
        for (int i = 0; i < size; ++i)
            for (int l = 0; l < TW_LANES; ++l)
                to[i][l] = src[(l < valid ? l : valid - 1) * layout.item + i * layout.element];
    } else if (layout.item == 1) {
        for (int i = 0; i < size; ++i) __builtin_memcpy(&to[i], src + i * layout.element, sizeof(tw_real));
    } else if (layout.element == 1 && size >= TW_LANES) {
        /* square blocks; the last one overlaps the one before where the size is not a multiple */
        for (int i = 0; i < size; i += TW_LANES) {
            const int at = i + TW_LANES <= size ? i : size - TW_LANES;
            tw_real r[TW_LANES];
            for (int l = 0; l < TW_LANES; ++l) __builtin_memcpy(&r[l], src + l * layout.item + at, sizeof(tw_real));
            tw_transpose(r);
            for (int l = 0; l < TW_LANES; ++l) to[at + l] = r[l];
        }
    } else {
        for (int i = 0; i < size; ++i) to[i] = tw_gather(src + i * layout.element, layout.item);
    }
}

/* the way back: lane l of from[i] goes to element i of item l, for the valid items */
static inline void tw_scatter_items(double *dst, const tw_real *from, int size, tw_layout layout, int valid)
{
    if (layout.item == 1 && valid == TW_LANES) {
        for (int i = 0; i < size; ++i) __builtin_memcpy(dst + i * layout.element, &from[i], sizeof(tw_real));
    } else if (layout.element == 1 && size >= TW_LANES && valid == TW_LANES) {
        for (int i = 0; i < size; i += TW_LANES) {
            const int at = i + TW_LANES <= size ? i : size - TW_LANES;
            tw_real r[TW_LANES];
            for (int l = 0; l < TW_LANES; ++l) r[l] = from[at + l];
            tw_transpose(r);
            for (int l = 0; l < TW_LANES; ++l) __builtin_memcpy(dst + l * layout.item + at, &r[l], sizeof(tw_real));
        }
    } else {
        for (int i = 0; i < size; ++i)
            for (int l = 0; l < TW_LANES; ++l)
                if (l < valid) dst[l * layout.item + i * layout.element] = from[i][l];
    }
}

#endif
