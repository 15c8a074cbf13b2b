// 8-bit samples in fixed point, of one instruction set. Compiled once per set, as kernels.cpp.
#include "alpha.hpp"
#include "fixed_halves.hpp"
#include "fixed_lanes.hpp"
#include "fixed_pixels.hpp"
#include "fixed_rows.hpp"
#include "fixed_stack.hpp"

namespace ndresize::NDRESIZE_ISA {

static const FixedKernels all = {
    NDRESIZE_ISA_NAME,
    fixed_group,      fixed_vector_bytes, fixed_window_bytes, stack_rows,      stack_bytes,
    sum_rows_fixed,   sum_pixels_fixed,   sum_lanes_fixed,    sum_stack_fixed, halve_rows_fixed,
    multiply_alpha,   divide_alpha,
};

}  // namespace ndresize::NDRESIZE_ISA

const ndresize::FixedKernels& ndresize::NDRESIZE_KERNELS() { return ndresize::NDRESIZE_ISA::all; }
