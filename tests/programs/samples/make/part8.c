int part8(int n) { return n * 8; }
