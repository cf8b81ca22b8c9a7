. ./test/same.sh
n=0
while IFS= read -r text; do
	case $text in
	'    $ '*)
		n=$((n + 1))
		same "$text" ok "$(sh -c "${text#*\$ }" >/dev/null 2>&1 && echo ok)"
		;;
	esac
done <docs/start.md
same 'commands in the guide' 4 $n
