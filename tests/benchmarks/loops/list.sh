# Every ticket of every connection as one line, with whose it is. Connections: lines "NAME ACCOUNT" in the file $1.
while read -r name account; do
  url="$BASE/unified/ticketing/tickets?integrated_account_id=$account&limit=100" next=$url
  while :; do
    if ! page=$(curl -fsS --retry 5 --retry-all-errors --oauth2-bearer "$TOKEN" "$next"); then
      echo "$name: failed" >&2
      break
    fi
    printf '%s\n' "$page" | jq -c --arg name "$name" '{_profile: $name} + .result[]'
    cursor=$(printf '%s\n' "$page" | jq -r '.next_cursor // empty | @uri')
    [ -n "$cursor" ] || break
    next="$url&next_cursor=$cursor"
  done
done <"$1"
