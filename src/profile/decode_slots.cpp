// One short reader for each type of slot.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/decode.hpp"

namespace sbx::profile {
namespace {

std::string choices(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

/// Visits a slot with the node that fills it. No catch-all: a new slot must be read here.
class SlotReader {
 public:
  SlotReader(Decoder& decoder, const Node& node) : d_(decoder), node_(node) {}

  void operator()(const TextSlot& slot) const { d_.read_text(node_, slot.at(d_.profile())); }

  void operator()(const MaybeTextSlot& slot) const {
    if (lifts(slot.at(d_.profile()))) return;
    std::string text;
    // cpuset: `0` and `0-3` are plain; a lone number is as clear as text here.
    if (d_.read_text(node_, text)) slot.at(d_.profile()) = std::move(text);
  }

  void operator()(const SwitchSlot& slot) const {
    const bool yes = Decoder::is_word(node_, "true");
    // In quotes these are text, and no truth values.
    if (node_.quoted || (!yes && !Decoder::is_word(node_, "false"))) {
      d_.complain(node_, d_.subject() + " must be true or false", word_hint());
      return;
    }
    slot.at(d_.profile()) = yes;
  }

  void operator()(const SizeSlot& slot) const { d_.read_size(node_, slot.at(d_.profile())); }
  void operator()(const CountSlot& slot) const { d_.read_count(node_, slot.at(d_.profile())); }

  void operator()(const SizeLimitSlot& slot) const {
    Bytes value = 0;
    if (!lifts(slot.at(d_.profile())) && d_.read_size(node_, value, "a size such as 256M, or none"))
      slot.at(d_.profile()) = value;
  }
  void operator()(const RateLimitSlot& slot) const {
    if (lifts(slot.at(d_.profile()))) return;
    if (Decoder::is_no_number(node_))
      return d_.complain_form(node_, "a rate such as 10M/s, or none");
    const Parsed<Bytes> rate = parse_rate(node_.text);
    if (rate) {
      slot.at(d_.profile()) = *rate;
    } else {
      d_.complain(node_, d_.subject() + ": " + rate.error());
    }
  }
  void operator()(const CountLimitSlot& slot) const {
    std::uint64_t value = 0;
    if (lifts(slot.at(d_.profile()))) return;
    if (Decoder::is_no_number(node_)) return d_.complain_form(node_, "a whole number, or none");
    if (d_.read_count(node_, value)) slot.at(d_.profile()) = value;
  }
  void operator()(const TimeLimitSlot& slot) const {
    Duration value{0};
    if (!lifts(slot.at(d_.profile())) &&
        read_time(value, parse_duration, "a duration such as 10s, or none"))
      slot.at(d_.profile()) = value;
  }

  void operator()(const CoresLimitSlot& slot) const {
    if (lifts(slot.at(d_.profile()))) return;
    double value = 0;
    const std::string& text = node_.text;
    const auto end =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    const bool number = node_.kind == NodeKind::scalar && end.ec == std::errc{} &&
                        end.ptr == text.data() + text.size() && std::isfinite(value);
    if (number && !node_.quoted) {
      slot.at(d_.profile()) = value;
    } else {
      d_.complain_form(node_, "a number of cores, such as 1.5, or none",
                       number && node_.quoted ? "remove the quotes" : "");
    }
  }

  void operator()(const TimeSlot& slot) const {
    read_time(slot.at(d_.profile()), parse_duration, "a duration such as 10s, or 0s for none");
  }
  void operator()(const OffsetSlot& slot) const {
    Duration value{0};
    if (read_time(value, parse_signed_duration, "a duration such as -10s"))
      slot.at(d_.profile()) = value;
  }

  void operator()(const IdSlot& slot) const {
    if (Decoder::is_word(node_, "caller")) {
      slot.at(d_.profile()).reset();
      return;
    }
    if (Decoder::is_no_number(node_)) return d_.complain_form(node_, "a whole number, or caller");
    std::uint64_t value = 0;
    // 4294967295 is (uid_t)-1, which the kernel takes for "leave it as it is".
    if (d_.read_count(node_, value, 4294967294U))
      slot.at(d_.profile()) = static_cast<std::uint32_t>(value);
  }

  void operator()(const TextListSlot& slot) const {
    std::vector<std::string>& out = slot.at(d_.profile());
    if (node_.replace) out.clear();
    d_.each_item(node_, [&](const Node& item) {
      std::string text;
      // Also when it failed: the checks find the place of an entry by its number.
      d_.read_text(item, text);
      out.push_back(std::move(text));
    });
  }

  void operator()(const PortListSlot& slot) const {
    d_.each_item(node_, [&](const Node& item) {
      std::uint64_t port = 0;
      if (!d_.read_count(item, port, 65535)) return;
      if (port == 0) d_.complain(item, d_.subject() + ": there is no port 0");
      slot.at(d_.profile()).push_back(static_cast<std::uint16_t>(port));
    });
  }

  void operator()(const TextMapSlot& slot) const {
    d_.each_entry(node_, [&](const Node& entry) {
      std::string text;
      if (d_.read_text(entry, text)) slot.at(d_.profile())[entry.key] = std::move(text);
    });
  }

  void operator()(const ChoiceSlot& slot) const {
    const auto found = std::ranges::find(slot.words, node_.text);
    if (node_.kind == NodeKind::scalar && found != slot.words.end()) {
      slot.set(d_.profile(), static_cast<std::size_t>(found - slot.words.begin()));
      return;
    }
    const std::string_view near = nearest_name(node_.text, slot.words);
    d_.complain(
        node_,
        d_.subject() + " must be " + choices(slot.words) +
            (node_.kind == NodeKind::scalar ? ", not `" + printable(node_.text, 40) + '`' : ""),
        near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }

  void operator()(const SectionSlot& slot) const { d_.read_map(node_, slot.keys); }
  void operator()(const SpecialSlot& slot) const { slot.read(d_, node_); }

 private:
  template <class T>
  bool lifts(std::optional<T>& value) const {
    if (!Decoder::is_word(node_, "none")) return false;
    value.reset();
    return true;
  }

  bool read_time(Duration& out, Parsed<Duration> (*parse)(std::string_view),
                 std::string_view form) const {
    const bool sign = node_.text.starts_with('-') || node_.text.starts_with('+');
    if (Decoder::is_no_number(node_) && !(sign && parse == parse_signed_duration)) {
      d_.complain_form(node_, form);
      return false;
    }
    const Parsed<Duration> value = parse(node_.text);
    if (value) {
      out = *value;
    } else {
      d_.complain(node_, d_.subject() + ": " + value.error());
    }
    return value.has_value();
  }

  [[nodiscard]] std::string word_hint() const {
    constexpr std::array<std::string_view, 6> kOld{"yes", "no", "on", "off", "y", "n"};
    const bool old = std::ranges::find(kOld, node_.text) != kOld.end();
    return old ? '`' + node_.text + "` is text in YAML 1.2" : "";
  }

  Decoder& d_;
  const Node& node_;
};

}  // namespace

void Decoder::read_slot(const Node& node, const Slot& slot) {
  std::visit(SlotReader(*this, node), slot);
}

}  // namespace sbx::profile
