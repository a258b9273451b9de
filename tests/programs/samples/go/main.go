// The sample program: a vendored package, one of its own, and goroutines.
package main

import (
	"fmt"

	"example.test/greeting"
	"example.test/sample/count"
)

func main() { fmt.Println(greeting.To("gopher"), count.Sum(100)) }
