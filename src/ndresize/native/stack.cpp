// Sums along stacks of rows, of one instruction set. Compiled once per set, as kernels.cpp.
#include "fixed_stack.hpp"

const ndresize::StackKernel* ndresize::NDRESIZE_KERNELS() {
  static const StackKernel kernel{NDRESIZE_ISA::stack_rows, NDRESIZE_ISA::stack_bytes,
                                  NDRESIZE_ISA::sum_stack_fixed};
  return &kernel;
}
