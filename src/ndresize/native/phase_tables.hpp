// Outputs along a row whose weights repeat after two, one sample further on.
#pragma once
#include "tiles.hpp"

namespace ndresize {

// Find the longest run of them in a tile whose table has its channels, for vectors of so many lanes, and which
// of the table's blocks of so many outputs it makes.
void find_phases(Tile& tile, const AxisTable& axis, int lanes, int block);

}  // namespace ndresize
