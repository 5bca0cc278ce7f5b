"""Sends a message, reads the message, and follows its status, with the client of openapi-python-client.

openapi-python-client generate --url http://127.0.0.1:5225/openapi.json --meta none --output-path simplex_gateway_client
python3 with_openapi_python_client.py http://127.0.0.1:5225 KEY 1 4 hello
"""

import sys

import httpx
from simplex_gateway_client import AuthenticatedClient
from simplex_gateway_client.api.events import list_events
from simplex_gateway_client.api.messages import get_chat, send_messages
from simplex_gateway_client.models import (
    ChatItemsStatusesUpdatedEvent,
    CIStatusSndRcvd,
    ComposedMessage,
    ComposedMessageMentions,
    EventType,
    GetChatChatType,
    MsgContentText,
    SendMessagesChatType,
    SendMessagesRequest,
)

url, key, user, contact, text = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
client = AuthenticatedClient(base_url=url, token=key, timeout=httpx.Timeout(60), raise_on_unexpected_status=True)
cursor = list_events.sync(client=client, cursor="now").cursor

message = ComposedMessage(msg_content=MsgContentText(type_="text", text=text), mentions=ComposedMessageMentions())
body = SendMessagesRequest(composed_messages=[message])
sent = send_messages.sync(user, SendMessagesChatType.DIRECT, contact, client=client, body=body)
item = sent.chat_items[0].chat_item
print("sent", item.meta.item_id)

chat = get_chat.sync(user, GetChatChatType.DIRECT, contact, client=client, limit=1)
print("read", chat.chat.chat_items[0].meta.item_text)

delivered = False
while not delivered:
    page = list_events.sync(
        client=client,
        cursor=cursor,
        timeout=20,
        types=[EventType("chatItemsStatusesUpdated")],
        chats=[f"direct/{contact}"],
    )
    cursor = page.cursor
    for entry in page.events:
        assert isinstance(entry.event, ChatItemsStatusesUpdatedEvent)
        for changed in entry.event.chat_items:
            meta = changed.chat_item.meta
            if meta.item_id == item.meta.item_id and isinstance(meta.item_status, CIStatusSndRcvd):
                delivered = True
print("delivered")
