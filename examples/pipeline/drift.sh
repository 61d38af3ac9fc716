#!/usr/bin/env bash
# Captures a query on each connection and compares the result with yesterday's. Writes reports/CONNECTION.xml (JUnit).
# Usage: drift.sh QUERY CONNECTION…
# Ends with 0 without drift, 1 on drift, else with the exit code of the command that failed.
set -euo pipefail

query=$1
shift
from=${DRIFT_FROM:-1 day ago}

weft snapshot capture "$query" "${@/#/--connection=}"

mkdir -p reports
drift=0
for connection in "$@"; do
	code=0
	weft snapshot compare --query "$query" --connection "$connection" --from "$from" --ignore-volatile \
		--rules --exit-code --format junit >"reports/$connection.xml" || code=$?
	case $code in
		0) echo "$connection: no drift" ;;
		1) echo "$connection: drift, see reports/$connection.xml" && drift=1 ;;
		*) exit "$code" ;;
	esac
done
exit "$drift"
