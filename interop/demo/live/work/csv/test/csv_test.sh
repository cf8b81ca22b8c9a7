. ./test/same.sh
export=$(mktemp)
trap 'rm -f "$export"' EXIT
printf '%s\n' 'Date;Payee;Amount' '2025-03-07;Corner Bakery;-4.50' 'total;;' >"$export"
same 'semicolons, and a heading' '2025-03-07 -450 Corner Bakery' "$(./ledgerline csv "$export" 2>/dev/null)"
same 'a bad line has its number' "$export:3: no line of a statement: total;;" "$(./ledgerline csv "$export" 2>&1 >/dev/null)"
printf '%s' '2025-03-09,Cinema,-12' >"$export"
same 'commas, and no newline at the end' '2025-03-09 -1200 Cinema' "$(./ledgerline csv "$export")"
