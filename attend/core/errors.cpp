#include "attend/core/errors.h"

namespace attend {
namespace {

std::string locate(const std::string& path, int64_t line, int64_t column,
                   const std::string& message) {
  std::string text = path;
  if (line > 0) text += ":" + std::to_string(line);
  if (line > 0 && column > 0) text += ":" + std::to_string(column);
  return text.empty() ? message : text + ": " + message;
}

}  // namespace

DataError::DataError(std::string path, int64_t line, int64_t column, const std::string& message)
    : Error(locate(path, line, column, message)),
      path_(std::move(path)),
      line_(line),
      column_(column) {}

}  // namespace attend
