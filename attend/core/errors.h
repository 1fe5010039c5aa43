// The three kinds of failure. The library throws these, and never prints, exits or aborts.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace attend {

/// Base of everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's mistake. Message form: "[op] expected X, found SHAPE and SHAPE".
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A file or the world is not as it has to be. `what()` begins with "path:line:column: " as far as
/// known.
class DataError : public Error {
 public:
  /// `line` and `column` count from 1; 0 means unknown.
  DataError(std::string path, int64_t line, int64_t column, const std::string& message);
  DataError(std::string path, const std::string& message)
      : DataError(std::move(path), 0, 0, message) {}

  const std::string& path() const { return path_; }
  int64_t line() const { return line_; }
  int64_t column() const { return column_; }

 private:
  std::string path_;
  int64_t line_;
  int64_t column_;
};

/// A fault of ours; please report it.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace attend
