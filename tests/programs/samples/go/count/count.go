// Package count adds numbers in goroutines.
package count

import "sync"

// Sum adds 1 to n, each in its own goroutine.
func Sum(n int) int {
	var group sync.WaitGroup
	var lock sync.Mutex
	total := 0
	for i := 1; i <= n; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			lock.Lock()
			defer lock.Unlock()
			total += i
		}(i)
	}
	group.Wait()
	return total
}
