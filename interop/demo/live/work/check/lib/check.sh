# check FILE says of every transaction that does not balance by how much, and fails when there is one.
check() {
	file=$1 last=0 sum=0 what='' bad=0
	settle() {
		[ "$sum" -eq 0 ] && return
		echo "$file:$last: $what is off by $(money "$sum")" >&2
		bad=1
	}
	postings "$file" | {
		while read -r line date account cents payee; do
			if [ "$line" -ne "$last" ]; then
				settle
				last=$line sum=0 what="$date $payee"
			fi
			sum=$((sum + cents))
		done
		settle
		exit $bad
	}
}
