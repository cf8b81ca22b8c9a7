# Turns the output of go test -bench into a table: package, benchmark, time an operation
# and every ratio or other figure that the benchmark reports. A unit that ends with ≤ and a
# number has a budget: it is shown beside the figure, and a figure beyond it is marked.
function human(ns) {
	if (ns >= 1e9) return sprintf("%.2f s", ns / 1e9)
	if (ns >= 1e6) return sprintf("%.2f ms", ns / 1e6)
	if (ns >= 1e3) return sprintf("%.1f µs", ns / 1e3)
	return sprintf("%.0f ns", ns)
}
/^pkg:/ { pkg = $2; sub(/^vespe\//, "", pkg); next }
/^Benchmark/ {
	name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	time = ""; extra = ""
	for (i = 3; i < NF; i += 2) {
		if ($(i + 1) == "ns/op") { if ($i > 0) time = human($i) }
		else if ($(i + 1) == "B/op" || $(i + 1) == "allocs/op") continue
		else if (split($(i + 1), unit, "≤") == 2) {
			extra = extra sprintf("  %s %s (%s ≤ %s)", $i, unit[1], $i <= unit[2] + 0 ? "ok" : "OVER", unit[2])
			budgets++
			if ($i > unit[2] + 0) over = over sprintf("  %s %s: %s %s, budget %s\n", pkg, name, $i, unit[1], unit[2])
		}
		else extra = extra sprintf("  %s %s", $i, $(i + 1))
	}
	printf "%-16s %-46s %12s %s\n", pkg, name, time, extra
}
/^(FAIL|panic)/ { print; bad = 1 }
END {
	if (budgets) printf "\n%d figures have a budget. Beyond it:\n%s", budgets, over == "" ? "  none\n" : over
	exit bad
}
