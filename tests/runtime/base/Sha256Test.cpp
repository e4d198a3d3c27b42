// Vectors of FIPS 180-4 and NIST's "SHA Test Vectors for Hashing Byte-Oriented
// Messages".
#include "runtime/base/Sha256.h"

#include <gtest/gtest.h>
#include <vector>

using namespace tlx;

TEST(Sha256, NistVectors) {
  EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb924"
                           "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223"
                              "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigest) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += char('a' + i % 23);
  std::string whole = sha256Hex(text);
  for (size_t step : {1, 7, 55, 63, 64, 65, 119, 128, 999}) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += step)
      hash.update(text.data() + at, std::min(step, text.size() - at));
    auto digest = hash.finish();
    EXPECT_EQ(digest[0], std::stoul(whole.substr(0, 2), nullptr, 16)) << step;
    EXPECT_EQ(digest[31], std::stoul(whole.substr(62), nullptr, 16)) << step;
  }
}
