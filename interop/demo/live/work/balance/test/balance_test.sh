. ./test/same.sh
said=$(./ledgerline balance examples/journal.txt)
same 'a line for each account' 6 "$(($(echo "$said" | wc -l)))"
same 'a sum' 'Assets:Bank             3910.10' "$(echo "$said" | head -n 1)"
