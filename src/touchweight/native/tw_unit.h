/* tw_unit.h: opens a generated unit. TW_LANES and TW_SLOT_LANES are set by the build. */
#ifndef TW_UNIT_H
#define TW_UNIT_H

#ifndef TW_LANES
#define TW_LANES 1
#endif
#ifndef TW_SLOT_LANES
#define TW_SLOT_LANES 0
#endif

#include "touchweight.h"
#include "tw_math.h"

/* pieces of one function, built apart and linked together */
#if defined(_WIN32)
#define TW_HIDDEN
#else
#define TW_HIDDEN __attribute__((visibility("hidden")))
#endif

/* slots are plain numbers shared by all lanes, or one for each lane */
#if TW_LANES > 1 && !TW_SLOT_LANES
typedef double tw_slot;
#define TW_SLOT(x) tw_set1(x)
#else
typedef tw_real tw_slot;
#define TW_SLOT(x) (x)
#endif

/* sines and cosines of all input angles of one evaluation */
#if TW_LANES == 1
#define tw_sincos_all(x, s, c, n) tw_sincos_n(x, s, c, n)
#else
#define tw_sincos_all(x, s, c, n)                                                                            \
    do {                                                                                                     \
        for (int k_ = 0; k_ < (n); ++k_) tw_sincos((x)[k_], &(s)[k_], &(c)[k_]);                             \
    } while (0)
#endif

#endif
