// How much memory is asked for at the most. Only the address sanitizer tells; elsewhere the meter shows 0.
#pragma once

namespace instantgp::fuzz {

void StartMeter();
double MeteredPeak();  // bytes beyond those held at StartMeter()

}  // namespace instantgp::fuzz
