# Suspend a user in every connection, and go on after an end in between: what was answered stands in suspended.log.
# Connections: lines "NAME ACCOUNT" in the file $1. A key makes a repeated request harmless where the service honours it.
touch suspended.log suspended.keys
failed=0
while read -r name account; do
  grep -q "^$name done" suspended.log && continue
  key=$(awk -v name="$name" '$1 == name { print $2; exit }' suspended.keys)
  if [ -z "$key" ]; then
    key=$(cat /proc/sys/kernel/random/uuid)
    echo "$name $key" >>suspended.keys
  fi
  code=$(curl -sS -o answer.json -w '%{http_code}' --retry 5 --oauth2-bearer "$TOKEN" \
    -H "Idempotency-Key: $key" -H 'Content-Type: application/json' -d '{"user_id":"users-1"}' \
    "$BASE/unified/user-directory/users/suspend?integrated_account_id=$account")
  case $code in
    2??) echo "$name done $key" >>suspended.log ;;
    *) echo "$name: $code $(cat answer.json)" >&2; failed=1 ;;
  esac
done <"$1"
exit $failed
