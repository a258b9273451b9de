package count

import (
	"os/exec"
	"testing"
)

func TestSum(t *testing.T) {
	if got := Sum(1000); got != 500500 {
		t.Fatal(got)
	}
}

func TestCommand(t *testing.T) {
	out, err := exec.Command("echo", "x").Output()
	if err != nil || string(out) != "x\n" {
		t.Fatal(string(out), err)
	}
}
