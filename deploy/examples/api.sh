# shellcheck shell=sh
# Sourced by the examples for the shell: the functions `api` and `event`.
#
# SXGW_URL: the gateway (default http://127.0.0.1:5225). SXGW_KEY: a key; or SXGW_KEY_FILE, a file with it (default: the
# first key of the usual data folder). Needs curl and jq.
url=${SXGW_URL:-http://127.0.0.1:5225}
key=${SXGW_KEY:-$(cat "${SXGW_KEY_FILE:-$HOME/.local/share/simplex-gateway/admin.key}")}

# api PATH [OPTIONS OF CURL]: sends a request. curl reads the key from a file descriptor, because all users of the
# machine can see the arguments of a program.
api() {
    path=$1
    shift
    curl -sS --fail-with-body --config /dev/fd/3 "$url/v1$path" "$@" 3<<EOF
header = "Authorization: Bearer $key"
EOF
}

# event FILTER FIELD waits for an event, and prints the field.
event() {
    until api "/events?$1&timeout=20" | jq -e "first(.events[].event | $2 | values)"; do sleep 0.1; done
}
