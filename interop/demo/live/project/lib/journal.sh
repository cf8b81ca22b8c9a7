# A journal has transactions: a line with date and payee, and below it, indented, an account and an amount for
# each posting.

# postings FILE prints one line a posting: LINE DATE ACCOUNT CENTS PAYEE. LINE is that of the transaction.
postings() {
	n=0 head=0 date='' payee=''
	while IFS= read -r text; do
		n=$((n + 1))
		case $text in
		'' | '#'*) ;;
		[0-9]*) head=$n date=${text%% *} payee=${text#* } ;;
		*)
			set -- $text
			printf '%s %s %s %s %s\n' "$head" "$date" "$1" "$(cents "$2")" "$payee"
			;;
		esac
	done <"$1"
}
