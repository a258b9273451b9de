int part7(int n) { return n * 7; }
