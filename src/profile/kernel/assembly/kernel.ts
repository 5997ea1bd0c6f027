// What a fold does to whole columns. Addresses and lengths come from the caller, which also sees to it that they fit.

export { climb, descend, distinct, gather, join, overlay } from './columns';
export { room } from './memory';
export { emit, places, sortBy, stacksOf } from './order';
export { pairId, pairs, pairsFirst, pairsLength, pairsSecond } from './pairs';
export { addCells, addSums, mark, numberMarked, spread } from './sums';
