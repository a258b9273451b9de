// SQLite (only database.cpp includes it): statements as values, its errors as ours.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace sbx::artifacts {

class Database;

/// A prepared statement. Parameters and columns count from 1 and from 0, as SQLite does it.
class Statement {
 public:
  Statement& bind(int place, std::int64_t number);
  Statement& bind(int place, std::string_view text);
  Statement& bind_bytes(int place, std::string_view bytes);

  /// True: there is a row; false: no more of them.
  Result<bool> step();
  /// To be bound and run again.
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  /// Text, or bytes.
  [[nodiscard]] std::string text(int column) const;

 private:
  friend class Database;
  struct Finish {
    void operator()(::sqlite3_stmt* statement) const;
  };
  Statement(const Database& database, ::sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}

  const Database* database_;
  std::unique_ptr<::sqlite3_stmt, Finish> statement_;
};

class Database {
 public:
  /// Opens the file at `path`, or makes it. It stays where it is while its statements live.
  static Result<std::unique_ptr<Database>> open(const std::string& path);

  [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
  /// Runs statements that give no rows.
  [[nodiscard]] Result<void> run(const char* sql) const;
  /// The first column of the first row.
  [[nodiscard]] Result<std::int64_t> ask(std::string_view sql) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(::sqlite3* database) const;
  };
  explicit Database(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Error error() const;

  std::string path_;
  std::unique_ptr<::sqlite3, Close> database_;
};

/// begin() ... commit(); what is not committed is undone.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace sbx::artifacts
