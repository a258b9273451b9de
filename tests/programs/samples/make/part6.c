int part6(int n) { return n * 6; }
