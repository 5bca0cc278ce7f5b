"""Limits of answers, requests and files."""

# Maximal characters of one message in an answer. `read_message` reads the rest of the message.
TEXT = 2_000
# Maximal characters of all texts in one answer.
ANSWER = 20_000
# Maximal characters of a name, and of a file's name.
NAME = 100
# Maximal characters of an error.
ERROR = 600
# Maximal and default number of entries of a page.
PAGE = 50
DEFAULT_PAGE = 20
# Maximal bytes of a text to send. A message of the network has less than 16,000 bytes.
SENT = 15_000
# Maximal characters of a search text.
SEARCH = 200
# Maximal and default seconds that a tool waits for an answer. Many clients of MCP give up after 60 seconds.
WAIT = 300
DEFAULT_WAIT = 30
# Maximal seconds of one long poll.
POLL = 20
# Maximal seconds until a received file is on the gateway.
RECEIVE = 300
# Maximal bytes of a fetched file, unless --max-file gives another number.
FILE = 100_000_000
# Seconds for which a request is repeated while the gateway does not answer.
RETRY = 20
# Minimal characters of the token.
TOKEN = 32
# Maximal bytes of a request over HTTP, and maximal number of sessions.
BODY = 1 << 20
SESSIONS = 100
