// Every benchmark runs on the BLAS kernels the program would choose.
#include "instantgp/base/blas_kernels.h"

namespace {

[[maybe_unused]] const bool kChosen = (instantgp::ChooseBlasKernels(), true);

}  // namespace
