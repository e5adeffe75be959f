// From a table and a kernel text to a fitted model, in one call.
#pragma once

#include <string_view>

#include "instantgp/base/export.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/model.h"
#include "instantgp/model/options.h"
#include "instantgp/model/session.h"

namespace instantgp {

// Session::Fit in a session of its own. For fits one after another keep a Session: its threads and network stay.
INSTANTGP_EXPORT Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options = {},
                           const SessionOptions& session = {});

}  // namespace instantgp
