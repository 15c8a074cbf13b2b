// Outputs along a row whose weights repeat after two, one sample further on.
#pragma once
#include "tiles.hpp"

namespace ndresize {

// Find the longest run of them in a tile whose table has its channels, for vectors of so many lanes.
void find_phases(Tile& tile, const AxisTable& axis, int lanes);

// Which blocks of so many outputs the run makes; if none, there is no run.
void skip_blocks(Tile& tile, int block);

}  // namespace ndresize
