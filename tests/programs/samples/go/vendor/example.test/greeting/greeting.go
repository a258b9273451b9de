// Package greeting is the vendored dependency.
package greeting

// To greets by name.
func To(name string) string { return "hello " + name }
