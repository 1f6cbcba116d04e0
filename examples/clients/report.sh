#!/bin/sh
# Prints a line every 100 ms while this host leads: electctl starts the loop, and ends it in time.
exec electctl run -- sh -c 'while read -r uptime _ </proc/uptime; do
	echo "$(uname -n) $ELECTD_TOKEN $uptime"
	sleep 0.1
done'
