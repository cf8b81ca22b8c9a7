# same WHAT WANT GOT fails the test where the two differ.
same() {
	[ "$2" = "$3" ] && return
	printf '  %s\n  want: %s\n  got:  %s\n' "$1" "$2" "$3"
	exit 1
}
