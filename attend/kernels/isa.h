// Which instruction set the kernels run on: chosen when a kernel first runs, the best the processor
// has, unless ATTEND_FORCE_ISA names another.
#pragma once

#include <string>
#include <vector>

namespace attend::kernels {

/// Those that this build has kernels for and this processor runs, best first: "AVX3", "AVX2", ...
std::vector<std::string> supported_isas();

/// The one in use.
std::string active_isa();

/// From now on this one, for all threads; "" is the best again. Not while a kernel runs. Throws
/// InvalidArgument, listing those there are, for another name.
void force_isa(const std::string& name);

/// What a value of ATTEND_FUSED asks for: kernels with "1" and "", not with "0". Throws
/// InvalidArgument, naming the two, for another.
bool asks_for_kernels(const std::string& value);

/// False when the environment has ATTEND_FUSED=0: then ops take their composed twins. The first
/// call reads that, and ATTEND_FORCE_ISA. Throws as asks_for_kernels() and force_isa() do.
bool fused();

}  // namespace attend::kernels
