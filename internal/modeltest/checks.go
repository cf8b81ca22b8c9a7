package modeltest

import "flag"

// RapidChecks is the flag that says how often each property of a package is tried.
const RapidChecks = "rapid.checks"

// Checks has each property of a package be tried n times, unless go test was told how often. It is for a TestMain.
func Checks(n string) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == RapidChecks })
	if !asked {
		_ = flag.Set(RapidChecks, n)
	}
}
