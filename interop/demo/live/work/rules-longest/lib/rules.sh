# rules FILE PAYEE prints the account of a payee. A line of FILE is PATTERN = ACCOUNT; of those that match the
# longest wins, wherever it stands.
rules() {
	payee=$2 best='' account=''
	while IFS= read -r text; do
		pattern=${text%% = *}
		case $text in '' | '#'*) continue ;; esac
		case $payee in
		$pattern) [ ${#pattern} -le ${#best} ] || best=$pattern account=${text#* = } ;;
		esac
	done <"$1"
	[ -n "$account" ] && echo "$account"
}
