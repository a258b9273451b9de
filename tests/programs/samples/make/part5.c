int part5(int n) { return n * 5; }
