// Result: a value, or one line that says what went wrong, where, and what to do. The spelling is std::expected's.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace arete {

struct Error {
  enum class Kind { data, io, usage, gpu };
  Kind kind = Kind::data;
  std::string message;  // file, place, expected, found, what to do; one line, no full stop needed
};

// Built by `return Unexpected{...}` in a function that returns a Result.
struct Unexpected {
  Error error;
};

[[nodiscard]] inline Unexpected data_error(std::string message) { return {{Error::Kind::data, std::move(message)}}; }
[[nodiscard]] inline Unexpected io_error(std::string message) { return {{Error::Kind::io, std::move(message)}}; }
[[nodiscard]] inline Unexpected usage_error(std::string message) { return {{Error::Kind::usage, std::move(message)}}; }
[[nodiscard]] inline Unexpected gpu_error(std::string message) { return {{Error::Kind::gpu, std::move(message)}}; }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected unexpected) : state_(std::in_place_index<1>, std::move(unexpected.error)) {}

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const { return std::get<1>(state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected unexpected) : error_(std::move(unexpected.error)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace arete
