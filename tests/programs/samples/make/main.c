/* Calls every part of the library, with threads, and prints the sum. */
#include <pthread.h>
#include <stdio.h>

int part1(int), part2(int), part3(int), part4(int), part5(int), part6(int), part7(int), part8(int);
static int (*const parts[])(int) = {part1, part2, part3, part4, part5, part6, part7, part8};
static int results[8];

static void *work(void *at) {
  long i = (long)at;
  results[i] = parts[i](10);
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  int sum = 0;
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL), sum += results[i];
  printf("sum %d\n", sum);
  return 0;
}
