"""Sends a message, reads the message, and follows its status, with the Python client of openapi-generator.

openapi-generator-cli generate -g python -i http://127.0.0.1:5225/openapi.json -o client --additional-properties=packageName=simplex_gateway
PYTHONPATH=client python3 with_openapi_generator.py http://127.0.0.1:5225 KEY 1 4 hello
"""

import sys

from simplex_gateway.api.events_api import EventsApi
from simplex_gateway.api.messages_api import MessagesApi
from simplex_gateway.api_client import ApiClient
from simplex_gateway.configuration import Configuration
from simplex_gateway.models.chat_items_statuses_updated_event import ChatItemsStatusesUpdatedEvent
from simplex_gateway.models.ci_status_snd_rcvd import CIStatusSndRcvd
from simplex_gateway.models.composed_message import ComposedMessage
from simplex_gateway.models.msg_content import MsgContent
from simplex_gateway.models.msg_content_text import MsgContentText
from simplex_gateway.models.send_messages_request import SendMessagesRequest

url, key, user, contact, text = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
with ApiClient(Configuration(host=url, access_token=key)) as client:
    messages, events = MessagesApi(client), EventsApi(client)
    cursor = events.list_events(cursor="now").cursor

    message = ComposedMessage(msg_content=MsgContent(MsgContentText(type="text", text=text)), mentions={})
    sent = messages.send_messages(user, "direct", contact, SendMessagesRequest(composed_messages=[message]))
    item = sent.chat_items[0].chat_item
    print("sent", item.meta.item_id)

    chat = messages.get_chat(user, "direct", contact, limit=1)
    print("read", chat.chat.chat_items[0].meta.item_text)

    delivered = False
    while not delivered:
        page = events.list_events(
            cursor=cursor, timeout=20, types=["chatItemsStatusesUpdated"], chats=[f"direct/{contact}"]
        )
        cursor = page.cursor
        for entry in page.events:
            event = entry.event.actual_instance
            assert isinstance(event, ChatItemsStatusesUpdatedEvent)
            for changed in event.chat_items:
                meta = changed.chat_item.meta
                if meta.item_id == item.meta.item_id and isinstance(meta.item_status.actual_instance, CIStatusSndRcvd):
                    delivered = True
    print("delivered")
