. ./lib/amount.sh
. ./lib/journal.sh
. ./test/same.sh
same 'a posting' '1 2025-03-01 Assets:Bank 240000 Salary' "$(postings examples/journal.txt | head -n 1)"
same 'every posting' 10 "$(($(postings examples/journal.txt | wc -l)))"
