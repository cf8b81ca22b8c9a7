# Written with the plan, before there is a lib/dedupe.sh.
[ -f lib/dedupe.sh ] || { echo '(skipped)'; exit 0; }
. ./lib/dedupe.sh
. ./test/same.sh
old=$(mktemp) new=$(mktemp)
trap 'rm -f "$old" "$new"' EXIT
printf '%s\n' '2025-03-07 -450 Corner Bakery' >"$old"
printf '%s\n' '2025-03-07 -450 Corner Bakery' '2025-03-09 -1200 Cinema' >"$new"
same 'what is there already is left out' '2025-03-09 -1200 Cinema' "$(dedupe "$old" "$new")"
printf '%s\n' '2025-03-07 -450 Corner Bakery' '2025-03-07 -450 Corner Bakery' >"$new"
same 'two coffees on one day are two' '2025-03-07 -450 Corner Bakery' "$(dedupe "$old" "$new")"
