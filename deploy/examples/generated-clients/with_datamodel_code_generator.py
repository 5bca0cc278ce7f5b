"""Sends a message, reads the message, and follows its status, with the models of datamodel-code-generator.

    curl -sS http://127.0.0.1:5225/openapi.json -o openapi.json
    datamodel-codegen --input openapi.json --input-file-type openapi --output simplex_gateway_models.py \
        --output-model-type pydantic_v2.BaseModel --formatters builtin
    python3 with_datamodel_code_generator.py http://127.0.0.1:5225 KEY 1 4 hello
"""

import sys
import urllib.request

from simplex_gateway_models import (
    ApiChatResponse,
    ChatItemsStatusesUpdatedEvent,
    CIStatusSndRcvd,
    EventPage,
    MsgContentText,
    NewChatItemsResponse,
)

url, key, user, contact, text = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]


def call(model, path, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url + path, body, headers), timeout=60) as answer:
        return model.model_validate_json(answer.read())


cursor = call(EventPage, "/v1/events?cursor=now").cursor
chat = f"/v1/users/{user}/chats/direct/{contact}"

content = MsgContentText(type="text", text=text).model_dump_json()
sent = call(
    NewChatItemsResponse,
    f"{chat}/messages",
    f'{{"composedMessages":[{{"msgContent":{content},"mentions":{{}}}}]}}'.encode(),
)
item = sent.chatItems[0].chatItem
print("sent", item.meta.itemId)

print("read", call(ApiChatResponse, f"{chat}?limit=1").chat.chatItems[0].meta.itemText)

delivered = False
while not delivered:
    page = call(
        EventPage, f"/v1/events?cursor={cursor}&timeout=20&types=chatItemsStatusesUpdated&chats=direct/{contact}"
    )
    cursor = page.cursor
    for entry in page.events:
        assert isinstance(entry.event.root, ChatItemsStatusesUpdatedEvent)
        for changed in entry.event.root.chatItems:
            meta = changed.chatItem.meta
            if meta.itemId == item.meta.itemId and isinstance(meta.itemStatus.root, CIStatusSndRcvd):
                delivered = True
print("delivered")
