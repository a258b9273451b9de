int part3(int n) { return n * 3; }
