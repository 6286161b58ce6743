#!/bin/sh
# supervise.sh <name> <pid file> <program> [argument…]
# Runs a program and restarts it when it exits, after pauses that grow; SIGTERM stops both.
name=$1
pid_file=$2
shift 2
child=
stopping=
delay=1
# Keeps the shell's own messages about killed programs out of the log.
exec 3>&2 2>/dev/null

stop() {
  stopping=yes
  [ -n "$child" ] || return
  # A stopped process receives only SIGCONT and SIGKILL.
  kill -CONT "$child"
  kill -TERM "$child"
}
trap stop TERM INT

# Waits for the program; a signal interrupts the wait, not the program.
await_child() {
  # The signal may have come before the program had a pid; one that is sent at once may reach the shell that becomes it.
  [ -z "$stopping" ] || { sleep 1; stop; }
  wait "$child"
  code=$?
  while kill -0 "$child"; do
    wait "$child"
    code=$?
  done
  child=
}

while began=$(date +%s) && [ -z "$stopping" ]; do
  "$@" 2>&3 3>&- &
  child=$!
  echo "$child" >"$pid_file"
  await_child
  rm -f "$pid_file"
  [ -z "$stopping" ] || break
  [ $(($(date +%s) - began)) -lt 60 ] || delay=1
  printf '{"level":"warn","message":"the process ended: restarting it","process":"%s","exitCode":%d,"delaySeconds":%d,"timestamp":"%s"}\n' \
    "$name" "$code" "$delay" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  sleep "$delay" &
  child=$!
  await_child
  delay=$((delay * 2))
  [ "$delay" -le 30 ] || delay=30
done
