# balance FILE prints the sum of each account, by name.
balance() {
	postings "$1" | while read -r line date account cents payee; do
		echo "$account $cents"
	done | sort | {
		last='' sum=0
		show() { [ -z "$last" ] || printf '%-20s %10s\n' "$last" "$(money "$sum")"; }
		while read -r account cents; do
			if [ "$account" != "$last" ]; then
				show
				last=$account sum=0
			fi
			sum=$((sum + cents))
		done
		show
	}
}
