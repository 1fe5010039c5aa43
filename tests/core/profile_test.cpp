#include "attend/core/profile.h"

#include <gtest/gtest.h>

#include <thread>

namespace attend::core {
namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(Profile, GivesEachZoneItsOwnTime) {
  Profile profile;
  {
    Profile::Zone outer(&profile, "outer");
    sleep_ms(5);
    {
      const Profile::Zone inner(&profile, "inner");
      profile.add_operations(10.0);
      sleep_ms(40);
    }
    profile.add_operations(1.0);
    outer.next("after");
    sleep_ms(20);
  }
  profile.add_operations(1000.0);  // in no zone
  sleep_ms(5);
  const Profile::Zone again(&profile, "inner");
  ASSERT_EQ(profile.entries().size(), 3u);
  const Profile::Entry &outer = profile.entries()[0], &inner = profile.entries()[1],
                       &after = profile.entries()[2];
  EXPECT_STREQ(outer.name, "outer");
  EXPECT_STREQ(inner.name, "inner");
  EXPECT_STREQ(after.name, "after");
  EXPECT_EQ(outer.calls, 1);
  EXPECT_EQ(inner.calls, 2);
  EXPECT_EQ(outer.operations, 1.0);
  EXPECT_EQ(inner.operations, 10.0);
  EXPECT_GE(inner.seconds, 0.040);
  EXPECT_GE(after.seconds, 0.020);
  EXPECT_GE(outer.seconds, 0.005);
  EXPECT_LT(outer.seconds, inner.seconds);  // the inner zone's 40 ms are not in it
}

TEST(Profile, WithoutOneNothingHappens) {
  Profile::Zone zone(nullptr, "outer");
  zone.next("after");
  zone.end();
}

TEST(Profile, AddsOthersByName) {
  Profile a, b;
  a.add({"x", 1, 2.0, 3.0});
  b.add({"y", 10, 20.0, 30.0});
  b.add({"x", 100, 200.0, 300.0});
  a.add(b);
  a.add_seconds("x", -2.0);
  ASSERT_EQ(a.entries().size(), 2u);
  EXPECT_EQ(a.find("x")->calls, 101);
  EXPECT_EQ(a.find("x")->seconds, 200.0);
  EXPECT_EQ(a.find("x")->operations, 303.0);
  EXPECT_EQ(a.find("y")->calls, 10);
  EXPECT_EQ(a.find("z"), nullptr);
}

}  // namespace
}  // namespace attend::core
