// Carries the caller's stdin to the payload, never more ahead of it than a pipe and a buffer hold.
// What the payload left unread of a file is given back to the caller (the file's offset), and what
// is in a pipe is only shown (tee(2)) until it has been read: `while read line; do sbx run ...;
// done` works as with any other command, behind `< list` as behind `make_list |`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "os/fd.hpp"
#include "supervise/poll_set.hpp"
#include "supervise/stdio.hpp"

namespace sbx::supervise {

class InputRelay {
 public:
  /// `source` stays the caller's and keeps its flags. `sink`: the write end of a pipe of ours, or a
  /// pty's master, where the end of the input is typed as ^D.
  InputRelay(int source, FileKind kind, os::UniqueFd sink, bool to_pty = false);
  InputRelay(const InputRelay&) = delete;
  InputRelay& operator=(const InputRelay&) = delete;
  InputRelay(InputRelay&&) = delete;
  InputRelay& operator=(InputRelay&&) = delete;
  ~InputRelay() { stop(); }

  void watch(PollSet& set);
  void step(const PollSet& set);
  /// Reads nothing of the terminal, which another job is in front of, until resume().
  void pause() { in_background_ = true; }
  void resume() { in_background_ = false; }
  [[nodiscard]] bool paused() const { return in_background_ && !ended_; }
  /// Ends the relay and gives back what was not read.
  void stop();

 private:
  enum class Got { bytes, nothing, end };

  Got fill();
  Got fill_spliced();
  Got fill_shown();
  void take_shown(std::size_t size);
  Got take_all();
  void read_ahead();
  bool drain();
  void finish();
  void give_back();

  int source_;
  FileKind kind_;
  os::UniqueFd own_source_;  ///< a non-blocking open file for the caller's terminal or pipe
  os::UniqueFd sink_;
  os::UniqueFd unread_;  ///< after the end: the pipe's other end, to ask what is left in it
  bool to_pty_;
  bool splice_;
  bool show_;              ///< of a pipe, one page at a time
  std::size_t shown_ = 0;  ///< bytes in the sink that are still in the caller's pipe as well
  std::size_t moved_ = 0;  ///< bytes that went into the sink, and of a pipe were read
  os::UniqueFd drop_;      ///< /dev/null, for what was shown and read
  bool sink_full_ = false;
  bool in_background_ = false;
  bool ended_ = false;
  bool end_typed_ = false;
  bool line_open_ = false;  ///< the last byte typed was no newline: ^D has to be typed twice
  std::size_t sink_index_ = kNotPolled;
  std::vector<char> buffer_;
  std::string_view pending_;
};

}  // namespace sbx::supervise
