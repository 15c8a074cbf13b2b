// Copies of samples, of one instruction set. Compiled once per set, as kernels.cpp.
#include "pick.hpp"

namespace ndresize::NDRESIZE_ISA {

static const PickKernels all = {pick_group, pick_window, pick_row, pick_shuffle, pick_shuffle_past, stream_copy};

}  // namespace ndresize::NDRESIZE_ISA

const ndresize::PickKernels& ndresize::NDRESIZE_KERNELS() { return ndresize::NDRESIZE_ISA::all; }
