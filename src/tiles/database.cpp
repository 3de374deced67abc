// SQLite's result codes become Results: full disks and failed reads are I/O, a broken file is data.
#include "tiles/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "tiles/joined_writes.h"

namespace arete::tiles {
namespace {
constexpr int kLongestValue = 16 << 20;  // bytes; no page, record or text of a store comes near
constexpr int kBusyMilliseconds = 200;
}  // namespace

Unexpected database_error(const std::string& path, int code, const std::string& detail) {
  if (code == SQLITE_READONLY_ROLLBACK) {  // a journal stands beside it
    return data_error(fmt::format("{}: a bake that is not finished: run the same bake again", path));
  }
  if (code == SQLITE_READONLY_DBMOVED) {
    return io_error(
        fmt::format("{}: another process has finished or removed it meanwhile: run the command again", path));
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return io_error(fmt::format("{}: the disk is full: make room and run the same command again", path));
    case SQLITE_IOERR:
      return io_error(fmt::format("{}: reading or writing failed ({}, code {}): check the disk and its free room", path,
                                  detail, code));
    case SQLITE_CANTOPEN:
      return io_error(fmt::format("{}: cannot be opened: check that the path exists and may be used", path));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return io_error(fmt::format("{}: may not be written: check its permissions", path));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return io_error(fmt::format("{}: another process is using it: wait until it is done", path));
    case SQLITE_NOMEM:
      return io_error(fmt::format("{}: not enough memory", path));
    default:
      return data_error(fmt::format("{}: damaged ({}): bake it again", path, detail));
  }
}

void Statement::Finish::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::uint8_t> blob) {
  const int code = sqlite3_bind_blob64(statement_.get(), parameter, blob.data(), blob.size(), SQLITE_STATIC);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code =
      sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  bind_error_ = bind_error_ == SQLITE_OK ? code : bind_error_;
  return *this;
}

Result<bool> Statement::step() {
  const int code = bind_error_ == SQLITE_OK ? sqlite3_step(statement_.get()) : bind_error_;
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  sqlite3* handle = sqlite3_db_handle(statement_.get());
  const int extended = bind_error_ == SQLITE_OK ? sqlite3_extended_errcode(handle) : code;
  auto error = database_error(path_, extended, sqlite3_errstr(code));
  reset();
  return error;
}

Result<void> Statement::run() {
  auto stepped = step();
  reset();
  if (!stepped) {
    return Unexpected{stepped.error()};
  }
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bind_error_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::span<const std::uint8_t> Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::span<const std::uint8_t>() : std::span(data, std::size_t(size));
}

std::string Statement::text(int column) const {
  const auto bytes = blob(column);
  return {bytes.begin(), bytes.end()};
}

Result<Database> Database::open(const std::filesystem::path& path, int flags, const char* vfs) {
  Database database;
  database.path_ = path.string();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(database.path_.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, vfs);
  database.handle_.reset(handle);
  if (code != SQLITE_OK) {
    return database_error(database.path_, code, sqlite3_errstr(code));
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

Result<Database> Database::open_readonly(const std::filesystem::path& path) {
  auto database = open(path, SQLITE_OPEN_READONLY, nullptr);
  if (database) {
    if (auto checked = database->execute("PRAGMA cell_size_check=ON"); !checked) {
      return Unexpected{checked.error()};
    }
  }
  return database;
}

Result<Database> Database::open_exclusive(const std::filesystem::path& path) {
  auto database = open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, joined_writes_vfs());
  if (database) {
    if (auto locked = database->execute("PRAGMA locking_mode=EXCLUSIVE"); !locked) {
      return Unexpected{locked.error()};
    }
  }
  return database;
}

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    return database_error(path_, code, sqlite3_errmsg(handle_.get()));
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  Statement statement;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), int(sql.size()), &prepared, nullptr);
  statement.statement_.reset(prepared);
  statement.path_ = path_;
  if (code != SQLITE_OK) {
    return database_error(path_, code, sqlite3_errmsg(handle_.get()));
  }
  return statement;
}

}  // namespace arete::tiles
