// A thin hold on SQLite: connections and statements that end themselves and report through Result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "arete/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace arete::tiles {

// A prepared statement. Not thread-safe; must not outlive its database.
class Statement {
 public:
  Statement() = default;

  // Parameters count from 1. The bytes must stay alive until the statement is reset. What goes wrong is told by step().
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::span<const std::uint8_t> blob);
  Statement& bind(int parameter, std::string_view text);
  // True when a row came, false at the end.
  Result<bool> step();
  // Runs a statement that gives no rows, and resets it.
  Result<void> run();
  void reset();

  // Columns of the current row, from 0; valid until the next step.
  std::int64_t integer(int column) const;
  std::span<const std::uint8_t> blob(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finish {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
  std::string path_;
  int bind_error_ = 0;
};

// A connection. One thread at a time.
class Database {
 public:
  Database() = default;
  // Opens an existing database for reading only, with the checks on that foreign files deserve.
  static Result<Database> open_readonly(const std::filesystem::path& path);
  // Opens or creates a database that this connection alone may use.
  static Result<Database> open_exclusive(const std::filesystem::path& path);

  Result<void> execute(const char* sql);
  Result<Statement> prepare(std::string_view sql) const;
  // Closes; every statement must be gone.
  void close() { handle_.reset(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  static Result<Database> open(const std::filesystem::path& path, int flags, const char* vfs);
  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

// The error of an SQLite result code on `path` in one line: what happened and what to do.
Unexpected database_error(const std::string& path, int code, const std::string& detail);

}  // namespace arete::tiles
