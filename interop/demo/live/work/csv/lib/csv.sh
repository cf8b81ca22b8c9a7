# csv FILE prints DATE CENTS PAYEE for each line of a bank's export: date, payee and amount, between commas or
# semicolons. A line that cannot be read is reported with its number, and skipped; the first may be a heading.
csv() {
	file=$1 n=0
	while IFS= read -r text || [ -n "$text" ]; do
		n=$((n + 1))
		case $text in *\;*) IFS=\; ;; *) IFS=, ;; esac
		set -f
		set -- $text
		set +f
		unset IFS
		if [ $# -eq 3 ] && amount=$(cents "$3"); then
			printf '%s %s %s\n' "$1" "$amount" "$2"
		elif [ "$n" -gt 1 ]; then
			echo "$file:$n: no line of a statement: $text" >&2
		fi
	done <"$file"
}
