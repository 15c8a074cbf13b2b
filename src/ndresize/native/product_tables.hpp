// The tables of products along a row.
#pragma once
#include "tiles.hpp"

namespace ndresize {

// `block`: outputs of a block of lanes.
void product_tables(Tile& tile, const AxisTable& axis, i64 channels, int block);

}  // namespace ndresize
