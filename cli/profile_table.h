// What `attend train --profile` prints.
#pragma once

#include <string>

#include "attend/training/step_profile.h"

namespace attend::cli {

/// The table of a run's zones, beside this processor's measured peak (which takes 50 ms).
std::string profile_table(const training::StepProfile& profile);

}  // namespace attend::cli
