#!/bin/sh
# Runs each test/*_test.sh in a shell of its own, and fails when one of them does.
cd "$(dirname "$0")/.." || exit 2
failed=0
for t in test/*_test.sh; do
	if said=$(sh "$t" 2>&1); then
		echo "ok    $t $said"
	else
		echo "FAIL  $t"
		echo "$said"
		failed=1
	fi
done
exit $failed
