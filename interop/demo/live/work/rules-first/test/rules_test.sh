. ./test/same.sh
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' 'Corner* = Expenses:Food' 'Corner Bookshop = Expenses:Books' >"$file"
same 'a pattern' Expenses:Food "$(./ledgerline rules "$file" 'Corner Bakery')"
same 'of two the first' Expenses:Food "$(./ledgerline rules "$file" 'Corner Bookshop')"
same 'none' none "$(./ledgerline rules "$file" Cinema || echo none)"
