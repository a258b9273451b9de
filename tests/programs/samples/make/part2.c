int part2(int n) { return n * 2; }
