// A contest entry: reads n and n numbers, prints their sum.
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  int n = 0;
  if (std::scanf("%d", &n) != 1) return 1;
  std::vector<long> numbers(static_cast<std::size_t>(n));
  for (long& number : numbers) {
    if (std::scanf("%ld", &number) != 1) return 1;
  }
  std::printf("%ld\n", std::accumulate(numbers.begin(), numbers.end(), 0L));
}
