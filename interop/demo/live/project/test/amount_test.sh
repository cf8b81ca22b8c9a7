. ./lib/amount.sh
. ./test/same.sh
same 'cents' 1234 "$(cents 12.34)"
same 'no octal numbers' 808 "$(cents 08.08)"
same 'below zero' -5 "$(cents -0.05)"
same 'no amount' refused "$(cents 12.3 || echo refused)"
same 'and back' -0.05 "$(money -5)"
