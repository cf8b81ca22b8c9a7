. ./test/same.sh
said=$(./ledgerline html examples/journal.txt)
same 'a row for each account' 6 "$(echo "$said" | grep -c '<tr>')"
same 'no scripts' 0 "$(echo "$said" | grep -c '<script')"
