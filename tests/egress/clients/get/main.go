// get HOST: what its web server has at port 80, by Go's own resolver and no library of C.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

func main() {
	start := time.Now()
	resolver := &net.Resolver{PreferGo: true}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: resolver}
	connection, err := dialer.Dial("tcp", os.Args[1]+":80")
	fmt.Fprintf(os.Stderr, "ms=%d\n", time.Since(start).Milliseconds())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(connection, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", os.Args[1])
	io.Copy(os.Stdout, connection)
}
