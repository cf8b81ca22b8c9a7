# Amounts are whole cents.

# cents TEXT prints an amount such as -12.34 as cents, and fails for what is none.
cents() {
	sign='' text=$1
	case $text in -*) sign=- text=${text#-} ;; esac
	case $text in
	'' | *[!0-9.]* | *.*.* | .*) return 1 ;;
	*.[0-9][0-9]) ;;
	*.*) return 1 ;;
	*) text=$text.00 ;;
	esac
	whole=${text%.*} part=${text#*.}
	while :; do # 08 would be octal
		case $whole in 0?*) whole=${whole#0} ;; *) break ;; esac
	done
	echo "$sign$((whole * 100 + 1$part - 100))"
}

# money CENTS prints cents as people write them.
money() {
	sign='' n=$1
	case $n in -*) sign=- n=${n#-} ;; esac
	printf '%s%d.%02d\n' "$sign" $((n / 100)) $((n % 100))
}
