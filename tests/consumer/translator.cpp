// Uses Translator alone.
#include "attend/decoding/translator.h"

#include <string>

#include "attend/core/errors.h"

// What attend says when it is asked for a model that is not there.
std::string complaint(const std::string& folder) {
  try {
    return attend::Translator::load(folder).translate("go .").text;
  } catch (const attend::DataError& error) {
    return error.what();
  }
}
