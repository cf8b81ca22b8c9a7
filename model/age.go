package model

import (
	"fmt"
	"time"
)

// Age is a duration as people say how long ago something was, in at most four cells: "now",
// "5m", "3h", "12d", "8w", "2y". A time to come is "now".
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 21*day:
		return fmt.Sprintf("%dd", d/day)
	case d < 365*day:
		return fmt.Sprintf("%dw", d/(7*day))
	default:
		return fmt.Sprintf("%dy", d/(365*day))
	}
}

// Earlier is how long before something else it was: "just before", "12m earlier".
func Earlier(d time.Duration) string {
	if d < time.Minute {
		return "just before"
	}
	return Age(d) + " earlier"
}

// Lasting is how long something takes, rounded up to what matters of it: "40s", "12m", "2h05m", "3d4h".
func Lasting(d time.Duration) string {
	const day = 24 * time.Hour
	up := func(unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
	switch {
	case d <= 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", up(time.Second)/time.Second)
	case up(time.Minute) < time.Hour:
		return fmt.Sprintf("%dm", up(time.Minute)/time.Minute)
	case up(time.Minute) < day:
		d = up(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	d = up(time.Hour)
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}
