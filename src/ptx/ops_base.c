/* ops_base.c - the lane operations for any machine. */
#define OPS_BUILD ops_base
#include "ptx/ops_body.inc"
