// Fits: bytes become a table, a kernel, a method and its options (tests/support/fit_case.h); the fit ends in an Error
// or in a model of which everything holds that must (tests/support/fit_invariants.h).
#include <cmath>

#include "instantgp/inference/trained_network.h"
#include "instantgp/model/session.h"
#include "instantgp/model/update.h"
#include "tests/fuzz/allocation_meter.h"
#include "tests/fuzz/byte_feed.h"
#include "tests/fuzz/door.h"
#include "tests/fuzz/small_networks.h"
#include "tests/support/fit_case.h"
#include "tests/support/fit_invariants.h"

namespace instantgp::fuzz {
namespace {

class FeedChooser : public testing::Chooser {
 public:
  explicit FeedChooser(std::string_view bytes) : feed_(bytes) {}
  int Below(int count) override { return feed_.Below(count); }
  double Unit() override { return feed_.Byte() / 255.0; }
  double AnyDouble() override { return feed_.AnyDouble(); }

 private:
  ByteFeed feed_;
};

Session& SessionFor(Method method) {
  static const TrainedNetwork structured(RandomNetwork(SmallestConfig(), true));
  static const TrainedNetwork ahgp(RandomNetwork(SmallestAhgpConfig(), false));
  static Session usual({.network = &structured, .threads = 1});
  static Session baseline({.network = &ahgp, .threads = 1});
  return method == Method::kAhgp ? baseline : usual;
}

// A few rows more: the same scaling, other rows.
void CheckUpdate(Session& session, const Model& model, const testing::FitCase& made, testing::Invariants which) {
  const Matrix X = made.X_new.topRows(2);
  const Vector y = made.data.y.head(1).replicate(2, 1);
  Accepts([&] {
    const UpdateResult updated = Update(session, model, X, y, {.reinfer = Reinfer::kNever});
    Require(updated.model.rows() == model.rows() + 2, "an update with another number of rows");
    const std::string broken = testing::BrokenInvariant(updated.model, made.X_new, model.AveragedOver() == 0, which);
    Require(broken.empty(), "after an update: " + broken + "\n" + testing::Describe(made));
  });
}

// Predictions of every model are looked at; of the rest of what must hold a third, and every third model is updated.
void FitDoor(std::string_view bytes) {
  FeedChooser choose(bytes);
  const testing::FitCase made = testing::MakeFitCase(choose, {.wild = true});
  Session& session = SessionFor(made.options.method);
  const int turn = TurnOf(bytes, 9);
  const testing::Invariants which[] = {testing::Invariants::kJoint, testing::Invariants::kReports,
                                       testing::Invariants::kFile};
  Accepts([&] {
    StartMeter();
    const Model model = session.Fit(made.data, made.kernel, made.options);
    // What is announced are matrices; beside them stand the kernel, the network's workspace and the draws of so few
    // rows.
    const double announced = EstimateCost(made.data.rows(), made.options).bytes;
    Require(MeteredPeak() <= announced + 16e6, "more memory than announced\n" + testing::Describe(made));
    std::string broken;
    Accepts([&] { broken = testing::BrokenInvariant(model, made.X_new, true, which[turn % 3]); });
    Require(broken.empty(), broken + "\n" + testing::Describe(made));
    if (turn < 3) CheckUpdate(session, model, made, which[turn]);
  });
}

}  // namespace

INSTANTGP_DOOR(fit, FitDoor)

}  // namespace instantgp::fuzz
