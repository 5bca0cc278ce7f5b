"""Bounds of answers, requests and files, in one place."""

# Characters of one message in an answer. `read_message` reads the rest.
TEXT = 2_000
# Characters of all texts of one answer.
ANSWER = 20_000
# Characters of a name, and of a file's name.
NAME = 100
# Characters of an error.
ERROR = 600
# Entries of a page, at most and by default.
PAGE = 50
DEFAULT_PAGE = 20
# Bytes of a text that is sent. A message of the network has less than 16,000 bytes.
SENT = 15_000
# Characters of a text that is searched for.
SEARCH = 200
# Seconds that a tool waits for an answer. Many clients of MCP give up after 60 seconds.
WAIT = 300
DEFAULT_WAIT = 30
# Seconds of one long poll.
POLL = 20
# Seconds until a file is on the gateway.
RECEIVE = 300
# Bytes of a fetched file, unless --max-file gives another number.
FILE = 100_000_000
# Seconds for which a request is repeated while the gateway is away.
RETRY = 20
# Characters of the token, at least.
TOKEN = 32
# Bytes of a request over HTTP, and sessions at a time.
BODY = 1 << 20
SESSIONS = 100
