. ./test/same.sh
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
same 'what balances is let through' '' "$(./ledgerline check examples/journal.txt 2>&1)"
printf '%s\n' '2025-05-01 Rent' '  Expenses:Rent 800.00' '  Assets:Bank -790.00' >"$bad"
same 'what does not is named' "$bad:1: 2025-05-01 Rent is off by 10.00" "$(./ledgerline check "$bad" 2>&1)"
same 'and fails' failed "$(./ledgerline check "$bad" 2>/dev/null || echo failed)"
