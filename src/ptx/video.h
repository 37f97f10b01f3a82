/* video.h - the video instructions: arithmetic on bytes and half-words inside 32-bit registers.
 *
 * There are two families, scalar (vadd, vmad, vset ...) and SIMD on two or four parts (vadd2 .. vset4), with one
 * structure: parts of a and b are chosen and extended, an operation makes one result of each pair, and the results are
 * clamped, then added to c (or compared with it), or put into c at chosen places. So both are one description: the
 * sources are the 64-bit number b:a of which parts are taken, and a scalar instruction has one part. */
#ifndef WL_PTX_VIDEO_H
#define WL_PTX_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
enum video_op { VIDEO_ADD, VIDEO_SUB, VIDEO_AVERAGE, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_SHL, VIDEO_SHR,
                VIDEO_MAD, VIDEO_SET };
/* clang-format on */
enum video_second { SECOND_MERGE, SECOND_ADD, SECOND_MIN, SECOND_MAX };

/* Bits [shift, shift + bits) of a number. */
struct video_part {
    uint8_t shift, bits;
};

struct ptx_video {
    uint8_t op;     /* enum video_op */
    uint8_t second; /* enum video_second: what is done with c */
    uint8_t count;  /* parts: 1, 2 or 4 */
    uint8_t mask;   /* those of them that reach d */
    bool signed_d, signed_a, signed_b;
    bool sat, wrap; /* wrap: shift amounts are taken modulo 32, not clamped to it */
    uint8_t cmp;    /* enum ptx_cmp of a vset */
    /* vmad */
    bool plus_one, negate_product, negate_c;
    uint8_t scale; /* bits by which the sum is shifted to the right */
    struct video_part a[4], b[4], d[4];
};

#endif
