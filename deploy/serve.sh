#!/bin/sh
# One Agent Server in a container: its log on standard output, its signals its own.
set -eu
log="${STATIONMASTER_DATA_DIR:-.stationmaster}/server.log"
tail -n +1 -q -F "$log" 2>/dev/null &
exec stationmaster serve "$@"
