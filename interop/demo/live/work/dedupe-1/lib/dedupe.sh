# dedupe OLD NEW prints the lines of NEW that OLD does not have.
dedupe() {
	while IFS= read -r line; do
		grep -qxF -- "$line" "$1" || printf '%s\n' "$line"
	done <"$2"
}
