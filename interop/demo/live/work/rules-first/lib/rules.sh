# rules FILE PAYEE prints the account of a payee. A line of FILE is PATTERN = ACCOUNT; the first that matches
# wins, so the order in the file is what counts.
rules() {
	payee=$2
	while IFS= read -r text; do
		pattern=${text%% = *}
		case $text in '' | '#'*) continue ;; esac
		case $payee in
		$pattern)
			echo "${text#* = }"
			return
			;;
		esac
	done <"$1"
	return 1
}
