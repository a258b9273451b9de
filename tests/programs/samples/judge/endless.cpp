// A contest entry that never ends.
int main() {
  for (volatile unsigned long n = 0;; n = n + 1) {
  }
}
