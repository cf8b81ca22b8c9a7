# dedupe OLD NEW prints the lines of NEW that OLD does not have. A line of OLD stands for one of NEW: whoever
# buys two coffees on one day has two.
dedupe() {
	nl='
'
	left=$nl$(cat "$1")$nl
	while IFS= read -r line; do
		case $left in
		*"$nl$line$nl"*) left=${left%%"$nl$line$nl"*}$nl${left#*"$nl$line$nl"} ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$2"
}
