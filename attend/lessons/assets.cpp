#include "attend/lessons/assets.h"

#include <string>

#include "attend/core/errors.h"

namespace attend::lessons {

std::string_view asset(std::string_view name) {
  for (const auto& [known, text] : assets())
    if (known == name) return text;
  throw InternalError("[lessons] no asset '" + std::string(name) + "' was compiled in");
}

}  // namespace attend::lessons
