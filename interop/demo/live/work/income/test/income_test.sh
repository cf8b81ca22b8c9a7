. ./test/same.sh
said=$(./ledgerline income examples/journal.txt)
same 'two months' 2 "$(($(echo "$said" | wc -l)))"
same 'March' '2025-03  in    2400.00  out     804.50' "$(echo "$said" | head -n 1)"
