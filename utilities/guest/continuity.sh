# Heartbeat of the continuity workload: "counter seconds" per line, for ever.  Usage: sh continuity.sh FILE INTERVAL
n=0
while :; do
    n=$((n + 1))
    echo "$n $(date +%s.%N)" >> "$1"
    sleep "$2"
done
