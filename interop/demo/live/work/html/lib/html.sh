. "$here/lib/balance.sh"

# html FILE prints the balance as one page, without scripts.
html() {
	echo '<!doctype html><meta charset="utf-8"><title>ledgerline</title><table>'
	balance "$1" | while read -r account sum; do
		printf '<tr><td>%s</td><td>%s</td></tr>\n' "$account" "$sum"
	done
	echo '</table>'
}
