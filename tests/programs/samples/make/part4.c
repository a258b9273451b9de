int part4(int n) { return n * 4; }
