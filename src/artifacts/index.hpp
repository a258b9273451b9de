// What the store knows about its contents: runs, their artifacts, and which content each is. The
// only tables, and the only SQL. Who uses it holds the store's lock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/artifact.hpp"
#include "artifacts/database.hpp"

namespace sbx::artifacts {

class Index {
 public:
  /// Opens the index at `path`; makes it when there is none. Error: it is damaged, or a later
  /// version of sbx has made it.
  static Result<Index> open(const std::string& path);

  /// Of what follows all becomes true with commit(), or nothing.
  [[nodiscard]] Result<Transaction> begin() const { return Transaction::begin(*database_); }

  Result<void> add(const Run& run, const Story& story, const std::vector<Artifact>& artifacts);
  /// Removes a run. Returns its contents that no other run has.
  Result<std::vector<std::string>> remove(const std::string& run);

  /// By when they ended.
  [[nodiscard]] Result<std::vector<Run>> runs() const;
  /// Of one run, or of all; by run and path.
  [[nodiscard]] Result<std::vector<Kept>> list(std::optional<std::string_view> run) const;
  /// Of which the content's digest begins so; by digest, the latest first.
  [[nodiscard]] Result<std::vector<Kept>> with_content(std::string_view digest_begin) const;
  [[nodiscard]] Result<Story> story(std::string_view run) const;
  /// Has any run this content?
  [[nodiscard]] Result<bool> refers_to(std::string_view digest) const;
  /// Runs whose time is over, at most so many.
  [[nodiscard]] Result<std::vector<std::string>> expired(Time now, int most) const;

 private:
  explicit Index(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  Result<void> prepare_tables(const std::string& path);
  [[nodiscard]] Result<Run> run(std::string_view id) const;
  [[nodiscard]] Result<std::vector<Kept>> all_kept(Statement rows) const;

  std::unique_ptr<Database> database_;
};

}  // namespace sbx::artifacts
