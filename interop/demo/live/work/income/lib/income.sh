# income FILE prints for each month what came in and what went out.
income() {
	postings "$1" | while read -r line date account cents payee; do
		case $account in Income:* | Expenses:*) echo "${date%-*} $((-cents))" ;; esac
	done | sort | {
		last='' in=0 out=0
		show() { [ -z "$last" ] || printf '%s  in %10s  out %10s\n' "$last" "$(money "$in")" "$(money "$out")"; }
		while read -r month cents; do
			if [ "$month" != "$last" ]; then
				show
				last=$month in=0 out=0
			fi
			if [ "$cents" -gt 0 ]; then in=$((in + cents)); else out=$((out - cents)); fi
		done
		show
	}
}
