// SPDX-License-Identifier: MIT
// Thousands of damaged, cut and spliced recordings: a reader gives a prefix of what was written, never anything else.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/counter_rng.hpp"
#include "support/data.hpp"
#include "support/recordings.hpp"
#include "support/temp_folder.hpp"

namespace drover::test {
namespace {

using io::RecordEnd;
using io::RecordType;

// Draws one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : rng_(seed, 0x7265) {}
  std::size_t below(std::size_t bound) { return rng_.uniform(next_++, static_cast<std::uint32_t>(bound)); }
  std::string text(std::size_t size, std::size_t letters) {
    std::string out(size, '\0');
    for (char& c : out) c = static_cast<char>(below(letters));
    return out;
  }

 private:
  base::CounterRng rng_;
  std::uint64_t next_ = 0;
};

struct Recording {
  std::string bytes;
  std::vector<TextRecord> records;
  std::vector<std::uint64_t> starts;  // of each record, then where the last one ends
};

// About 90 kB: long and short bodies, packed and plain, keyframes in parts of which two are alike.
Recording make_recording(const TempFolder& temp, std::uint64_t seed) {
  Recording out;
  Dice dice(seed);
  const auto keyframe = [&](std::uint64_t tick) {
    const std::string part = dice.text(3000, 16);
    for (const std::string& body : {part, part, dice.text(700, 3)}) {
      out.records.push_back({RecordType::keyframe, tick, "keyframe", body});
    }
  };
  out.records.push_back({RecordType::hello, 0, "map", dice.text(2000, 256)});
  keyframe(0);
  for (std::uint64_t t = 1; t <= 60; ++t) {
    out.records.push_back({RecordType::tick, t, dice.text(dice.below(40), 256),
                           dice.text(t % 7 == 0 ? 5000 : dice.below(300), t % 2 == 0 ? 9 : 256)});
    if (t % 16 == 0) keyframe(t);
  }
  out.records.push_back({RecordType::end, 60, "", ""});

  const std::string name = std::to_string(seed) + ".drv";
  Result<io::RecordWriter> writer = io::RecordWriter::create(temp / name, {1, seed, 2, 3});
  EXPECT_TRUE(writer.ok());
  for (const TextRecord& record : out.records) {
    out.starts.push_back(writer->bytes());
    EXPECT_TRUE(append(*writer, record).ok());
  }
  out.starts.push_back(writer->bytes());
  EXPECT_TRUE(writer->close().ok());
  out.bytes = temp.read(name);
  return out;
}

enum class Harm { flip, zero, insert, cut, overwrite, remove, repeat, swap, splice, append, count };

// One copy done harm to.
std::string harmed(const Recording& good, const Recording& other, Harm harm, Dice& dice) {
  std::string out = good.bytes;
  const std::size_t at = dice.below(out.size());
  const auto record = [&](const Recording& of) {
    const std::size_t i = dice.below(of.records.size());
    return of.bytes.substr(of.starts[i], of.starts[i + 1] - of.starts[i]);
  };
  switch (harm) {
    case Harm::flip:
      out[at] = static_cast<char>(out[at] ^ 1 << dice.below(8));
      break;
    case Harm::zero:
      out.replace(at, 512, std::min<std::size_t>(512, out.size() - at), '\0');
      break;
    case Harm::insert:
      out.insert(at, dice.text(7, 256));
      break;
    case Harm::cut:
      out.resize(at);
      break;
    case Harm::overwrite: {
      const std::string rubbish = dice.text(1 + dice.below(64), 256);
      out.replace(at, rubbish.size(), rubbish);
      break;
    }
    case Harm::remove:
      out.erase(at, 1 + dice.below(5000));
      break;
    case Harm::repeat:
      out.insert(good.starts[dice.below(good.starts.size())], record(good));
      break;
    case Harm::swap: {
      const std::size_t i = dice.below(good.records.size() - 1);
      const auto piece = [&](std::size_t k) {
        return good.bytes.substr(good.starts[k], good.starts[k + 1] - good.starts[k]);
      };
      out.replace(good.starts[i], good.starts[i + 2] - good.starts[i], piece(i + 1) + piece(i));
      break;
    }
    case Harm::splice:
      out.replace(good.starts[dice.below(good.starts.size())], 0, record(other));
      break;
    default:
      out = good.bytes.substr(0, good.starts[dice.below(good.starts.size())]) + other.bytes;
      break;
  }
  return out;
}

void expect_index_safe(const Recording& good, const std::string& path, Dice& dice) {
  Result<io::RecordReader> reader = io::RecordReader::open(path);
  ASSERT_TRUE(reader.ok());
  const std::uint64_t tick = dice.below(70), offset = reader->keyframe_before(tick);
  if (offset == 0) return;
  reader->seek(offset);
  io::Record record;
  const Result<bool> more = reader->next(record);
  ASSERT_TRUE(more.ok());
  if (!*more) return;
  const auto start = std::find(good.starts.begin(), good.starts.end(), offset);
  ASSERT_LT(static_cast<std::size_t>(start - good.starts.begin()), good.records.size());
  EXPECT_EQ(text_record(record), good.records[static_cast<std::size_t>(start - good.starts.begin())]);
  EXPECT_LE(record.tick, tick);
}

TEST(RecordDamage, AReaderGivesAPrefixOfWhatWasWritten) {
  const TempFolder temp;
  const Recording good = make_recording(temp, 1), other = make_recording(temp, 2);
  const MemoryFile copy;
  ASSERT_EQ(read_back(copy.with(good.bytes)).records, good.records);
  const int copies = long_run() ? 20000 : 2000;
  std::size_t refused = 0, given = 0;
  for (int n = 0; n < copies; ++n) {
    Dice dice(static_cast<std::uint64_t>(n) + 100);
    const auto harm = static_cast<Harm>(n % static_cast<int>(Harm::count));
    std::string bytes = harmed(good, other, harm, dice);
    if (dice.below(4) == 0) bytes = bytes.substr(0, dice.below(bytes.size() + 1));
    const std::string& path = copy.with(bytes);
    const ReadBack back = read_back(path);
    const auto differs = static_cast<std::uint64_t>(
        std::mismatch(bytes.begin(), bytes.end(), good.bytes.begin(), good.bytes.end()).first - bytes.begin());
    SCOPED_TRACE(testing::Message() << "copy " << n << ", first harm at byte " << differs);
    if (!back.status.ok()) {
      ASSERT_LT(differs, 64u) << back.status.message();
      ++refused;
      continue;
    }
    // Each record before the first harm is there, each that is there is the one that was written.
    const auto whole = static_cast<std::size_t>(std::upper_bound(good.starts.begin(), good.starts.end(), differs) -
                                                good.starts.begin() - 1);
    ASSERT_EQ(back.records.size(), std::min(whole, good.records.size()));
    ASSERT_TRUE(std::equal(back.records.begin(), back.records.end(), good.records.begin()));
    const bool unharmed = bytes == good.bytes || bytes.size() == good.starts.back();
    ASSERT_EQ(back.end == RecordEnd::complete, unharmed && whole == good.records.size());
    ASSERT_NO_FATAL_FAILURE(expect_index_safe(good, path, dice));
    given += back.records.size();
  }
  EXPECT_LT(refused, static_cast<std::size_t>(copies) / 20);
  EXPECT_GT(given, static_cast<std::size_t>(copies) * good.records.size() / 4);
}

}  // namespace
}  // namespace drover::test
