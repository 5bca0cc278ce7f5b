// Made from openapi/openapi.yaml by deploy/contract; a test compares them.

enum ContractText {
    static let yaml = ###"""
        # Bundled by deploy/contract from base.yaml, paths/ and schemas/: change those.
        openapi: "3.1.0"
        info:
          title: "simplex-gateway"
          version: "1"
          summary: "SimpleX Chat over HTTP."
          description: "Success bodies are the response objects of the SimpleX core; members and cases that are not listed here may come. Errors are RFC 9457 problem documents. In a request null is the same as an absent member; text has no NUL character, and whole numbers have 64 bits. What is not served yet is answered with 501; the descriptions of the rooms name it, and so is a chat of type `group` anywhere. A request whose framing RFC 9112 does not allow gets 400 (more than 100 header fields 431, another transfer coding than `chunked` 501), and its connection is closed, as it is behind a body in chunks. A connection for which there is no room is closed at once; where those that follow events take all places for them there is 503 with `Retry-After`. Answers have `Cache-Control: no-store`, the state of a profile and of a session `no-cache`, for their `ETag`. Web pages of an origin that `--allow-origin` names may read `Allow`, `ETag`, `Idempotent-Replayed`, `Link`, `Location`, `Retry-After` and `WWW-Authenticate`, and send `Authorization`, `Content-Type`, `Idempotency-Key`, `If-None-Match` and `Last-Event-ID`."
        servers: [{"url": "http://127.0.0.1:5225"}]
        security: [{"key": []}]
        tags:
          - {"name": "Users"}
          - {"name": "Lifecycle"}
          - {"name": "Messages", "description": "Not served yet, answered with 501: `POST /v1/users/{userId}/groups/{groupId}/moderations`, `POST /v1/users/{userId}/groups/{groupId}/reports/archive`, `DELETE /v1/users/{userId}/groups/{groupId}/reports`, `GET /v1/users/{userId}/groups/{groupId}/items/{itemId}/reactions`, `POST /v1/users/{userId}/groups/{groupId}/items/{itemId}/reports`, `POST /v1/users/{userId}/chats/{chatType}/{chatId}/share`."}
          - {"name": "Contacts"}
          - {"name": "Address", "description": "Not served yet, answered with 501: `PUT /v1/users/{userId}/address/domain`, `POST /v1/users/{userId}/contacts/{contactId}/verify-domain`, `POST /v1/users/{userId}/groups/{groupId}/verify-domain`."}
          - {"name": "Tags"}
          - {"name": "Settings"}
          - {"name": "Themes"}
          - {"name": "Model"}
          - {"name": "Servers", "description": "Not served yet, answered with 501: `POST /v1/users/{userId}/relays/test`."}
          - {"name": "Diagnostics", "description": "Not served yet, answered with 501: `GET /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue`."}
          - {"name": "Database"}
          - {"name": "Stores"}
          - {"name": "Events"}
          - {"name": "Operations"}
          - {"name": "Security", "description": "Not served yet, answered with 501: `GET /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/code`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/verify`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch`, `DELETE /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/sync`."}
          - {"name": "Groups", "description": "Groups are not served yet; answered with 501: `POST /v1/users/{userId}/groups`, `POST /v1/users/{userId}/public-groups`, `GET /v1/users/{userId}/groups`, `GET /v1/users/{userId}/groups/{groupId}`, `POST /v1/users/{userId}/groups/{groupId}/members`, `POST /v1/users/{userId}/groups/{groupId}/join`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/accept`, `DELETE /v1/users/{userId}/groups/{groupId}/members`, `POST /v1/users/{userId}/groups/{groupId}/leave`, `GET /v1/users/{userId}/groups/{groupId}/members`, `PUT /v1/users/{userId}/groups/{groupId}/profile`, `PUT /v1/users/{userId}/groups/{groupId}/members/role`, `PUT /v1/users/{userId}/groups/{groupId}/members/blocked`, `POST /v1/users/{userId}/groups/{groupId}/link`, `PATCH /v1/users/{userId}/groups/{groupId}/link`, `DELETE /v1/users/{userId}/groups/{groupId}/link`, `GET /v1/users/{userId}/groups/{groupId}/link`, `POST /v1/users/{userId}/groups/{groupId}/link/short`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/contact`, `POST /v1/users/{userId}/contacts/{contactId}/invitation`, `POST /v1/users/{userId}/contacts/{contactId}/accept`, `GET /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}`, `DELETE /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/support-chat`, `PUT /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/settings`, `PUT /v1/users/{userId}/groups/{groupId}/alias`, `PUT /v1/users/{userId}/groups/{groupId}/custom-data`, `GET /v1/users/{userId}/groups/{groupId}/relays`, `POST /v1/users/{userId}/groups/{groupId}/relays`, `POST /v1/users/{userId}/groups/{groupId}/allow-relay`, `PUT /v1/users/{userId}/groups/{groupId}/access`, `GET /v1/users/{userId}/groups/{groupId}/link/data`, `POST /v1/users/{userId}/groups/prepared`, `PUT /v1/users/{userId}/groups/{groupId}/user`, `POST /v1/users/{userId}/groups/{groupId}/connect`, `POST /v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/enable`."}
          - {"name": "Files", "description": "Sending and receiving of files is not served yet; answered with 501: `POST /v1/users/{userId}/files/{fileId}/receive`, `PUT /v1/users/{userId}/files/{fileId}/auto-receive`, `POST /v1/users/{userId}/files/{fileId}/cancel`, `POST /v1/users/{userId}/standalone-files`, `POST /v1/users/{userId}/standalone-files/downloads`, `POST /v1/standalone-files/info`."}
          - {"name": "Calls", "description": "Calls are not served yet; answered with 501: `POST /v1/users/{userId}/contacts/{contactId}/call`, `POST /v1/users/{userId}/contacts/{contactId}/call/reject`, `POST /v1/users/{userId}/contacts/{contactId}/call/offer`, `POST /v1/users/{userId}/contacts/{contactId}/call/answer`, `POST /v1/users/{userId}/contacts/{contactId}/call/extra`, `DELETE /v1/users/{userId}/contacts/{contactId}/call`, `GET /v1/call-invitations`, `PUT /v1/users/{userId}/contacts/{contactId}/call/status`."}
          - {"name": "Notifications", "description": "Push notifications are not served yet; answered with 501: `GET /v1/notifications/token`, `PUT /v1/notifications/token`, `POST /v1/notifications/token/verify`, `POST /v1/notifications/token/check`, `DELETE /v1/notifications/token`, `POST /v1/notifications/connections`, `POST /v1/notifications/messages`."}
          - {"name": "RemoteControl", "description": "Remote control is not served yet; answered with 501: `PUT /v1/remote-control/device-name`, `POST /v1/remote-control/connect`, `POST /v1/remote-control/find`, `POST /v1/remote-control/controllers/{remoteCtrlId}/confirm`, `POST /v1/remote-control/session/verify`, `GET /v1/remote-control/controllers`, `DELETE /v1/remote-control/session`, `DELETE /v1/remote-control/controllers/{remoteCtrlId}`."}
        paths:
          "/v1/users/{userId}/address":
            post:
              operationId: "apiCreateMyAddress"
              tags: ["Address"]
              summary: "Create the address."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userContactLinkCreated"}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "apiDeleteMyAddress"
              tags: ["Address"]
              summary: "Delete the address."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userContactLinkDeleted"}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "apiShowMyAddress"
              tags: ["Address"]
              summary: "Show the address."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userContactLink"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/address/short-link":
            post:
              operationId: "apiAddMyAddressShortLink"
              tags: ["Address"]
              summary: "Give the address a short link, or write anew what is behind it."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "The address, with its short link where the relay has short links."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userContactLink"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/address/in-profile":
            put:
              operationId: "apiSetProfileAddress"
              tags: ["Address"]
              summary: "Show the address in the profile."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.userProfileUpdated"}
                          - {"$ref": "#/components/schemas/response.userProfileNoChange"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/address/settings":
            put:
              operationId: "apiSetAddressSettings"
              tags: ["Address"]
              summary: "Set what happens to contact requests."
              description: "A businessAddress is kept and shown behind the short link; the group that a business has with each customer is not built yet: requests come as those of contacts."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"addressSettings": {"businessAddress": false, "autoAccept": {"acceptIncognito": false}, "autoReply": {"type": "text", "text": "Welcome!"}}}
                    schema:
                      type: "object"
                      required: ["addressSettings"]
                      properties: {"addressSettings": {"$ref": "#/components/schemas/AddressSettings"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userContactLinkUpdated"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections/invitations":
            post:
              operationId: "apiAddContact"
              tags: ["Contacts"]
              summary: "Add contact."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content: {"application/json": {"schema": {"type": "object", "properties": {"incognito": {"type": "boolean"}}}, "example": {"incognito": false}}}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.invitation"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections":
            post:
              operationId: "apiConnect"
              tags: ["Contacts"]
              summary: "Connect."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"connLink": "https://smp8.simplex.im/i#qMTjXKiwTN-53ErayLSoHRw3usWmShJ64NCFD15Dc5c/rOyQk_PFZUSWaRBSKBJkSsR2qGBTWYk3", "incognito": false}
                    schema:
                      type: "object"
                      required: ["connLink"]
                      properties:
                        connLink: {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/CreatedConnLink"}]}
                        incognito: {"type": "boolean"}
              responses:
                "202":
                  description: "Begun; an event tells the outcome."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.sentConfirmation"}
                          - {"$ref": "#/components/schemas/response.sentInvitation"}
                          - {"$ref": "#/components/schemas/response.contactAlreadyExists"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections/plan":
            post:
              operationId: "apiConnectPlan"
              tags: ["Contacts"]
              summary: "Connect plan."
              description: "What connecting would do. With the signature that came with the link in a message, the plan says in `ownerVerification` whether the owner has shared it."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"connLink": "https://smp8.simplex.im/i#qMTjXKiwTN-53ErayLSoHRw3usWmShJ64NCFD15Dc5c/rOyQk_PFZUSWaRBSKBJkSsR2qGBTWYk3"}
                    schema:
                      type: "object"
                      required: ["connLink"]
                      properties:
                        connLink: {"type": "string"}
                        resolveMode: {"$ref": "#/components/schemas/PlanResolveMode"}
                        linkOwnerSig: {"$ref": "#/components/schemas/LinkOwnerSig"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.connectionPlan"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/prepared":
            post:
              operationId: "apiPrepareContact"
              tags: ["Contacts"]
              summary: "Prepare contact."
              description: "Opens a chat with what is behind a short link, as the plan has told it. Links of groups and businesses are not served yet: 501."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"connLink": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40smp8.simplex.im%2F7M3FJ8tv", "connShortLink": "https://smp8.simplex.im/a#qMTjXKiwTN-53ErayLSoHRw3usWmShJ64NCFD15Dc5c"}, "contactShortLinkData": {"profile": {"displayName": "bob", "fullName": ""}, "business": false}}
                    schema:
                      type: "object"
                      required: ["connLink", "contactShortLinkData"]
                      properties:
                        connLink: {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/CreatedConnLink"}]}
                        verifiedDomain: {"type": "string"}
                        contactShortLinkData: {"$ref": "#/components/schemas/ContactShortLinkData"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.newPreparedChat"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/connect":
            post:
              operationId: "apiConnectPreparedContact"
              tags: ["Contacts"]
              summary: "Connect prepared contact."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content:
                  "application/json":
                    example: {"incognito": false, "msg": {"type": "text", "text": "It is me."}}
                    schema:
                      type: "object"
                      properties: {"incognito": {"type": "boolean"}, "msg": {"$ref": "#/components/schemas/MsgContent"}}
              responses:
                "202":
                  description: "Begun; an event tells the outcome."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.startedConnectionToContact"}
                          - {"$ref": "#/components/schemas/response.contactAlreadyExists"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/connect-via-address":
            post:
              operationId: "apiConnectContactViaAddress"
              tags: ["Contacts"]
              summary: "Connect contact via address."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content: {"application/json": {"schema": {"type": "object", "properties": {"incognito": {"type": "boolean"}}}, "example": {"incognito": false}}}
              responses:
                "202":
                  description: "Begun; an event tells the outcome."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.sentInvitationToContact"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contact-requests/{contactReqId}/accept":
            post:
              operationId: "apiAcceptContact"
              tags: ["Contacts"]
              summary: "Accept contact."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactReqId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content: {"application/json": {"schema": {"type": "object", "properties": {"incognito": {"type": "boolean"}}}, "example": {"incognito": false}}}
              responses:
                "202":
                  description: "Begun; an event tells the outcome."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.acceptingContactRequest"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contact-requests/{contactReqId}/reject":
            post:
              operationId: "apiRejectContact"
              tags: ["Contacts"]
              summary: "Reject contact."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactReqId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactRequestRejected"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/clear":
            post:
              operationId: "apiClearChat"
              tags: ["Contacts"]
              summary: "Clear chat."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatCleared"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts":
            get:
              operationId: "apiListContacts"
              tags: ["Contacts"]
              summary: "List contacts."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactsList"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/preferences":
            put:
              operationId: "apiSetContactPrefs"
              tags: ["Contacts"]
              summary: "Set contact prefs."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"preferences": {"voice": {"allow": "no"}, "timedMessages": {"allow": "yes", "ttl": 86400}}}
                    schema:
                      type: "object"
                      required: ["preferences"]
                      properties: {"preferences": {"$ref": "#/components/schemas/Preferences"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactPrefsUpdated"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/alias":
            put:
              operationId: "apiSetContactAlias"
              tags: ["Contacts"]
              summary: "Set contact alias."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"localAlias": "Bob from work"}
                    schema: {"type": "object", "required": ["localAlias"], "properties": {"localAlias": {"type": "string"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactAliasUpdated"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/custom-data":
            put:
              operationId: "apiSetContactCustomData"
              tags: ["Contacts"]
              summary: "Set contact custom data."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                content: {"application/json": {"schema": {"type": "object", "properties": {"customData": {"type": "object"}}}, "example": {"customData": {"customer": 17}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections/{connId}/alias":
            put:
              operationId: "apiSetConnectionAlias"
              tags: ["Contacts"]
              summary: "Set connection alias."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "connId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"localAlias": "for Bob"}
                    schema: {"type": "object", "required": ["localAlias"], "properties": {"localAlias": {"type": "string"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.connectionAliasUpdated"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}":
            get:
              operationId: "apiContactInfo"
              tags: ["Contacts"]
              summary: "Contact info."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactInfo"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections/{connId}/incognito":
            put:
              operationId: "apiSetConnectionIncognito"
              tags: ["Contacts"]
              summary: "Set connection incognito."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "connId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"incognito": true}
                    schema: {"type": "object", "required": ["incognito"], "properties": {"incognito": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json": {"schema": {"$ref": "#/components/schemas/response.connectionIncognitoUpdated"}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/connections/{connId}/user":
            put:
              operationId: "apiChangeConnectionUser"
              tags: ["Contacts"]
              summary: "Change connection user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "connId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"userId": 2}
                    schema:
                      type: "object"
                      required: ["userId"]
                      properties: {"userId": {"type": "integer", "format": "int64"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.connectionUserChanged"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/user":
            put:
              operationId: "apiChangePreparedContactUser"
              tags: ["Contacts"]
              summary: "Change prepared contact user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"userId": 2}
                    schema:
                      type: "object"
                      required: ["userId"]
                      properties: {"userId": {"type": "integer", "format": "int64"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactUserChanged"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/enable":
            post:
              operationId: "apiEnableContact"
              tags: ["Contacts"]
              summary: "Enable contact."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/database/encryption":
            put:
              operationId: "apiStorageEncryption"
              tags: ["Database"]
              summary: "Give the databases another key, a first one, or none."
              description: "The chat must be stopped (409). While it is done, other requests are answered with 503; the databases are then open with the new key, which is in the key file, and the chat can be started. A key is 64 hexadecimal digits or a passphrase; an empty one is none."
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["currentKey", "newKey"], "properties": {"currentKey": {"type": "string"}, "newKey": {"type": "string"}, "keepKey": {"type": "boolean"}}}
                    example: {"currentKey": "old passphrase", "newKey": "new passphrase"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/database/encryption/test":
            post:
              operationId: "testStorageEncryption"
              tags: ["Database"]
              summary: "Test whether a key is that of the databases."
              description: "422 when it is not."
              parameters:
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}
                    example: {"key": "new passphrase"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/database/export":
            post:
              operationId: "apiExportArchive"
              tags: ["Database"]
              summary: "Write both databases and the files into a ZIP archive."
              description: "The chat must be stopped (409). While it is done, other requests are answered with 503; no file is replaced. The databases are in it as they are encrypted."
              parameters:
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["archivePath"], "properties": {"archivePath": {"type": "string", "description": "An absolute path on the server. Below the folder `space` of the store, or another of its folders; anywhere with an `admin` key of the first store."}, "disableCompression": {"type": "boolean"}, "parentTempDirectory": {"type": "string", "description": "Not used: what is made for a while is made beside the databases."}}}
                    example: {"archivePath": "/var/backups/simplex.zip"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.archiveExported"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/database/import":
            post:
              operationId: "apiImportArchive"
              tags: ["Database"]
              summary: "Put the databases of an archive in the place of the present ones."
              description: "The chat must be stopped (409). While it is done, other requests are answered with 503; the databases must open with the present key and be of a known schema, and are checked before anything is replaced. The chat can be started then. Events have a new journal."
              parameters:
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["archivePath"], "properties": {"archivePath": {"type": "string", "description": "An absolute path on the server. Below the folder `space` of the store, or another of its folders; anywhere with an `admin` key of the first store."}, "disableCompression": {"type": "boolean"}, "parentTempDirectory": {"type": "string", "description": "Not used: what is made for a while is made beside the databases."}}}
                    example: {"archivePath": "/var/backups/simplex.zip"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.archiveImported"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/database":
            delete:
              operationId: "apiDeleteStorage"
              tags: ["Database"]
              summary: "Delete the databases and all files."
              description: "The chat must be stopped (409). While it is done, other requests are answered with 503; then there is a new store without profiles."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/version":
            get:
              operationId: "showVersion"
              tags: ["Diagnostics"]
              summary: "Get the version of the core, and the schemas of its databases."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.versionInfo"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/diagnostics/subscriptions":
            get:
              operationId: "getAgentSubsTotal"
              tags: ["Diagnostics"]
              summary: "Get how many queues of a profile are subscribed to."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.agentSubsTotal"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/diagnostics/servers":
            get:
              operationId: "getAgentServersSummary"
              tags: ["Diagnostics"]
              summary: "Get sessions, subscriptions and statistics by server, of all profiles and of this one."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.agentServersSummary"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/diagnostics/servers":
            delete:
              operationId: "resetAgentServersStats"
              tags: ["Diagnostics"]
              summary: "Begin to count anew."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/queue":
            get:
              operationId: "apiContactQueueInfo"
              tags: ["Diagnostics"]
              summary: "Get what the relay says of the queue from which a contact's messages come."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.queueInfo"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/diagnostics/network-statuses":
            get:
              operationId: "apiGetNetworkStatuses"
              tags: ["Diagnostics"]
              summary: "Get which contacts' messages come, of all profiles."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.networkStatuses"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/events":
            get:
              operationId: "events"
              tags: ["Events"]
              summary: "Events after a cursor: one page, or a stream, by Accept."
              description: "What is deleted, or disappears, is deleted here too: its entries stay in their places with their cursors, without its content (see `EventEntry`). So is what was edited, a chat that is cleared, and a contact that is deleted. The report of a deletion shows the item, as the original's does, only to those who listen at that moment. A message that quotes a deleted one keeps its quote. A key that is bound to a profile gets the events of that profile and those that are for everybody; an event without `userId` that is of one profile (its deleted connections), or of nobody known (hosts of relays), goes to no other bound key. A stream whose store is locked or deleted ends with `{\"event\":{\"type\":\"storeLocked\"}}` or `storeDeleted`, which is no entry and has no cursor; who comes again when it is unlocked goes on with the last cursor. Events of a profile that is hidden and not active are for keys that are bound to it alone (the original tells its one client everything, and leaves it to that to show nothing of them); they stay in the journal, and all keys see them while the profile is active or shown again. A reader that has gone on past them reads that profile's state then, as an app does that changes its profile."
              parameters:
                - name: "cursor"
                  in: "query"
                  description: "`epoch-seq` of the last event that the reader has, or `now`. Without it the reader starts at the oldest event kept."
                  schema: {"type": "string"}
                - name: "wait"
                  in: "query"
                  description: "Seconds to wait for an event when there is none."
                  schema: {"type": "integer", "minimum": 0, "maximum": 60, "default": 0}
                - name: "limit"
                  in: "query"
                  description: "Most entries of a page."
                  schema: {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
                - name: "Last-Event-ID"
                  in: "header"
                  description: "The cursor of a Server-Sent Events reader that comes again."
                  schema: {"type": "string"}
                - {"name": "ticket", "in": "query", "description": "A ticket, for browsers.", "schema": {"type": "string"}}
              responses:
                "200":
                  description: "A page; or lines of entries; or entries as Server-Sent Events, with their cursors as ids."
                  content:
                    "application/json": {"schema": {"$ref": "#/components/schemas/EventPage"}}
                    "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/EventEntry"}}
                    "text/event-stream": {"schema": {"type": "string"}}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/events/tickets":
            post:
              operationId: "createEventTicket"
              tags: ["Events"]
              summary: "A ticket that opens one stream within 30 seconds."
              description: "A key has at most 64 open tickets: a further one voids its oldest."
              responses:
                "201":
                  description: "Made."
                  content:
                    "application/json":
                      schema:
                        type: "object"
                        required: ["ticket", "expiresIn"]
                        properties: {"ticket": {"type": "string"}, "expiresIn": {"type": "integer", "description": "Seconds."}}
                      example: {"ticket": "sxgt_shgFv196aziBHriz-6qo6M1_Eq6zTaPpYwfoSxW3F8Y", "expiresIn": 30}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/events/ws":
            get:
              operationId: "eventSocket"
              tags: ["Events"]
              summary: "WebSocket: entries as text frames; takes {\"corrId\",\"cmd\"} and answers {\"corrId\",\"resp\"}."
              description: "A command needs the scope that its route needs: `read`, `write` or `admin`. Without it the answer is a `chatCmdError`, and nothing is done. A key that is bound to a profile acts as that profile. A message has 1 MiB and 1,024 frames at most. 64 commands of a connection run at a time, each until its answer is sent, and none starts while more than 1 MiB of answers is unsent; the client is not read from meanwhile. Of several pings the newest is answered. A client that takes nothing for a minute is cut off."
              parameters:
                - name: "cursor"
                  in: "query"
                  description: "`epoch-seq` of the last event that the reader has, or `now`. Without it the reader starts at the oldest event kept."
                  schema: {"type": "string"}
                - {"name": "ticket", "in": "query", "description": "A ticket, for browsers.", "schema": {"type": "string"}}
              responses:
                "101": {"description": "The connection is a WebSocket."}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/":
            get:
              operationId: "cliSocket"
              tags: ["Events"]
              summary: "WebSocket with the protocol of the terminal client: {\"corrId\",\"cmd\"} in, {\"corrId\",\"resp\"} out, events without corrId."
              description: "A key needs `read`, `write` and `events`; a command needs the scope that its route needs besides. Without it the answer is a `chatCmdError`, and nothing is done. The limits are those of `/v1/events/ws`."
              parameters:
                - name: "cursor"
                  in: "query"
                  description: "`epoch-seq` of the last event that the reader has, or `now`. Without it the reader starts at the oldest event kept."
                  schema: {"type": "string"}
                - {"name": "ticket", "in": "query", "description": "A ticket, for browsers.", "schema": {"type": "string"}}
              responses:
                "101": {"description": "The connection is a WebSocket."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/start":
            post:
              operationId: "startChat"
              tags: ["Lifecycle"]
              summary: "Start chat."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              requestBody:
                content:
                  "application/json":
                    example: {"mainApp": true, "enableSndFiles": true}
                    schema:
                      type: "object"
                      properties: {"mainApp": {"type": "boolean"}, "enableSndFiles": {"type": "boolean"}}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.chatStarted"}
                          - {"$ref": "#/components/schemas/response.chatRunning"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core":
            get:
              operationId: "checkChatRunning"
              tags: ["Lifecycle"]
              summary: "Check chat running."
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.chatRunning"}
                          - {"$ref": "#/components/schemas/response.chatStopped"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/stop":
            post:
              operationId: "apiStopChat"
              tags: ["Lifecycle"]
              summary: "Stop chat."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatStopped"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/activate":
            post:
              operationId: "apiActivateChat"
              tags: ["Lifecycle"]
              summary: "Activate chat."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              requestBody:
                content:
                  "application/json": {"schema": {"type": "object", "properties": {"restoreChat": {"type": "boolean"}}}, "example": {"restoreChat": true}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/suspend":
            post:
              operationId: "apiSuspendChat"
              tags: ["Lifecycle"]
              summary: "Suspend chat."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              requestBody:
                content:
                  "application/json": {"schema": {"type": "object", "properties": {"timeoutMicroseconds": {"type": "integer"}}}, "example": {"timeoutMicroseconds": 10000000}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/file-paths":
            put:
              operationId: "apiSetAppFilePaths"
              tags: ["Lifecycle"]
              summary: "Set app file paths."
              description: "Absolute paths, below the folder `space` of the store or another of its folders; anywhere with an `admin` key of the first store."
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"appFilesFolder": "/var/lib/app/files", "appTempFolder": "/var/lib/app/temp", "appAssetsFolder": "/var/lib/app/assets"}
                    schema:
                      type: "object"
                      required: ["appFilesFolder", "appTempFolder", "appAssetsFolder"]
                      properties:
                        appFilesFolder: {"type": "string"}
                        appTempFolder: {"type": "string"}
                        appAssetsFolder: {"type": "string"}
                        appRemoteHostsFolder: {"type": "string"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/core/encrypt-local-files":
            put:
              operationId: "apiSetEncryptLocalFiles"
              tags: ["Lifecycle"]
              summary: "Set encrypt local files."
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats":
            get:
              operationId: "apiGetChats"
              tags: ["Messages"]
              summary: "Get chats."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "pendingConnections"
                  in: "query"
                  description: "With pending connections (default)."
                  schema: {"type": "boolean"}
                - name: "count"
                  in: "query"
                  description: "Number of chats."
                  schema: {"type": "integer", "minimum": 1, "maximum": 5000}
                - name: "after"
                  in: "query"
                  description: "Chats active after this time, in UTC; not with before."
                  schema: {"type": "string", "format": "date-time", "pattern": "Z$"}
                - name: "before"
                  in: "query"
                  description: "Chats active before this time, in UTC; not with after."
                  schema: {"type": "string", "format": "date-time", "pattern": "Z$"}
                - name: "search"
                  in: "query"
                  description: "Only chats with this in their names; not with favorite or unread."
                  schema: {"type": "string"}
                - {"name": "favorite", "in": "query", "description": "Only favourites.", "schema": {"type": "boolean"}}
                - name: "unread"
                  in: "query"
                  description: "Only chats with unread items."
                  schema: {"type": "boolean"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.apiChats"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}":
            get:
              operationId: "apiGetChat"
              tags: ["Messages"]
              summary: "Get chat."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - name: "count"
                  in: "query"
                  description: "Number of items."
                  schema: {"type": "integer", "minimum": 0, "maximum": 1000, "default": 50}
                - name: "after"
                  in: "query"
                  description: "Items after this one; not with before or around."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "before"
                  in: "query"
                  description: "Items before this one; not with after or around."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "around"
                  in: "query"
                  description: "Items around this one; not with after or before."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "initial"
                  in: "query"
                  description: "So many items around the first unread one; not with count, after, before, around or search."
                  schema: {"type": "integer", "minimum": 1, "maximum": 1000}
                - {"name": "search", "in": "query", "description": "Only items with this text.", "schema": {"type": "string"}}
                - name: "contentTag"
                  in: "query"
                  description: "Only items with this kind of content."
                  schema: {"type": "string"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.apiChat"}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "apiDeleteChat"
              tags: ["Contacts"]
              summary: "Delete chat."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - name: "mode"
                  in: "query"
                  description: "What is deleted."
                  schema: {"enum": ["full", "entity", "messages"], "default": "full"}
                - name: "notify"
                  in: "query"
                  description: "Whether the other side is told."
                  schema: {"type": "boolean", "default": true}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.contactDeleted"}
                          - {"$ref": "#/components/schemas/response.contactConnectionDeleted"}
                          - {"$ref": "#/components/schemas/response.groupDeletedUser"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/content-types":
            get:
              operationId: "apiGetChatContentTypes"
              tags: ["Messages"]
              summary: "Get chat content types."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatContentTypes"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/items":
            get:
              operationId: "apiGetChatItems"
              tags: ["Messages"]
              summary: "Get chat items."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "count"
                  in: "query"
                  description: "Number of items."
                  schema: {"type": "integer", "minimum": 0, "maximum": 1000, "default": 50}
                - name: "after"
                  in: "query"
                  description: "Items after this one; not with before or around."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "before"
                  in: "query"
                  description: "Items before this one; not with after or around."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "around"
                  in: "query"
                  description: "Items around this one; not with after or before."
                  schema: {"type": "integer", "format": "int64", "minimum": 0}
                - name: "initial"
                  in: "query"
                  description: "So many items around the first unread one; not with count, after, before, around or search."
                  schema: {"type": "integer", "minimum": 1, "maximum": 1000}
                - {"name": "search", "in": "query", "description": "Only items with this text.", "schema": {"type": "string"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatItems"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/items/{itemId}":
            get:
              operationId: "apiGetChatItemInfo"
              tags: ["Messages"]
              summary: "Get chat item info."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "itemId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatItemInfo"}}}
                default: {"$ref": "#/components/responses/Problem"}
            patch:
              operationId: "apiUpdateChatItem"
              tags: ["Messages"]
              summary: "Update chat item."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "itemId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"updatedMessage": {"msgContent": {"type": "text", "text": "hello, everyone"}, "mentions": {}}, "live": false}
                    schema:
                      type: "object"
                      required: ["updatedMessage"]
                      properties:
                        updatedMessage: {"$ref": "#/components/schemas/UpdatedMessage"}
                        live: {"type": "boolean"}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.chatItemUpdated"}
                          - {"$ref": "#/components/schemas/response.chatItemNotChanged"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/messages":
            post:
              operationId: "apiSendMessages"
              tags: ["Messages"]
              summary: "Send messages."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"composedMessages": [{"msgContent": {"type": "text", "text": "hello"}, "mentions": {}}, {"msgContent": {"type": "text", "text": "and to you"}, "quotedItemId": 5, "mentions": {}}]}
                    schema:
                      type: "object"
                      required: ["composedMessages"]
                      properties:
                        composedMessages: {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/ComposedMessage"}}
                        live: {"type": "boolean"}
                        ttl: {"type": "integer"}
                        sendAsGroup: {"type": "boolean"}
                        sign: {"type": "boolean"}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.newChatItems"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/notes/{noteFolderId}/items":
            post:
              operationId: "apiCreateChatItems"
              tags: ["Messages"]
              summary: "Create chat items."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "noteFolderId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"composedMessages": [{"msgContent": {"type": "text", "text": "not to forget"}, "mentions": {}}]}
                    schema:
                      type: "object"
                      required: ["composedMessages"]
                      properties:
                        composedMessages: {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/ComposedMessage"}}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.newChatItems"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/items":
            delete:
              operationId: "apiDeleteChatItem"
              tags: ["Messages"]
              summary: "Delete chat item."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - name: "itemIds"
                  in: "query"
                  description: "Ids with commas between, instead of the body."
                  schema: {"type": "string", "pattern": "^[0-9]+(,[0-9]+)*$"}
                - name: "mode"
                  in: "query"
                  description: "For whom."
                  schema: {"enum": ["broadcast", "internal", "internalMark"], "default": "internal"}
              requestBody:
                content:
                  "application/json":
                    example: {"itemIds": [5, 6], "mode": "broadcast"}
                    schema:
                      type: "object"
                      properties:
                        itemIds: {"type": "array", "minItems": 1, "items": {"type": "integer", "format": "int64"}}
                        mode: {"$ref": "#/components/schemas/CIDeleteMode"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatItemsDeleted"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/items/{itemId}/reactions":
            post:
              operationId: "apiChatItemReaction"
              tags: ["Messages"]
              summary: "Chat item reaction."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "itemId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"add": true, "reaction": {"type": "emoji", "emoji": "👍"}}
                    schema:
                      type: "object"
                      required: ["reaction"]
                      properties: {"reaction": {"$ref": "#/components/schemas/MsgReaction"}, "add": {"type": "boolean"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatItemReaction"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/forward-plan":
            post:
              operationId: "apiPlanForwardChatItems"
              tags: ["Messages"]
              summary: "Plan forward chat items."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"itemIds": [5, 6]}
                    schema:
                      type: "object"
                      required: ["itemIds"]
                      properties: {"itemIds": {"type": "array", "minItems": 1, "items": {"type": "integer", "format": "int64"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.forwardPlan"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/forwards":
            post:
              operationId: "apiForwardChatItems"
              tags: ["Messages"]
              summary: "Forward chat items."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"fromChatType": "direct", "fromChatId": 4, "itemIds": [5, 6]}
                    schema:
                      type: "object"
                      required: ["fromChatType", "fromChatId", "itemIds"]
                      properties:
                        fromChatType: {"enum": ["direct", "group", "local"]}
                        fromChatId: {"type": "integer", "format": "int64"}
                        fromScope: {"$ref": "#/components/schemas/GroupChatScope"}
                        itemIds: {"type": "array", "minItems": 1, "items": {"type": "integer", "format": "int64"}}
                        ttl: {"type": "integer"}
                        sendAsGroup: {"type": "boolean"}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.newChatItems"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/read":
            post:
              operationId: "apiChatRead"
              tags: ["Messages"]
              summary: "Chat read."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.cmdOk"}
                          - {"$ref": "#/components/schemas/response.memberSupportChatRead"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/items/read":
            post:
              operationId: "apiChatItemsRead"
              tags: ["Messages"]
              summary: "Chat items read."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"itemIds": [5, 6]}
                    schema:
                      type: "object"
                      required: ["itemIds"]
                      properties: {"itemIds": {"type": "array", "minItems": 1, "items": {"type": "integer", "format": "int64"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.itemsReadForChat"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/unread":
            put:
              operationId: "apiChatUnread"
              tags: ["Messages"]
              summary: "Chat unread."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"unreadChat": true}
                    schema: {"type": "object", "required": ["unreadChat"], "properties": {"unreadChat": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/share-address":
            post:
              operationId: "apiShareMyAddress"
              tags: ["Messages"]
              summary: "Share my address."
              description: "A card of the user's address, to be sent as the content of a message. Its signature shows the contact that the owner shares it; it holds in this chat alone."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content:
                  "application/json": {"schema": {"type": "object", "properties": {"sendAsGroup": {"type": "boolean"}}}, "example": {"sendAsGroup": false}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatMsgContent"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/model":
            get:
              operationId: "getModel"
              tags: ["Model"]
              summary: "The state of a profile, as an app would hold it."
              description: "It is read when the first client asks, and then follows every change. `id` is the cursor of its changes: whoever applies those after it has the state of the server. `cursor` is the cursor of the events at which it is true."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/ifNoneMatch"}
              responses:
                "200": {"description": "The state.", "headers": {"ETag": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModelSnapshot"}}}}
                "304": {"description": "Nothing has changed since the answer with this tag."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/model/changes":
            get:
              operationId: "modelChanges"
              tags: ["Model"]
              summary: "Changes of the state as JSON Patches (RFC 6902), after a cursor: one page, or a stream, by Accept."
              description: "Patches are told at most five times a second. After 410, or the event `gap`, the state is to be read again: so it is also for a reader that was behind when something was deleted, since patches from before the deletion are not kept."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/modelCursor"}
                - {"$ref": "#/components/parameters/modelWait"}
                - {"$ref": "#/components/parameters/modelLimit"}
                - {"$ref": "#/components/parameters/lastEventId"}
                - {"$ref": "#/components/parameters/ticket"}
              responses:
                "200":
                  description: "A page; or lines of entries; or entries as Server-Sent Events, with their cursors as ids."
                  content:
                    "application/json": {"schema": {"$ref": "#/components/schemas/ModelChangePage"}}
                    "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/ModelChange"}}
                    "text/event-stream": {"schema": {"type": "string"}}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/model/changes/ws":
            get:
              operationId: "modelChangesSocket"
              tags: ["Model"]
              summary: "WebSocket: changes of the state as text frames, after a cursor. It takes no frames but those of the protocol itself."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/modelCursor"}
                - {"$ref": "#/components/parameters/ticket"}
              responses:
                "101": {"description": "The connection is a WebSocket."}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/model/drafts/{chatType}/{chatId}":
            put:
              operationId: "setDraft"
              tags: ["Model"]
              summary: "Keeps a message that is being written, for all clients of the profile."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/chatType"}
                - {"$ref": "#/components/parameters/chatId"}
              requestBody:
                required: true
                content: {"application/json": {"schema": {"$ref": "#/components/schemas/ComposeState"}, "example": {"message": "so far"}}}
              responses:
                "204": {"description": "Kept."}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "deleteDraft"
              tags: ["Model"]
              summary: "Forgets a draft."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/chatType"}
                - {"$ref": "#/components/parameters/chatId"}
              responses:
                "204": {"description": "There is none."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions":
            post:
              operationId: "openSession"
              tags: ["Model"]
              summary: "A session: what one client looks at. It ends when the client does nothing for half an hour, and with the server."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
              responses:
                "201": {"description": "Made.", "headers": {"Location": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "listSessions"
              tags: ["Model"]
              summary: "The sessions of the profile, the oldest first."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
              responses:
                "200":
                  description: "The sessions."
                  content:
                    "application/json":
                      schema:
                        type: "object"
                        required: ["sessions"]
                        properties:
                          sessions:
                            type: "array"
                            items:
                              type: "object"
                              required: ["sessionId", "idleSeconds"]
                              properties: {"sessionId": {"type": "string"}, "chatId": {"type": "string"}, "idleSeconds": {"type": "integer"}}
                      example: {"sessions": [{"sessionId": "IqGVGmDVSwrf0i6dljw5yA", "chatId": "@4", "idleSeconds": 12}]}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}":
            get:
              operationId: "getSession"
              tags: ["Model"]
              summary: "What the client looks at: its open chat with the loaded items."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
                - {"$ref": "#/components/parameters/ifNoneMatch"}
              responses:
                "200": {"description": "The session.", "headers": {"ETag": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                "304": {"description": "Nothing has changed since the answer with this tag."}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "closeSession"
              tags: ["Model"]
              summary: "Ends the session."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              responses:
                "204": {"description": "Ended."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/changes":
            get:
              operationId: "sessionChanges"
              tags: ["Model"]
              summary: "Changes of the session as JSON Patches, on the transports of events."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
                - {"$ref": "#/components/parameters/modelCursor"}
                - {"$ref": "#/components/parameters/modelWait"}
                - {"$ref": "#/components/parameters/modelLimit"}
                - {"$ref": "#/components/parameters/lastEventId"}
                - {"$ref": "#/components/parameters/ticket"}
              responses:
                "200":
                  description: "A page; or lines of entries; or entries as Server-Sent Events, with their cursors as ids."
                  content:
                    "application/json": {"schema": {"$ref": "#/components/schemas/ModelChangePage"}}
                    "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/ModelChange"}}
                    "text/event-stream": {"schema": {"type": "string"}}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/changes/ws":
            get:
              operationId: "sessionChangesSocket"
              tags: ["Model"]
              summary: "WebSocket: changes of the session as text frames, after a cursor. It takes no frames but those of the protocol itself."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
                - {"$ref": "#/components/parameters/modelCursor"}
                - {"$ref": "#/components/parameters/ticket"}
              responses:
                "101": {"description": "The connection is a WebSocket."}
                "410": {"$ref": "#/components/responses/Problem"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/chat":
            put:
              operationId: "openSessionChat"
              tags: ["Model"]
              summary: "Opens a chat at its last items, or around one."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              requestBody:
                required: true
                content: {"application/json": {"schema": {"type": "object", "required": ["chatType", "chatId"], "properties": {"chatType": {"enum": ["direct", "group", "local"]}, "chatId": {"type": "integer", "format": "int64"}, "around": {"type": ["integer", "null"], "format": "int64"}, "count": {"type": "integer", "minimum": 2, "maximum": 500, "default": 50, "description": "Items of a page; on both sides, around an item."}}}, "example": {"chatType": "direct", "chatId": 4}}}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "closeSessionChat"
              tags: ["Model"]
              summary: "Closes the open chat."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/secondary":
            put:
              operationId: "openSessionSecondary"
              tags: ["Model"]
              summary: "Opens a second list of items of the open chat: a conversation with members in a group, or one kind of content."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              requestBody:
                required: true
                content: {"application/json": {"schema": {"type": "object", "properties": {"scope": {"type": ["object", "null"]}, "contentTag": {"type": ["string", "null"]}, "count": {"type": "integer", "minimum": 2, "maximum": 500, "default": 50, "description": "Items of a page; on both sides, around an item."}}}, "example": {"contentTag": "image"}}}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "closeSessionSecondary"
              tags: ["Model"]
              summary: "Closes the second list."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/items":
            get:
              operationId: "loadSessionItems"
              tags: ["Model"]
              summary: "Loads a further page into the session; without a place, the last one."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
                - {"name": "before", "in": "query", "description": "Number of an item.", "schema": {"type": "integer", "format": "int64", "minimum": 1}}
                - {"name": "after", "in": "query", "description": "Number of an item.", "schema": {"type": "integer", "format": "int64", "minimum": 1}}
                - {"name": "around", "in": "query", "description": "Number of an item.", "schema": {"type": "integer", "format": "int64", "minimum": 1}}
                - {"name": "count", "in": "query", "schema": {"type": "integer", "minimum": 2, "maximum": 500, "default": 50}}
                - {"name": "list", "in": "query", "schema": {"enum": ["primary", "secondary"], "default": "primary"}}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/sessions/{sessionId}/filter":
            put:
              operationId: "setSessionFilter"
              tags: ["Model"]
              summary: "The filter of the chat list in this client."
              description: "A user tag must be one of the profile's; another answers 404."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              requestBody:
                required: true
                content: {"application/json": {"schema": {"$ref": "#/components/schemas/ActiveFilter"}, "example": {"type": "unread"}}}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "deleteSessionFilter"
              tags: ["Model"]
              summary: "Shows all chats."
              parameters:
                - {"$ref": "#/components/parameters/userId"}
                - {"$ref": "#/components/parameters/sessionId"}
              responses:
                "200": {"description": "The session.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionSnapshot"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/livez":
            get:
              operationId: "livez"
              tags: ["Operations"]
              summary: "The process answers."
              security: []
              responses:
                "200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/readyz":
            get:
              operationId: "readyz"
              tags: ["Operations"]
              summary: "The core answers, the databases are open."
              security: []
              responses:
                "200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/metrics":
            get:
              operationId: "metrics"
              tags: ["Operations"]
              summary: "Figures in the text form of Prometheus."
              responses:
                "200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/openapi.json":
            get:
              operationId: "openapi"
              tags: ["Operations"]
              summary: "This contract."
              security: []
              responses:
                "200": {"description": "The contract.", "content": {"application/json": {"schema": {"type": "object"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/docs":
            get:
              operationId: "docs"
              tags: ["Operations"]
              summary: "This contract as a page to read and search."
              security: []
              responses:
                "200": {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/code":
            get:
              operationId: "apiGetContactCode"
              tags: ["Security"]
              summary: "The security code of a contact: equal on both sides when nobody is between them."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactCode"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/verify":
            post:
              operationId: "apiVerifyContact"
              tags: ["Security"]
              summary: "Compare the code that the contact sees; without a code, take the verification back."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content:
                  "application/json":
                    example: {"connectionCode": "85061 67334 34622"}
                    schema:
                      type: "object"
                      properties:
                        connectionCode: {"type": "string", "pattern": "^[0-9 ]+$"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.connectionVerified"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/sync":
            post:
              operationId: "apiSyncContactRatchet"
              tags: ["Security"]
              summary: "Negotiate the encryption with a contact anew, when messages do not decrypt; with force, in any case."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content:
                  "application/json":
                    example: {"force": false}
                    schema:
                      type: "object"
                      properties:
                        force: {"type": "boolean", "default": false}
              responses:
                "202":
                  description: "Accepted."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactRatchetSyncStarted"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/contacts/{contactId}/switch":
            post:
              operationId: "apiSwitchContact"
              tags: ["Security"]
              summary: "Receive from a contact over another queue, of another relay if there is one."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "202":
                  description: "Accepted."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactSwitchStarted"}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "apiAbortSwitchContact"
              tags: ["Security"]
              summary: "Keep the old queue, as long as the contact cannot have given it up."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "contactId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.contactSwitchAborted"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/server-operators":
            get:
              operationId: "apiGetServerOperators"
              tags: ["Servers"]
              summary: "Get the operators of servers, and what was agreed with them."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.serverOperatorConditions"}}}
                default: {"$ref": "#/components/responses/Problem"}
            put:
              operationId: "apiSetServerOperators"
              tags: ["Servers"]
              summary: "Set whether operators are used by all profiles, and what for."
              requestBody: {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["operators"], "properties": {"operators": {"type": "array", "items": {"$ref": "#/components/schemas/ServerOperator"}}}}, "example": {"operators": [{"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}]}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.serverOperatorConditions"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/servers":
            get:
              operationId: "apiGetUserServers"
              tags: ["Servers"]
              summary: "Get a profile's servers by operator, last those without one."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userServers"}}}
                default: {"$ref": "#/components/responses/Problem"}
            put:
              operationId: "apiSetUserServers"
              tags: ["Servers"]
              summary: "Set a profile's servers. Those with an id are changed, others added; what is not mentioned stays."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody: {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["userServers"], "properties": {"userServers": {"type": "array", "items": {"$ref": "#/components/schemas/UserOperatorServers"}}}}, "example": {"userServers": [{"operator": {"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}, "smpServers": [{"serverId": 1, "server": "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion", "preset": true, "enabled": false, "deleted": false}], "xftpServers": [{"serverId": 15, "server": "xftp://da1aH3nOT-9G8lV7bWamhxpDYdJ1xmW7j3JpGaDR5Ug=@xftp1.simplex.im,blisztokwh6alt5oem45f2eksm2xdowxszmhjesntcyolmhutoon7sid.onion", "preset": true, "enabled": true, "deleted": false}]}]}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/servers/validate":
            post:
              operationId: "apiValidateServers"
              tags: ["Servers"]
              summary: "Say what is wrong with a list of servers, without setting it."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody: {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["userServers"], "properties": {"userServers": {"type": "array", "items": {"$ref": "#/components/schemas/UserOperatorServers"}}}}, "example": {"userServers": [{"operator": {"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}, "smpServers": [{"serverId": 1, "server": "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion", "preset": true, "enabled": false, "deleted": false}], "xftpServers": [{"serverId": 15, "server": "xftp://da1aH3nOT-9G8lV7bWamhxpDYdJ1xmW7j3JpGaDR5Ug=@xftp1.simplex.im,blisztokwh6alt5oem45f2eksm2xdowxszmhjesntcyolmhutoon7sid.onion", "preset": true, "enabled": true, "deleted": false}]}]}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userServersValidation"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/usage-conditions":
            get:
              operationId: "apiGetUsageConditions"
              tags: ["Servers"]
              summary: "Get the current conditions of the preset operators, and those that were accepted last."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.usageConditions"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/usage-conditions/{conditionsId}/accept":
            post:
              operationId: "apiAcceptConditions"
              tags: ["Servers"]
              summary: "Accept conditions for some operators."
              parameters:
                - name: "conditionsId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody: {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["operatorIds"], "properties": {"operatorIds": {"type": "array", "items": {"type": "integer", "format": "int64"}}}}, "example": {"operatorIds": [1, 2]}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.serverOperatorConditions"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/usage-conditions/{conditionsId}/notified":
            post:
              operationId: "apiSetConditionsNotified"
              tags: ["Servers"]
              summary: "Remember that conditions were shown."
              parameters:
                - name: "conditionsId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/servers/test":
            post:
              operationId: "apiTestProtoServer"
              tags: ["Servers"]
              summary: "Test a server by using it."
              description: "An SMP server: connect, make a queue, secure and delete it. An XFTP server: connect, make room for a file of 64 KiB, upload, download, compare and delete it. What fails is told with its step under `testFailure`, by an answer of status 200."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody: {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["server"], "properties": {"server": {"type": "string", "description": "smp://fingerprint[:password]@host[,host][:port], or the same with xftp://"}}}, "example": {"server": "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im"}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.serverTestResult"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/settings/app":
            put:
              operationId: "apiSaveSettings"
              tags: ["Settings"]
              summary: "Keep the settings of an app."
              description: "All at once. They are the app's own: nothing else here follows from them."
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"$ref": "#/components/schemas/AppSettings"}
                    example: {"privacyAcceptImages": false}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "apiGetSettings"
              tags: ["Settings"]
              summary: "The settings of an app: what was kept, and what is standard."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.appSettings"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/settings":
            put:
              operationId: "apiSetChatSettings"
              tags: ["Settings"]
              summary: "Set what notifies in a chat, whether receipts are sent, and whether it is a favourite."
              description: "Without sendRcpts the setting of the profile holds."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"$ref": "#/components/schemas/ChatSettings"}
                    example: {"enableNtfs": "none", "favorite": true}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/ttl":
            put:
              operationId: "apiSetChatItemTTL"
              tags: ["Settings"]
              summary: "Set for how many seconds items are kept; 0 is for ever."
              description: "Older items are deleted; an event chatItemsDeleted tells it."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["seconds"], "properties": {"seconds": {"type": "integer", "format": "int64", "minimum": 0}}}
                    example: {"seconds": 86400}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "apiGetChatItemTTL"
              tags: ["Settings"]
              summary: "For how many seconds items are kept; 0 is for ever."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatItemTTL"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/ttl":
            put:
              operationId: "apiSetChatTTL"
              tags: ["Settings"]
              summary: "Set for how many seconds the items of a chat are kept; 0 is for ever."
              description: "Without seconds the setting of the profile holds."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                content:
                  "application/json":
                    schema: {"type": "object", "properties": {"seconds": {"type": "integer", "format": "int64", "minimum": 0}}}
                    example: {"seconds": 604800}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/settings/contact-merge":
            put:
              operationId: "setContactMergeEnabled"
              tags: ["Settings"]
              summary: "Set whether contacts that prove to be the same person become one."
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/settings/network":
            put:
              operationId: "apiSetNetworkConfig"
              tags: ["Settings"]
              summary: "Set how the network is used. Sessions with relays are made anew when anything changes."
              requestBody: {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NetworkConfig"}, "example": {"socksMode": "always", "hostMode": "public", "requiredHostMode": false, "sessionMode": "session", "smpProxyMode": "unknown", "smpProxyFallback": "allowProtected", "smpWebPortServers": "preset", "tcpConnectTimeout": {"backgroundTimeout": 31500000, "interactiveTimeout": 10500000}, "tcpTimeout": {"backgroundTimeout": 21000000, "interactiveTimeout": 7000000}, "tcpTimeoutPerKb": 5000, "rcvConcurrency": 8, "tcpKeepAlive": {"keepIdle": 30, "keepIntvl": 15, "keepCnt": 4}, "smpPingInterval": 600000000, "smpPingCount": 3, "logTLSErrors": false}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "apiGetNetworkConfig"
              tags: ["Settings"]
              summary: "Get how the network is used."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.networkConfig"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/settings/network-info":
            put:
              operationId: "apiSetNetworkInfo"
              tags: ["Settings"]
              summary: "Tell which network there is. Without one nobody reconnects or sends; on a slow one all has longer times."
              requestBody: {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UserNetworkInfo"}, "example": {"networkType": "wifi", "online": true}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/servers/reconnect":
            post:
              operationId: "reconnectAllServers"
              tags: ["Settings"]
              summary: "Make all sessions with relays anew."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/servers/reconnect":
            post:
              operationId: "reconnectServer"
              tags: ["Settings"]
              summary: "Make the sessions of a user with one relay anew."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"smpServer": "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im"}
                    schema:
                      type: "object"
                      required: ["smpServer"]
                      properties: {"smpServer": {"type": "string", "description": "smp://fingerprint@host[:port]"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores":
            get:
              operationId: "listStores"
              tags: ["Stores"]
              summary: "All stores."
              description: "Needs a key of the first store with the scope `stores`."
              responses:
                "200":
                  description: "The first store, then the others by their age."
                  content: {"application/json": {"schema": {"type": "object", "required": ["stores"], "properties": {"stores": {"type": "array", "items": {"$ref": "#/components/schemas/Store"}}}}, "example": {"stores": [{"storeId": "default", "name": "default", "state": "unlocked", "protection": "keyFile"}, {"storeId": "h3k9mq2xw7acd5p", "name": "Bob", "state": "locked", "created": "2026-11-21T12:00:00Z", "protection": "passphrase"}]}}}
                default: {"$ref": "#/components/responses/Problem"}
            post:
              operationId: "createStore"
              tags: ["Stores"]
              summary: "A new store, and the key of its administrator."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              description: "Needs a key of the first store with the scope `stores`. The store is unlocked (or `locked`, should the disk have become full since it was made), and has databases, events, keys and state of its own; which store a request acts on is said by its key. Without a passphrase the databases' key is kept in a file in the store's folder, and the store opens by itself; with one it is locked after each start. The passphrase is that of the databases, so that archives open with it elsewhere. With an `Idempotency-Key` the answer is kept for a day, readable only with that key and the API key of the request."
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 100}, "passphrase": {"type": "string", "minLength": 1, "maxLength": 1024}}}
                    example: {"name": "Bob", "passphrase": "a long passphrase"}
              responses:
                "201":
                  description: "Made. The key is shown only now."
                  content: {"application/json": {"schema": {"type": "object", "required": ["store", "key"], "properties": {"store": {"$ref": "#/components/schemas/Store"}, "key": {"type": "string"}}}, "example": {"store": {"storeId": "h3k9mq2xw7acd5p", "name": "Bob", "state": "unlocked", "created": "2026-11-21T12:00:00Z", "protection": "passphrase"}, "key": "sxgw_2c1lGfS0rLqyR0Yt1n3bF4mUo7v5dKpQ8wXz6aBcDeE"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores/{storeId}":
            get:
              operationId: "getStore"
              tags: ["Stores"]
              summary: "A store."
              description: "With a key of the first store that has the scope `stores`, or one of the store itself with the scope `admin`; so are all that follow."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              responses:
                "200":
                  description: "The store."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/Store"}, "example": {"storeId": "h3k9mq2xw7acd5p", "name": "Bob", "state": "locked", "created": "2026-11-21T12:00:00Z", "protection": "passphrase"}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "deleteStore"
              tags: ["Stores"]
              summary: "Delete a store with all that it has."
              description: "409 for the first store, whose keys manage the others: `DELETE /v1/database` empties that one. Streams end with `storeDeleted`; its keys open nothing any more. The databases' keys are overwritten, the files removed."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              responses:
                "204": {"description": "Gone."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores/{storeId}/lock":
            post:
              operationId: "lockStore"
              tags: ["Stores"]
              summary: "Lock a store."
              description: "Commands that run have a few seconds to end; streams end with `storeLocked`; sessions and models are given up, the databases closed, their key overwritten in memory. Requests are answered with 503 (`storeLocked`) then. It stays locked after a restart. Nothing for a store that is locked. When the first one (`default`) is locked, its routes answer 503, as does `/readyz`; other stores go on, and those are managed all the same with a key that has the scope `stores`. (Repeated, this and unlocking have the same effect: they need no `Idempotency-Key`.)"
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              responses:
                "200":
                  description: "The store."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/Store"}, "example": {"storeId": "h3k9mq2xw7acd5p", "name": "Bob", "state": "locked", "created": "2026-11-21T12:00:00Z", "protection": "passphrase"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores/{storeId}/unlock":
            post:
              operationId: "unlockStore"
              tags: ["Stores"]
              summary: "Unlock a store."
              description: "403 (`wrongPassphrase`) for a wrong one; then 429 with `Retry-After` for a time that grows with each, in which nothing is tried. What was sent is overwritten in memory once it was tried, as are passwords in all routes of stores. Requests that come together are one unlock. For a store that is unlocked the passphrase is only compared. With the self-destruct password the answer is the same, and comes at the same time; the store is then an empty one, which that password opens as its app password, and nothing is left of the old one but its id, name and API keys. Of the first store everything else in the data folder stays (the relay, other stores), and so do files in folders that a client has named elsewhere."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              requestBody:
                content:
                  "application/json":
                    schema: {"type": "object", "properties": {"passphrase": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The app password where the store has one, else the passphrase; not for a store whose key is in a file."}}}
                    example: {"passphrase": "a long passphrase"}
              responses:
                "200":
                  description: "The store."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/Store"}, "example": {"storeId": "h3k9mq2xw7acd5p", "name": "Bob", "state": "unlocked", "created": "2026-11-21T12:00:00Z", "protection": "passphrase"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores/{storeId}/app-password":
            put:
              operationId: "setAppPassword"
              tags: ["Stores"]
              summary: "Set or change the app password of an unlocked store."
              description: "From then on it is what opens the store, in the place of the key file or the passphrase: the key of the databases is on the disk only under it (Argon2id). A key file is overwritten and removed. The databases cannot be given another key meanwhile. 409 for the first store where the file of its key was named at the start (`--database-key-file`): that file is not the gateway's to remove. `current` is needed where there is one (422); 403 (`wrongPassphrase`) when it is wrong, with the same delay as at unlocking."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["password"], "properties": {"password": {"type": "string", "minLength": 1, "maxLength": 1024}, "current": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The present app password."}}}
                    example: {"password": "2580", "current": "1357"}
              responses:
                "204": {"description": "Done."}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "deleteAppPassword"
              tags: ["Stores"]
              summary: "Remove the app password, and the self-destruct password with it."
              description: "The store is opened by a key file or its passphrase again. 409 when there is none."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["current"], "properties": {"current": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The present app password."}}}
                    example: {"current": "2580"}
              responses:
                "204": {"description": "Done."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/stores/{storeId}/self-destruct-password":
            put:
              operationId: "setSelfDestructPassword"
              tags: ["Stores"]
              summary: "Set or change the self-destruct password of an unlocked store."
              description: "Unlocking with it destroys the store. 409 where there is no app password; 422 when it is the same. Nothing tells whether there is one, also no file."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["password", "current"], "properties": {"password": {"type": "string", "minLength": 1, "maxLength": 1024}, "current": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The present app password."}}}
                    example: {"password": "0000", "current": "2580"}
              responses:
                "204": {"description": "Done."}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "deleteSelfDestructPassword"
              tags: ["Stores"]
              summary: "Remove the self-destruct password."
              description: "Nothing where there is none."
              parameters:
                - {"$ref": "#/components/parameters/storeId"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["current"], "properties": {"current": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "The present app password."}}}
                    example: {"current": "2580"}
              responses:
                "204": {"description": "Done."}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/tags":
            get:
              operationId: "apiGetChatTags"
              tags: ["Tags"]
              summary: "The tags of a profile, in its order."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatTags"}}}
                default: {"$ref": "#/components/responses/Problem"}
            post:
              operationId: "apiCreateChatTag"
              tags: ["Tags"]
              summary: "Make a tag."
              description: "A text, and an emoji, names one tag: 409 when it is taken."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "emoji": {"type": "string"}}}
                    example: {"text": "work", "emoji": "💼"}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.chatTags"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/tags/order":
            put:
              operationId: "apiReorderChatTags"
              tags: ["Tags"]
              summary: "Put tags in another order."
              description: "Those that are not named follow those that are."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["tagIds"], "properties": {"tagIds": {"type": "array", "items": {"type": "integer", "format": "int64"}}}}
                    example: {"tagIds": [2, 1]}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/tags/{tagId}":
            put:
              operationId: "apiUpdateChatTag"
              tags: ["Tags"]
              summary: "Give a tag another text and emoji."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "tagId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "emoji": {"type": "string"}}}
                    example: {"text": "relatives"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
            delete:
              operationId: "apiDeleteChatTag"
              tags: ["Tags"]
              summary: "Delete a tag; chats lose it."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "tagId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/tags":
            put:
              operationId: "apiSetChatTags"
              tags: ["Tags"]
              summary: "Give a chat these tags and no others."
              description: "404 when the chat or a tag is not known."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                required: true
                content:
                  "application/json":
                    schema: {"type": "object", "required": ["tagIds"], "properties": {"tagIds": {"type": "array", "items": {"type": "integer", "format": "int64"}}}}
                    example: {"tagIds": [1, 2]}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.tagsUpdated"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/themes":
            put:
              operationId: "apiSetUserUIThemes"
              tags: ["Themes"]
              summary: "Set the colours of a profile."
              description: "Without themes they are taken away."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                content:
                  "application/json":
                    schema: {"type": "object", "properties": {"themes": {"$ref": "#/components/schemas/UIThemeEntityOverrides"}}}
                    example: {"themes": {"light": {"mode": "light", "colors": {"accent": "#ff0088ff"}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/chats/{chatType}/{chatId}/themes":
            put:
              operationId: "apiSetChatUIThemes"
              tags: ["Themes"]
              summary: "Set the colours of a chat."
              description: "Without themes they are taken away."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/chatType"}
                - name: "chatId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/scope"}
              requestBody:
                content:
                  "application/json":
                    schema: {"type": "object", "properties": {"themes": {"$ref": "#/components/schemas/UIThemeEntityOverrides"}}}
                    example: {"themes": {"light": {"mode": "light", "colors": {"accent": "#ff0088ff"}}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/active":
            get:
              operationId: "showActiveUser"
              tags: ["Users"]
              summary: "Show active user."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.activeUser"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users":
            post:
              operationId: "createActiveUser"
              tags: ["Users"]
              summary: "Create active user."
              parameters: [{"$ref": "#/components/parameters/idempotencyKey"}]
              requestBody:
                content:
                  "application/json":
                    example: {"profile": {"displayName": "alice", "fullName": "", "shortDescr": "the best"}, "pastTimestamp": false}
                    schema:
                      type: "object"
                      properties:
                        profile: {"$ref": "#/components/schemas/Profile"}
                        pastTimestamp: {"type": "boolean"}
                        userChatRelay: {"type": "boolean"}
                        clientService: {"type": "boolean"}
              responses:
                "201":
                  description: "Made."
                  headers: {"Location": {"description": "Where it is, when it has a place.", "schema": {"type": "string"}}}
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.activeUser"}}}
                default: {"$ref": "#/components/responses/Problem"}
            get:
              operationId: "listUsers"
              tags: ["Users"]
              summary: "List users."
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.usersList"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/activate":
            post:
              operationId: "apiSetActiveUser"
              tags: ["Users"]
              summary: "Set active user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                content: {"application/json": {"schema": {"type": "object", "properties": {"viewPwd": {"type": "string"}}}, "example": {"viewPwd": "of a hidden profile"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.activeUser"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/hide":
            post:
              operationId: "apiHideUser"
              tags: ["Users"]
              summary: "Hide user."
              description: "While it is not active it cannot be told from a profile that does not exist, whatever route is asked; a password is judged with the same work for both. Its routes answer 404, its state is given up with its sessions; lists and other profiles' states are without it, and its events are for keys bound to it only."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"viewPwd": "a password"}
                    schema: {"type": "object", "required": ["viewPwd"], "properties": {"viewPwd": {"type": "string", "minLength": 1}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userPrivacy"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/unhide":
            post:
              operationId: "apiUnhideUser"
              tags: ["Users"]
              summary: "Unhide user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"viewPwd": "a password"}
                    schema: {"type": "object", "required": ["viewPwd"], "properties": {"viewPwd": {"type": "string"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userPrivacy"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/mute":
            post:
              operationId: "apiMuteUser"
              tags: ["Users"]
              summary: "Mute user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userPrivacy"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/unmute":
            post:
              operationId: "apiUnmuteUser"
              tags: ["Users"]
              summary: "Unmute user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.userPrivacy"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}":
            delete:
              operationId: "apiDeleteUser"
              tags: ["Users"]
              summary: "Delete user."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - name: "delSMPQueues"
                  in: "query"
                  description: "Whether its queues are deleted on the relays."
                  schema: {"type": "boolean", "default": true}
              requestBody:
                content:
                  "application/json":
                    example: {"delSMPQueues": true}
                    schema:
                      type: "object"
                      properties: {"delSMPQueues": {"type": "boolean"}, "viewPwd": {"type": "string"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/profile":
            put:
              operationId: "apiUpdateProfile"
              tags: ["Users"]
              summary: "Update profile."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"profile": {"displayName": "alice", "fullName": "", "shortDescr": "the best"}}
                    schema:
                      type: "object"
                      required: ["profile"]
                      properties: {"profile": {"$ref": "#/components/schemas/Profile"}}
              responses:
                "200":
                  description: "Done."
                  content:
                    "application/json":
                      schema:
                        anyOf:
                          - {"$ref": "#/components/schemas/response.userProfileUpdated"}
                          - {"$ref": "#/components/schemas/response.userProfileNoChange"}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/settings/receipts":
            put:
              operationId: "setAllContactReceipts"
              tags: ["Users"]
              summary: "Set all contact receipts."
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/receipts/contacts":
            put:
              operationId: "apiSetUserContactReceipts"
              tags: ["Users"]
              summary: "Set user contact receipts."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true, "clearOverrides": false}
                    schema:
                      type: "object"
                      required: ["enable"]
                      properties: {"enable": {"type": "boolean"}, "clearOverrides": {"type": "boolean"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/receipts/groups":
            put:
              operationId: "apiSetUserGroupReceipts"
              tags: ["Users"]
              summary: "Set user group receipts."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": false, "clearOverrides": false}
                    schema:
                      type: "object"
                      required: ["enable"]
                      properties: {"enable": {"type": "boolean"}, "clearOverrides": {"type": "boolean"}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/auto-accept-member-contacts":
            put:
              operationId: "apiSetUserAutoAcceptMemberContacts"
              tags: ["Users"]
              summary: "Set user auto accept member contacts."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/auto-accept-group-invitations":
            put:
              operationId: "apiSetUserAutoAcceptGroupInvitations"
              tags: ["Users"]
              summary: "Set user auto accept group invitations."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
              requestBody:
                required: true
                content:
                  "application/json":
                    example: {"enable": true}
                    schema: {"type": "object", "required": ["enable"], "properties": {"enable": {"type": "boolean"}}}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
          "/v1/users/{userId}/read":
            post:
              operationId: "apiUserRead"
              tags: ["Users"]
              summary: "User read."
              parameters:
                - name: "userId"
                  in: "path"
                  required: true
                  schema: {"type": "integer", "format": "int64", "minimum": 1}
                - {"$ref": "#/components/parameters/idempotencyKey"}
              responses:
                "200":
                  description: "Done."
                  content: {"application/json": {"schema": {"$ref": "#/components/schemas/response.cmdOk"}}}
                default: {"$ref": "#/components/responses/Problem"}
        components:
          securitySchemes: {"key": {"type": "http", "scheme": "bearer", "description": "A key of `simplex-gateway key add`."}}
          parameters:
            chatType:
              name: "chatType"
              in: "path"
              required: true
              schema: {"enum": ["direct", "group", "local", "contactConnection"]}
            userId:
              name: "userId"
              in: "path"
              required: true
              schema: {"type": "integer", "format": "int64", "minimum": 1}
            chatId:
              name: "chatId"
              in: "path"
              required: true
              schema: {"type": "integer", "format": "int64", "minimum": 1}
            storeId:
              name: "storeId"
              in: "path"
              required: true
              schema: {"type": "string"}
            sessionId:
              name: "sessionId"
              in: "path"
              required: true
              schema: {"type": "string"}
            ifNoneMatch:
              name: "If-None-Match"
              in: "header"
              description: "The `ETag` of an earlier answer."
              schema: {"type": "string"}
            modelCursor:
              name: "cursor"
              in: "query"
              description: "The `id` of the document, or of the last change of it that the reader has."
              schema: {"type": "string"}
            modelWait:
              name: "wait"
              in: "query"
              description: "Seconds to wait for a change when there is none."
              schema: {"type": "integer", "minimum": 0, "maximum": 60, "default": 0}
            modelLimit:
              name: "limit"
              in: "query"
              description: "Most changes of a page."
              schema: {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
            lastEventId:
              name: "Last-Event-ID"
              in: "header"
              description: "The cursor of a Server-Sent Events reader that comes again."
              schema: {"type": "string"}
            ticket:
              name: "ticket"
              in: "query"
              description: "A ticket, for browsers."
              schema: {"type": "string"}
            scope:
              name: "scope"
              in: "query"
              description: "Part of a group: `support`, or `support:{groupMemberId}`."
              schema: {"type": "string"}
            idempotencyKey:
              name: "Idempotency-Key"
              in: "header"
              description: "The same request with the same key has its effect once within a day, and the same answer, then with the header `Idempotent-Replayed: true`. That holds through a crash: the answer is stored with the effect, and a request that was cut off half-way is finished when it is sent again."
              schema: {"type": "string", "minLength": 1, "maxLength": 255}
          responses:
            Problem:
              description: "A problem."
              content: {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
          schemas:
            response.userContactLink:
              examples: [{"type": "userContactLink", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contactLink": {"userContactLinkId": 1, "connLinkContact": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2Fg6WzygYXbYrJfM8chxAqCruRbeSgfkhs%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAWCnU67x6sOrpC-sZP3FvqEFYQSBy0TbLYO4QFwQVi3k%253D%26q%3Dc", "connShortLink": "https://127.0.0.1/a#WXTGGQaziujnrbhNXeGDPvcyq-AEiF24m5bWrzy6v50?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "shortLinkDataSet": true, "shortLinkLargeDataSet": true, "addressSettings": {"businessAddress": false}}}]
              type: "object"
              required: ["type", "user", "contactLink"]
              properties:
                type: {"const": "userContactLink"}
                user: {"$ref": "#/components/schemas/User"}
                contactLink: {"$ref": "#/components/schemas/UserContactLink"}
            response.userContactLinkCreated:
              examples: [{"type": "userContactLinkCreated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connLinkContact": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FuVe_cqudzsRU0WVHU7zdVVl9U8wy68og%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAkgTl6VeBW1tiOB8fFof1cdYrNRr36WN_WaBWFJyL9TM%253D%26q%3Dc", "connShortLink": "https://127.0.0.1/a#MBv3lc2JJL8MEv1PsZT60d7mxxeix-JB9YGpgqNBmdg?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}}]
              type: "object"
              required: ["type", "user", "connLinkContact"]
              properties:
                type: {"const": "userContactLinkCreated"}
                user: {"$ref": "#/components/schemas/User"}
                connLinkContact: {"$ref": "#/components/schemas/CreatedConnLink"}
            response.userContactLinkDeleted:
              examples: [{"type": "userContactLinkDeleted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}}]
              type: "object"
              required: ["type", "user"]
              properties:
                type: {"const": "userContactLinkDeleted"}
                user: {"$ref": "#/components/schemas/User"}
            response.userContactLinkUpdated:
              examples: [{"type": "userContactLinkUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contactLink": {"userContactLinkId": 1, "connLinkContact": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FuVe_cqudzsRU0WVHU7zdVVl9U8wy68og%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAkgTl6VeBW1tiOB8fFof1cdYrNRr36WN_WaBWFJyL9TM%253D%26q%3Dc", "connShortLink": "https://127.0.0.1/a#MBv3lc2JJL8MEv1PsZT60d7mxxeix-JB9YGpgqNBmdg?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "shortLinkDataSet": true, "shortLinkLargeDataSet": true, "addressSettings": {"businessAddress": true, "autoAccept": {"acceptIncognito": false}, "autoReply": {"type": "text", "text": "Thank you for contacting us"}}}}]
              type: "object"
              required: ["type", "user", "contactLink"]
              properties:
                type: {"const": "userContactLinkUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                contactLink: {"$ref": "#/components/schemas/UserContactLink"}
            ContactShortLinkData:
              type: "object"
              required: ["profile", "business"]
              properties:
                profile: {"$ref": "#/components/schemas/Profile"}
                message: {"$ref": "#/components/schemas/MsgContent"}
                business: {"type": "boolean"}
                localBadge: {"$ref": "#/components/schemas/LocalBadge"}
            SimplexNameInfo:
              type: "object"
              required: ["nameType", "nameDomain"]
              properties:
                nameType: {"$ref": "#/components/schemas/SimplexNameType"}
                nameDomain: {"$ref": "#/components/schemas/SimplexDomain"}
            AddressSettings:
              type: "object"
              required: ["businessAddress"]
              properties:
                businessAddress: {"type": "boolean"}
                autoAccept:
                  type: "object"
                  required: ["acceptIncognito"]
                  properties: {"acceptIncognito": {"type": "boolean"}}
                autoReply: {"$ref": "#/components/schemas/MsgContent"}
            UserContactLink:
              type: "object"
              required: ["userContactLinkId", "connLinkContact", "shortLinkDataSet", "shortLinkLargeDataSet", "addressSettings"]
              properties:
                userContactLinkId: {"type": "integer", "format": "int64"}
                connLinkContact: {"$ref": "#/components/schemas/CreatedConnLink"}
                shortLinkDataSet: {"type": "boolean"}
                shortLinkLargeDataSet: {"type": "boolean"}
                addressSettings: {"$ref": "#/components/schemas/AddressSettings"}
            SimplexDomainClaim:
              type: "object"
              required: ["domain"]
              properties: {"domain": {"type": "string"}, "proof": {"$ref": "#/components/schemas/SimplexDomainProof"}}
            SimplexDomain:
              type: "object"
              required: ["nameTLD", "domain", "subDomain"]
              properties:
                nameTLD: {"$ref": "#/components/schemas/SimplexTLD"}
                domain: {"type": "string"}
                subDomain: {"type": "array", "items": {"type": "string"}}
            ContactAddressPlan:
              anyOf:
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "ok"}
                    contactSLinkData_: {"$ref": "#/components/schemas/ContactShortLinkData"}
                    ownerVerification: {"$ref": "#/components/schemas/OwnerVerification"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "ownLink"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "connectingConfirmReconnect"}}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "connectingProhibit"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "known"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "contactViaAddress"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "ok"
                          - "ownLink"
                          - "connectingConfirmReconnect"
                          - "connectingProhibit"
                          - "known"
                          - "contactViaAddress"
            SimplexDomainProof:
              type: "object"
              required: ["presHeader", "signature"]
              properties: {"linkOwnerId": {"type": "string"}, "presHeader": {"type": "string"}, "signature": {"type": "string"}}
            CICallStatus:
              type: "string"
              description: "One of pending, missed, rejected, accepted, negotiated, progress, ended, error; later versions may add."
            CallStateTag:
              type: "string"
              description: "One of invitationSent, invitationReceived, offerSent, offerReceived, negotiated; later versions may add."
            response.acceptingContactRequest:
              examples: [{"type": "acceptingContactRequest", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 2, "agentConnId": "SkxoQ2JwdGhsZXNROEJTLQ==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaUserContactLink": 1, "viaGroupLink": false, "connType": "contact", "connStatus": "snd-ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:04:36.989354005Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:36.955948952Z", "updatedAt": "2026-11-21T03:04:36.955948952Z", "chatTs": "2026-11-21T03:04:36.95968233Z", "contactRequestId": 1, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "acceptingContactRequest"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
            response.chatCleared:
              examples: [{"type": "chatCleared", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatInfo": {"type": "local", "noteFolder": {"noteFolderId": 1, "userId": 1, "createdAt": "2026-11-21T03:04:49Z", "updatedAt": "2026-11-21T03:04:49.301059125Z", "chatTs": "2026-11-21T03:04:49.273067541Z", "favorite": false, "unread": false}}}]
              type: "object"
              required: ["type", "user", "chatInfo"]
              properties:
                type: {"const": "chatCleared"}
                user: {"$ref": "#/components/schemas/User"}
                chatInfo: {"$ref": "#/components/schemas/ChatInfo"}
            response.connectionAliasUpdated:
              examples: [{"type": "connectionAliasUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "toConnection": {"pccConnId": 1, "pccAgentConnId": "YTlLTG1XUTNwSk5oTUtFNg==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FfflaOUEC1Yi2KZj4JaM089ARzlNG4PLu%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA07WkQTLw5NN6t9w19AGDz3o4Lqm35DC5mRCtAEecbyg%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAK-tOB2FoLuxAph0mcQqpfxIE48TnqjwR8lJ6bzhNz03wg7f-K-gS1xCU0bECckiZuE63AE30tBA%3D%2CMEIwBQYDK2VvAzkAQko1VeME5l3oBNmbWw3UGbR6Xugu7zzgiNvyfKgvjMos9-Vd1WkaBkH5zLmiPDSzJ1iIYrGBu98%3D", "connShortLink": "https://127.0.0.1/i#KxypYcciMzhXv0vDxlXbd9YlA7L45MS1/hn1sdlEMC_nZjAaG6YAmqTXuEc-K7TCioS1cFTZXEsU?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "invitation for bob", "createdAt": "2026-11-21T03:14:05.766360366Z", "updatedAt": "2026-11-21T03:14:05.786930406Z"}}]
              type: "object"
              required: ["type", "user", "toConnection"]
              properties:
                type: {"const": "connectionAliasUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                toConnection: {"$ref": "#/components/schemas/PendingContactConnection"}
            response.connectionIncognitoUpdated:
              examples: [{"type": "connectionIncognitoUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "toConnection": {"pccConnId": 1, "pccAgentConnId": "YTlLTG1XUTNwSk5oTUtFNg==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FfflaOUEC1Yi2KZj4JaM089ARzlNG4PLu%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA07WkQTLw5NN6t9w19AGDz3o4Lqm35DC5mRCtAEecbyg%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAK-tOB2FoLuxAph0mcQqpfxIE48TnqjwR8lJ6bzhNz03wg7f-K-gS1xCU0bECckiZuE63AE30tBA%3D%2CMEIwBQYDK2VvAzkAQko1VeME5l3oBNmbWw3UGbR6Xugu7zzgiNvyfKgvjMos9-Vd1WkaBkH5zLmiPDSzJ1iIYrGBu98%3D", "connShortLink": "https://127.0.0.1/i#KxypYcciMzhXv0vDxlXbd9YlA7L45MS1/hn1sdlEMC_nZjAaG6YAmqTXuEc-K7TCioS1cFTZXEsU?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "invitation for bob", "createdAt": "2026-11-21T03:14:05.766360366Z", "updatedAt": "2026-11-21T03:14:05.786930406Z"}}]
              type: "object"
              required: ["type", "user", "toConnection"]
              properties:
                type: {"const": "connectionIncognitoUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                toConnection: {"$ref": "#/components/schemas/PendingContactConnection"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            response.connectionPlan:
              examples: [{"type": "connectionPlan", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connLink": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2Fg6WzygYXbYrJfM8chxAqCruRbeSgfkhs%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAWCnU67x6sOrpC-sZP3FvqEFYQSBy0TbLYO4QFwQVi3k%253D%26q%3Dc"}, "connectionPlan": {"type": "contactAddress", "contactAddressPlan": {"type": "ok"}}}]
              type: "object"
              required: ["type", "user", "connLink", "connectionPlan"]
              properties:
                type: {"const": "connectionPlan"}
                user: {"$ref": "#/components/schemas/User"}
                connLink: {"$ref": "#/components/schemas/CreatedConnLink"}
                planSimplexName: {"$ref": "#/components/schemas/SimplexNameInfo"}
                otherSimplexName: {"$ref": "#/components/schemas/SimplexNameInfo"}
                connectionPlan: {"$ref": "#/components/schemas/ConnectionPlan"}
            response.connectionUserChanged:
              examples: [{"type": "connectionUserChanged", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "fromConnection": {"pccConnId": 2, "pccAgentConnId": "U2FVb3o4RTFCX0R6YXlqZw==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FjXCs84GRmMCiF-w427l7f6Xc1nN6M-T-%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAivhoOp4DgacrUhMCJ3wawBtlXBY10Q4-4zofBDKEIWs%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAkQEL8reWZnG6B2Vapg0CMJ6r-uZf1Y_YbPKGepXOMvcibmn9BBbTq3OFxAk-YYamV_7PSf1eVpQ%3D%2CMEIwBQYDK2VvAzkAOflF88-09fO1emS1bfJEvv52CD5Jtt7Cwf2JPJrtu3v9ipsUtg9w4Z0SJ7cVBY3SJDfpJAsiMug%3D", "connShortLink": "https://127.0.0.1/i#nan3asg4xiS9O1lalrqBnmSwwlsQ2Pse/1ChkFTY7_y4AHFenRMYoK-_hNHntjK6XcAkNU0AMyu0?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "", "createdAt": "2026-11-21T03:14:10.229874565Z", "updatedAt": "2026-11-21T03:14:10.229874565Z"}, "toConnection": {"pccConnId": 2, "pccAgentConnId": "bTJrTDhNcDdRbTZJLVZ0dg==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FJANp0n8MVQukBnYUQU6Y7-SP2ukAG70e%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEASS_KEoS1Om2-Gk76J6a-oBcNNkGUy75Lzg77s4vvKj0%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAvJd4h0M4Xl91oYPyGUITBeWm2Ewmy1tTVxHkXZituWy7OBcXvCZthsq1Gtflm4BX2nsT0NFIL6c%3D%2CMEIwBQYDK2VvAzkAIUAU_6xZQ6Scjpy77tS52MZ70SUWE3iOraOjW_Iuuv7jgZ1knYyiYrFw3A73pnZoRZBnNH07PXs%3D", "connShortLink": "https://127.0.0.1/i#aeEf0UVxhjJ5I8pvSnUtTnfj2q10yyLV/_C1nzYQqYIcykWMD2EMirX17f5I6xH5nfBmhIz70FHc?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "", "createdAt": "2026-11-21T03:14:10.444619575Z", "updatedAt": "2026-11-21T03:14:10.444619575Z"}, "newUser": {"userId": 2, "agentUserId": "2", "userContactId": 5, "localDisplayName": "alice2", "profile": {"profileId": 5, "displayName": "alice2", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 2, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}}]
              type: "object"
              required: ["type", "user", "fromConnection", "toConnection", "newUser"]
              properties:
                type: {"const": "connectionUserChanged"}
                user: {"$ref": "#/components/schemas/User"}
                fromConnection: {"$ref": "#/components/schemas/PendingContactConnection"}
                toConnection: {"$ref": "#/components/schemas/PendingContactConnection"}
                newUser: {"$ref": "#/components/schemas/User"}
            response.contactAliasUpdated:
              examples: [{"type": "contactAliasUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "toContact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes", "ttl": 60}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "no"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "cGlsY2ZWWHk1OC1mTnkwXw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:05:00.051019486Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes", "ttl": 60}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "no"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:05:00.542671134Z", "updatedAt": "2026-11-21T03:05:04.110023284Z", "chatTs": "2026-11-21T03:05:04.55864012Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "toContact"]
              properties:
                type: {"const": "contactAliasUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                toContact: {"$ref": "#/components/schemas/Contact"}
            response.contactAlreadyExists:
              examples: [{"type": "contactAlreadyExists", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "UDBRRFRmMUpFTTBYMmJsWg==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "xContactId": "I-K6sQK0-6btMMO0IRrgSQ==", "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:04:36.738332199Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:37.552325335Z", "updatedAt": "2026-11-21T03:04:37.552325335Z", "chatTs": "2026-11-21T03:04:37.591325068Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "contactAlreadyExists"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
            response.contactInfo:
              examples: [{"type": "contactInfo", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "V3V0U2ZCV1g3VGdmSkRUSA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 2, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:41:43.419086363Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:41:43.978152374Z", "updatedAt": "2026-11-21T03:41:43.978152374Z", "chatTs": "2026-11-21T03:42:04.604149094Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "connectionStats_": {"connAgentVersion": 7, "rcvQueuesInfo": [{"rcvServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233", "canAbortSwitch": false}], "sndQueuesInfo": [{"sndServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233"}], "ratchetSyncState": "ok", "ratchetSyncSupported": true}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "contactInfo"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                connectionStats_: {"$ref": "#/components/schemas/ConnectionStats"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            response.contactPrefsUpdated:
              examples: [{"type": "contactPrefsUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "fromContact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes", "ttl": 60}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "no"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "cGlsY2ZWWHk1OC1mTnkwXw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:05:00.051019486Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes", "ttl": 60}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "no"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:05:00.542671134Z", "updatedAt": "2026-11-21T03:05:04.110023284Z", "chatTs": "2026-11-21T03:05:04.489041525Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "toContact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes", "ttl": 60}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "no"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "cGlsY2ZWWHk1OC1mTnkwXw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:05:00.051019486Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes", "ttl": 60}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "no"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:05:00.542671134Z", "updatedAt": "2026-11-21T03:05:04.110023284Z", "chatTs": "2026-11-21T03:05:04.489041525Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "fromContact", "toContact"]
              properties:
                type: {"const": "contactPrefsUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                fromContact: {"$ref": "#/components/schemas/Contact"}
                toContact: {"$ref": "#/components/schemas/Contact"}
            response.contactRequestRejected:
              examples: [{"type": "contactRequestRejected", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contactRequest": {"contactRequestId": 2, "agentInvitationId": "bEhKZUctTm1uRzdTT2tmYw==", "contactId_": 5, "userContactLinkId_": 1, "cReqChatVRange": {"minVersion": 1, "maxVersion": 16}, "localDisplayName": "carol", "profileId": 5, "profile": {"displayName": "carol", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}}, "createdAt": "2026-11-21T03:04:39.139744348Z", "updatedAt": "2026-11-21T03:04:39.139744348Z", "xContactId": "r1Q6kphSPWW4y9ZrGGKW3g==", "pqSupport": true}, "contact_": {"contactId": 5, "localDisplayName": "carol", "profile": {"profileId": 5, "displayName": "carol", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:39.139744348Z", "updatedAt": "2026-11-21T03:04:39.139744348Z", "chatTs": "2026-11-21T03:04:39.142191808Z", "contactRequestId": 2, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "contactRequest"]
              properties:
                type: {"const": "contactRequestRejected"}
                user: {"$ref": "#/components/schemas/User"}
                contactRequest: {"$ref": "#/components/schemas/UserContactRequest"}
                contact_: {"$ref": "#/components/schemas/Contact"}
            response.contactUserChanged:
              examples: [{"type": "contactUserChanged", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "fromContact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:30.169040547Z", "updatedAt": "2026-11-21T03:04:30.169040547Z", "chatTs": "2026-11-21T03:04:30.173706987Z", "preparedContact": {"connLinkToConnect": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FkbMNE6UlG4y64kwmJlrnhhHHdmnNkvRO%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA5DcUmk-qzMT0OuhDT1OeUIgF-m6KOhN_gtzr1zyip3M%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAcFzyEK2sRb_NBMz8uYkPfblnWeV7MJE6-7M_klXgvWBbg-reAaYqUqUy526Ika32nE2L7wQrJnc%3D%2CMEIwBQYDK2VvAzkAnpCJPYfXGAU8TZRXYs_469tMpOVJEZikuPaR2qLIbs7Mic561AsNlhwckkhOs3YPJChE418q1Uw%3D%26kem_key%3DVreY5aP_a82ajQdE65urL1HXa3Zib6X9BugOucpWLMnX9nml00Ifn1RWRKlh41XixSJzAOA8_IX1JUfqKKQKNxxcE0u6BTQQkcd9eGkak_udRBR8ggemaPwhgy9TLpLFFoWQeAqkXiSxrjE2T0NDqo-xT3Kb5PZEGu7TB1u-w61YDm2gnDXGAmLt6jNir4nH5oRpo53N6GJ0NUuY-1PQm9SY7g_Cwl_SzRIgTwBErbctboZUYrI1v7xJeWkVyRbiH2iasK-soOn-Yevw2QO6L5ae_lrdGrNka9AC2Dxx69CiXLN-nu-wE7aThHIRHDqZq0iD7IKxCBlZvGYL0Q7TapGOHPvpdUW5bGhFe1gj77VWZLU6InaUSgPbzblu92H3aUU0VkHwR-qFsz3E3j-lxFMS8UkbtIfPKxHr_ULfp6759FtGG-6QCVoC-6nYyjKlu_U-25gaR8ybqGyNRiv6H9ysxSkor1KI5XjXFhJwlUxKLdyiYLZwEkJc5ApZ-AF2T_fRdJq7Na2NLhVJBxS0mgwZjgSv-Ya5iEb2DfVcx6bTdoT0kEnXsdUdNKmBNtRm4ApGNsjVlTeuTTCF4cRHc6Y-hssQoe-0hnGc32oVIsAceyxm4D6VgwrobzhDlXnjYEgMK4AYUjh9qp31yl0-LuuvkytdCXLrTb4pg3S8yjE1k0Y7y08DVRQJY5oQ7StFm5pIFccOkhyC1kBNE2tO2HjcY83TxzEGpIfgZvzKzhLSovl9bkCygV01l-5cCPObsgpU9rImczGZNrEvkM6Yxhcp3n0wcQU0ZWjSeXUF3VNO735XKZp41R7658Wd4pwF8DYXAogbP5K9M90s1WcEc10NzNvq381dSWymv-WD6GdwZsC8rUT4h9NsiWOudSR0kwImFS75FnYaUGRmRol5j98uTdPpdTTMDJlUv_6W4bO7EgIQIFnF-NqK31IRGAJ_zt727jnbSUBf6jqWI7MkEs0sH0wwrbKr0FShNcCJfIBjm_9enTyEgV-UivNFEfkMKJCeBoUYTZ4fMKZ0gSaiDz0c3arKlj7n0o2vZ_OY-B9pb9uonku8Sc17Qs5NEkTHn_zniIBcKV6Dw2WMmvqnb3VHlR3HT_xS5z3145WICy8SETlmYl9sbbnsm925GOJZ3PYHTn-uSNa9hrdXQvrkmU1zQn6zNtvJLlQEbT423M3IFBnWHmf0K6GbM5sLmkmxqdpEV9Uw6IOMQc2areHvHbrI6ZW0hglhQiav0k4jp7E-PvgvU0KDEfL4bRktITlPmATc0e0qNbJueWi79P3yES8T5I2rm5_2U2Mq_Q7AwC7SPpUlZIbv9_EO8B1v5kfOuj41cWtDG8crHD7RCGmZ9Bt51F0NNHywFCjBRHVh1er3zdxNjrI5VRnenQyrR3K8ToUu6wFf_ksIWf8oEp6fi-e2OXUqmAmLlablRTBmVZldV1xjKChF8ZKUatcUXNpZ0fXBsGbOcx6kAGfwrOkO2pB0I8rkdaAFccHbMt8GL12TMzZpZlSgMx2EI2KSS8lCaDWD9_sF", "connShortLink": "https://127.0.0.1/i#N2auY4G1JcC-W_CWSC2xsC027JbBOSlM/_ziFeeY0FvWlwpJs-zZ34DAuZXVMWA5cZAQ2u3l3td0?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "uiConnLinkType": "inv"}, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "newUser": {"userId": 2, "agentUserId": "2", "userContactId": 5, "localDisplayName": "bob2", "profile": {"profileId": 5, "displayName": "bob2", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 2, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "toContact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:30.169040547Z", "updatedAt": "2026-11-21T03:04:30.223864571Z", "chatTs": "2026-11-21T03:04:30.173706987Z", "preparedContact": {"connLinkToConnect": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FkbMNE6UlG4y64kwmJlrnhhHHdmnNkvRO%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA5DcUmk-qzMT0OuhDT1OeUIgF-m6KOhN_gtzr1zyip3M%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAcFzyEK2sRb_NBMz8uYkPfblnWeV7MJE6-7M_klXgvWBbg-reAaYqUqUy526Ika32nE2L7wQrJnc%3D%2CMEIwBQYDK2VvAzkAnpCJPYfXGAU8TZRXYs_469tMpOVJEZikuPaR2qLIbs7Mic561AsNlhwckkhOs3YPJChE418q1Uw%3D%26kem_key%3DVreY5aP_a82ajQdE65urL1HXa3Zib6X9BugOucpWLMnX9nml00Ifn1RWRKlh41XixSJzAOA8_IX1JUfqKKQKNxxcE0u6BTQQkcd9eGkak_udRBR8ggemaPwhgy9TLpLFFoWQeAqkXiSxrjE2T0NDqo-xT3Kb5PZEGu7TB1u-w61YDm2gnDXGAmLt6jNir4nH5oRpo53N6GJ0NUuY-1PQm9SY7g_Cwl_SzRIgTwBErbctboZUYrI1v7xJeWkVyRbiH2iasK-soOn-Yevw2QO6L5ae_lrdGrNka9AC2Dxx69CiXLN-nu-wE7aThHIRHDqZq0iD7IKxCBlZvGYL0Q7TapGOHPvpdUW5bGhFe1gj77VWZLU6InaUSgPbzblu92H3aUU0VkHwR-qFsz3E3j-lxFMS8UkbtIfPKxHr_ULfp6759FtGG-6QCVoC-6nYyjKlu_U-25gaR8ybqGyNRiv6H9ysxSkor1KI5XjXFhJwlUxKLdyiYLZwEkJc5ApZ-AF2T_fRdJq7Na2NLhVJBxS0mgwZjgSv-Ya5iEb2DfVcx6bTdoT0kEnXsdUdNKmBNtRm4ApGNsjVlTeuTTCF4cRHc6Y-hssQoe-0hnGc32oVIsAceyxm4D6VgwrobzhDlXnjYEgMK4AYUjh9qp31yl0-LuuvkytdCXLrTb4pg3S8yjE1k0Y7y08DVRQJY5oQ7StFm5pIFccOkhyC1kBNE2tO2HjcY83TxzEGpIfgZvzKzhLSovl9bkCygV01l-5cCPObsgpU9rImczGZNrEvkM6Yxhcp3n0wcQU0ZWjSeXUF3VNO735XKZp41R7658Wd4pwF8DYXAogbP5K9M90s1WcEc10NzNvq381dSWymv-WD6GdwZsC8rUT4h9NsiWOudSR0kwImFS75FnYaUGRmRol5j98uTdPpdTTMDJlUv_6W4bO7EgIQIFnF-NqK31IRGAJ_zt727jnbSUBf6jqWI7MkEs0sH0wwrbKr0FShNcCJfIBjm_9enTyEgV-UivNFEfkMKJCeBoUYTZ4fMKZ0gSaiDz0c3arKlj7n0o2vZ_OY-B9pb9uonku8Sc17Qs5NEkTHn_zniIBcKV6Dw2WMmvqnb3VHlR3HT_xS5z3145WICy8SETlmYl9sbbnsm925GOJZ3PYHTn-uSNa9hrdXQvrkmU1zQn6zNtvJLlQEbT423M3IFBnWHmf0K6GbM5sLmkmxqdpEV9Uw6IOMQc2areHvHbrI6ZW0hglhQiav0k4jp7E-PvgvU0KDEfL4bRktITlPmATc0e0qNbJueWi79P3yES8T5I2rm5_2U2Mq_Q7AwC7SPpUlZIbv9_EO8B1v5kfOuj41cWtDG8crHD7RCGmZ9Bt51F0NNHywFCjBRHVh1er3zdxNjrI5VRnenQyrR3K8ToUu6wFf_ksIWf8oEp6fi-e2OXUqmAmLlablRTBmVZldV1xjKChF8ZKUatcUXNpZ0fXBsGbOcx6kAGfwrOkO2pB0I8rkdaAFccHbMt8GL12TMzZpZlSgMx2EI2KSS8lCaDWD9_sF", "connShortLink": "https://127.0.0.1/i#N2auY4G1JcC-W_CWSC2xsC027JbBOSlM/_ziFeeY0FvWlwpJs-zZ34DAuZXVMWA5cZAQ2u3l3td0?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "uiConnLinkType": "inv"}, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "fromContact", "newUser", "toContact"]
              properties:
                type: {"const": "contactUserChanged"}
                user: {"$ref": "#/components/schemas/User"}
                fromContact: {"$ref": "#/components/schemas/Contact"}
                newUser: {"$ref": "#/components/schemas/User"}
                toContact: {"$ref": "#/components/schemas/Contact"}
            response.contactsList:
              examples: [{"type": "contactsList", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contacts": [{"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "a2RyQkVqckh4d3FHNFhHMw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:42:11.783824887Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:42:12.230966003Z", "updatedAt": "2026-11-21T03:42:12.230966003Z", "chatTs": "2026-11-21T03:42:12.268014965Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}]}]
              type: "object"
              required: ["type", "user", "contacts"]
              properties:
                type: {"const": "contactsList"}
                user: {"$ref": "#/components/schemas/User"}
                contacts: {"type": "array", "items": {"$ref": "#/components/schemas/Contact"}}
            response.invitation:
              examples: [{"type": "invitation", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connLinkInvitation": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FOvsbFRhG4Ncjg0NgBXYaq_mUVqyWmdPN%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAaDKZ6-xdy23o1PtuSqeFcbtKL1Ukb5eqJueGzcN9Bgo%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAIMUnFqT1rSCB9yH32f-tSn6_12VI17FF0M_GqqxyeqLsWHSiptyBzfT8t_Z4IGIXrR1TbupxC5U%3D%2CMEIwBQYDK2VvAzkASUhuiItFK3j60ov6T9L_yBBYBS_2cd0p5LyGgst4ENv4tum5iUy1pGvE9ke4RCXxg0c4TTINng8%3D", "connShortLink": "https://127.0.0.1/i#g0-3dKrlMiTtU4VWZ3_3t9D-fxLbEVbx/dwloiQoSCmzqYF_Ze9ZDdPJiwL7kzjCfAgUwSfivURs?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "connection": {"pccConnId": 4, "pccAgentConnId": "OFhQcHBaR0YxMmloUmZOMQ==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FOvsbFRhG4Ncjg0NgBXYaq_mUVqyWmdPN%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAaDKZ6-xdy23o1PtuSqeFcbtKL1Ukb5eqJueGzcN9Bgo%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAIMUnFqT1rSCB9yH32f-tSn6_12VI17FF0M_GqqxyeqLsWHSiptyBzfT8t_Z4IGIXrR1TbupxC5U%3D%2CMEIwBQYDK2VvAzkASUhuiItFK3j60ov6T9L_yBBYBS_2cd0p5LyGgst4ENv4tum5iUy1pGvE9ke4RCXxg0c4TTINng8%3D", "connShortLink": "https://127.0.0.1/i#g0-3dKrlMiTtU4VWZ3_3t9D-fxLbEVbx/dwloiQoSCmzqYF_Ze9ZDdPJiwL7kzjCfAgUwSfivURs?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "", "createdAt": "2026-11-21T03:42:03.672263367Z", "updatedAt": "2026-11-21T03:42:03.672263367Z"}}]
              type: "object"
              required: ["type", "user", "connLinkInvitation", "connection"]
              properties:
                type: {"const": "invitation"}
                user: {"$ref": "#/components/schemas/User"}
                connLinkInvitation: {"$ref": "#/components/schemas/CreatedConnLink"}
                connection: {"$ref": "#/components/schemas/PendingContactConnection"}
            response.newPreparedChat:
              examples: [{"type": "newPreparedChat", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "dan", "profile": {"profileId": 1, "displayName": "dan", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chat": {"chatInfo": {"type": "direct", "contact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:40.271962243Z", "updatedAt": "2026-11-21T03:04:40.271962243Z", "chatTs": "2026-11-21T03:04:40.271962243Z", "preparedContact": {"connLinkToConnect": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2Fg6WzygYXbYrJfM8chxAqCruRbeSgfkhs%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAWCnU67x6sOrpC-sZP3FvqEFYQSBy0TbLYO4QFwQVi3k%253D%26q%3Dc", "connShortLink": "https://127.0.0.1/a#WXTGGQaziujnrbhNXeGDPvcyq-AEiF24m5bWrzy6v50?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "uiConnLinkType": "con"}, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}, "chatItems": [], "chatStats": {"unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": false}}}]
              type: "object"
              required: ["type", "user", "chat"]
              properties:
                type: {"const": "newPreparedChat"}
                user: {"$ref": "#/components/schemas/User"}
                chat: {"$ref": "#/components/schemas/AChat"}
            response.sentConfirmation:
              examples: [{"type": "sentConfirmation", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connection": {"pccConnId": 1, "pccAgentConnId": "dks0SUZwZnprUmlwUkFPNQ==", "pccConnStatus": "snd-ready", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FI4Nu3NCu3MXkkz85jFNP9EhBTLHO1lKv%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAob5Qp_Tsltk8_q3OsV0VFsdEATnNetKsHtBAO4YkOWM%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkA50xWsjmj8iEvq-33zhlYYmdOIgAlVCfTLWBDdiCeIH--FcKo9D84PYm-srpvU115y2Mo94jOkL0%3D%2CMEIwBQYDK2VvAzkAlLhwOKYf0ROjvzztjXz2vTM098XoXXzNR111fW0PFoaFHIapEF07upeEaghbr-EkDXWmMuYJeck%3D"}, "localAlias": "", "createdAt": "2026-11-21T03:41:40.1100434Z", "updatedAt": "2026-11-21T03:41:40.1100434Z"}}]
              type: "object"
              required: ["type", "user", "connection"]
              properties:
                type: {"const": "sentConfirmation"}
                user: {"$ref": "#/components/schemas/User"}
                connection: {"$ref": "#/components/schemas/PendingContactConnection"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            response.sentInvitation:
              examples: [{"type": "sentInvitation", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connection": {"pccConnId": 1, "pccAgentConnId": "UDBRRFRmMUpFTTBYMmJsWg==", "pccConnStatus": "joined", "viaContactUri": true, "localAlias": "", "createdAt": "2026-11-21T03:04:36.738332199Z", "updatedAt": "2026-11-21T03:04:36.738332199Z"}}]
              type: "object"
              required: ["type", "user", "connection"]
              properties:
                type: {"const": "sentInvitation"}
                user: {"$ref": "#/components/schemas/User"}
                connection: {"$ref": "#/components/schemas/PendingContactConnection"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            response.sentInvitationToContact:
              examples: [{"type": "sentInvitationToContact", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "V3V0U2ZCV1g3VGdmSkRUSA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 2, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:41:43.419086363Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:41:43.978152374Z", "updatedAt": "2026-11-21T03:41:43.978152374Z", "chatTs": "2026-11-21T03:42:04.604149094Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "sentInvitationToContact"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            response.startedConnectionToContact:
              examples: [{"type": "startedConnectionToContact", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "dan", "profile": {"profileId": 1, "displayName": "dan", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "WV9CckI2MWFCZW5UUFRGYg==", "connChatVersion": 8, "peerChatVRange": {"minVersion": 1, "maxVersion": 1}, "connLevel": 0, "viaGroupLink": false, "xContactId": "G1Nka5_pZfHckBQW_H_gWg==", "connType": "contact", "connStatus": "joined", "contactConnInitiated": true, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:04:40.296377578Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:04:40.271962243Z", "updatedAt": "2026-11-21T03:04:40.271962243Z", "chatTs": "2026-11-21T03:04:40.27645932Z", "preparedContact": {"connLinkToConnect": {"connFullLink": "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2Fg6WzygYXbYrJfM8chxAqCruRbeSgfkhs%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAWCnU67x6sOrpC-sZP3FvqEFYQSBy0TbLYO4QFwQVi3k%253D%26q%3Dc", "connShortLink": "https://127.0.0.1/a#WXTGGQaziujnrbhNXeGDPvcyq-AEiF24m5bWrzy6v50?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "uiConnLinkType": "con", "requestSharedMsgId": "VWkvQ3ZGS0FNc1ZaOEkycw=="}, "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "startedConnectionToContact"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                customUserProfile: {"$ref": "#/components/schemas/Profile"}
            Profile:
              type: "object"
              required: ["displayName", "fullName"]
              properties:
                displayName: {"type": "string"}
                fullName: {"type": "string"}
                shortDescr: {"type": "string"}
                description: {"type": "string"}
                image: {"type": "string"}
                contactLink: {"type": "string"}
                preferences: {"$ref": "#/components/schemas/Preferences"}
                peerType: {"$ref": "#/components/schemas/ChatPeerType"}
                badge: {"$ref": "#/components/schemas/BadgeProof"}
                contactDomain: {"$ref": "#/components/schemas/SimplexDomainClaim"}
            CreatedConnLink:
              type: "object"
              required: ["connFullLink"]
              properties: {"connFullLink": {"type": "string"}, "connShortLink": {"type": "string"}}
            PlanResolveMode: {"type": "string", "description": "One of allGroups, unknown, never; later versions may add."}
            Preferences:
              type: "object"
              properties:
                timedMessages: {"$ref": "#/components/schemas/TimedMessagesPreference"}
                fullDelete: {"$ref": "#/components/schemas/SimplePreference"}
                reactions: {"$ref": "#/components/schemas/SimplePreference"}
                voice: {"$ref": "#/components/schemas/SimplePreference"}
                files: {"$ref": "#/components/schemas/SimplePreference"}
                calls: {"$ref": "#/components/schemas/SimplePreference"}
                sessions: {"$ref": "#/components/schemas/SimplePreference"}
                commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
            Contact:
              type: "object"
              required:
                - "contactId"
                - "localDisplayName"
                - "profile"
                - "contactUsed"
                - "contactStatus"
                - "chatSettings"
                - "userPreferences"
                - "mergedPreferences"
                - "createdAt"
                - "updatedAt"
                - "contactGrpInvSent"
                - "chatTags"
                - "chatDeleted"
              properties:
                contactId: {"type": "integer", "format": "int64"}
                localDisplayName: {"type": "string"}
                profile: {"$ref": "#/components/schemas/LocalProfile"}
                activeConn: {"$ref": "#/components/schemas/Connection"}
                contactUsed: {"type": "boolean"}
                contactStatus: {"$ref": "#/components/schemas/ContactStatus"}
                chatSettings: {"$ref": "#/components/schemas/ChatSettings"}
                userPreferences: {"$ref": "#/components/schemas/Preferences"}
                mergedPreferences: {"$ref": "#/components/schemas/ContactUserPreferences"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
                chatTs: {"type": "string", "format": "date-time"}
                preparedContact: {"$ref": "#/components/schemas/PreparedContact"}
                contactRequestId: {"type": "integer", "format": "int64"}
                contactGroupMemberId: {"type": "integer", "format": "int64"}
                contactGrpInvSent: {"type": "boolean"}
                groupDirectInv: {"$ref": "#/components/schemas/GroupDirectInvitation"}
                chatTags: {"type": "array", "items": {"type": "integer", "format": "int64"}}
                chatItemTTL: {"type": "integer", "format": "int64"}
                uiThemes: {"$ref": "#/components/schemas/UIThemeEntityOverrides"}
                chatDeleted: {"type": "boolean"}
                customData: {"type": "object"}
            PendingContactConnection:
              type: "object"
              required:
                - "pccConnId"
                - "pccAgentConnId"
                - "pccConnStatus"
                - "viaContactUri"
                - "localAlias"
                - "createdAt"
                - "updatedAt"
              properties:
                pccConnId: {"type": "integer", "format": "int64"}
                pccAgentConnId: {"type": "string"}
                pccConnStatus: {"$ref": "#/components/schemas/ConnStatus"}
                viaContactUri: {"type": "boolean"}
                viaUserContactLink: {"type": "integer", "format": "int64"}
                groupLinkId: {"type": "string"}
                customUserProfileId: {"type": "integer", "format": "int64"}
                connLinkInv: {"$ref": "#/components/schemas/CreatedConnLink"}
                localAlias: {"type": "string"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
            ConnectionPlan:
              anyOf:
                - type: "object"
                  required: ["type", "invitationLinkPlan"]
                  properties:
                    type: {"const": "invitationLink"}
                    invitationLinkPlan: {"$ref": "#/components/schemas/InvitationLinkPlan"}
                - type: "object"
                  required: ["type", "contactAddressPlan"]
                  properties:
                    type: {"const": "contactAddress"}
                    contactAddressPlan: {"$ref": "#/components/schemas/ContactAddressPlan"}
                - type: "object"
                  required: ["type", "groupLinkPlan"]
                  properties: {"type": {"const": "groupLink"}, "groupLinkPlan": {"$ref": "#/components/schemas/GroupLinkPlan"}}
                - type: "object"
                  required: ["type", "chatError"]
                  properties: {"type": {"const": "error"}, "chatError": {"$ref": "#/components/schemas/ChatError"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["invitationLink", "contactAddress", "groupLink", "error"]}}}
            ChatPeerType: {"type": "string", "description": "One of human, bot; later versions may add."}
            TimedMessagesPreference:
              type: "object"
              required: ["allow"]
              properties: {"allow": {"$ref": "#/components/schemas/FeatureAllowed"}, "ttl": {"type": "integer"}}
            SimplePreference:
              type: "object"
              required: ["allow"]
              properties: {"allow": {"$ref": "#/components/schemas/FeatureAllowed"}}
            ChatBotCommand:
              anyOf:
                - type: "object"
                  required: ["type", "keyword", "label"]
                  properties:
                    type: {"const": "command"}
                    keyword: {"type": "string"}
                    label: {"type": "string"}
                    params: {"type": "string"}
                - type: "object"
                  required: ["type", "label", "commands"]
                  properties:
                    type: {"const": "menu"}
                    label: {"type": "string"}
                    commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["command", "menu"]}}}
            LocalProfile:
              type: "object"
              required: ["displayName", "fullName"]
              properties:
                profileId: {"type": "integer", "format": "int64"}
                displayName: {"type": "string"}
                fullName: {"type": "string"}
                shortDescr: {"type": "string"}
                description: {"type": "string"}
                image: {"type": "string"}
                contactLink: {"type": "string"}
                preferences: {"$ref": "#/components/schemas/Preferences"}
                peerType: {"$ref": "#/components/schemas/ChatPeerType"}
                localBadge: {"$ref": "#/components/schemas/LocalBadge"}
                localAlias: {"type": "string"}
                contactDomain: {"$ref": "#/components/schemas/SimplexDomainClaim"}
                contactDomainVerified: {"type": "boolean"}
            FullPreferences:
              type: "object"
              required: ["timedMessages", "fullDelete", "reactions", "voice", "files", "calls", "sessions", "commands"]
              properties:
                timedMessages: {"$ref": "#/components/schemas/TimedMessagesPreference"}
                fullDelete: {"$ref": "#/components/schemas/SimplePreference"}
                reactions: {"$ref": "#/components/schemas/SimplePreference"}
                voice: {"$ref": "#/components/schemas/SimplePreference"}
                files: {"$ref": "#/components/schemas/SimplePreference"}
                calls: {"$ref": "#/components/schemas/SimplePreference"}
                sessions: {"$ref": "#/components/schemas/SimplePreference"}
                commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
            Connection:
              type: "object"
              required:
                - "connId"
                - "agentConnId"
                - "connChatVersion"
                - "peerChatVRange"
                - "connLevel"
                - "viaGroupLink"
                - "connType"
                - "connStatus"
                - "contactConnInitiated"
                - "localAlias"
                - "pqSupport"
                - "pqEncryption"
                - "authErrCounter"
                - "quotaErrCounter"
                - "createdAt"
              properties:
                connId: {"type": "integer", "format": "int64"}
                agentConnId: {"type": "string"}
                connChatVersion: {"type": "integer"}
                peerChatVRange: {"$ref": "#/components/schemas/VersionRange"}
                connLevel: {"type": "integer"}
                viaContact: {"type": "integer", "format": "int64"}
                viaUserContactLink: {"type": "integer", "format": "int64"}
                viaGroupLink: {"type": "boolean"}
                groupLinkId: {"type": "string"}
                xContactId: {"type": "string"}
                customUserProfileId: {"type": "integer", "format": "int64"}
                connType: {"$ref": "#/components/schemas/ConnType"}
                connStatus: {"$ref": "#/components/schemas/ConnStatus"}
                contactConnInitiated: {"type": "boolean"}
                localAlias: {"type": "string"}
                entityId: {"type": "integer", "format": "int64"}
                connectionCode: {"$ref": "#/components/schemas/SecurityCode"}
                pqSupport: {"type": "boolean"}
                pqEncryption: {"type": "boolean"}
                pqSndEnabled: {"type": "boolean"}
                pqRcvEnabled: {"type": "boolean"}
                authErrCounter: {"type": "integer"}
                quotaErrCounter: {"type": "integer"}
                createdAt: {"type": "string", "format": "date-time"}
            ContactStatus: {"type": "string", "description": "One of active, deleted, deletedByUser; later versions may add."}
            ChatSettings:
              type: "object"
              required: ["enableNtfs", "favorite"]
              properties:
                enableNtfs: {"$ref": "#/components/schemas/MsgFilter"}
                sendRcpts: {"type": "boolean"}
                favorite: {"type": "boolean"}
            ContactUserPreferences:
              type: "object"
              required: ["timedMessages", "fullDelete", "reactions", "voice", "files", "calls", "sessions"]
              properties:
                timedMessages: {"$ref": "#/components/schemas/ContactUserPreference"}
                fullDelete: {"$ref": "#/components/schemas/ContactUserPreference"}
                reactions: {"$ref": "#/components/schemas/ContactUserPreference"}
                voice: {"$ref": "#/components/schemas/ContactUserPreference"}
                files: {"$ref": "#/components/schemas/ContactUserPreference"}
                calls: {"$ref": "#/components/schemas/ContactUserPreference"}
                sessions: {"$ref": "#/components/schemas/ContactUserPreference"}
                commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
            PreparedContact:
              type: "object"
              required: ["connLinkToConnect", "uiConnLinkType"]
              properties:
                connLinkToConnect: {"$ref": "#/components/schemas/CreatedConnLink"}
                uiConnLinkType: {"$ref": "#/components/schemas/ConnectionMode"}
                welcomeSharedMsgId: {"type": "string"}
                requestSharedMsgId: {"type": "string"}
            ConnStatus:
              type: "string"
              description: "One of new, prepared, joined, requested, accepted, snd-ready, ready, deleted, failed; later versions may add."
            InvitationLinkPlan:
              anyOf:
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "ok"}
                    contactSLinkData_: {"$ref": "#/components/schemas/ContactShortLinkData"}
                    ownerVerification: {"$ref": "#/components/schemas/OwnerVerification"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "ownLink"}}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "connecting"}, "contact_": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "known"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["ok", "ownLink", "connecting", "known"]}}}
            VersionRange:
              type: "object"
              required: ["minVersion", "maxVersion"]
              properties: {"minVersion": {"type": "integer"}, "maxVersion": {"type": "integer"}}
            FeatureAllowed: {"type": "string", "description": "One of always, yes, no; later versions may add."}
            ConnType: {"type": "string", "description": "One of contact, member, user_contact; later versions may add."}
            ContactUserPreference:
              type: "object"
              required: ["enabled", "userPreference", "contactPreference"]
              properties:
                enabled: {"$ref": "#/components/schemas/PrefEnabled"}
                userPreference: {"$ref": "#/components/schemas/ContactUserPref"}
                contactPreference: {"$ref": "#/components/schemas/SimplePreference"}
            ConnectionMode: {"type": "string", "description": "One of inv, con; later versions may add."}
            ConnectionEntity:
              anyOf:
                - type: "object"
                  required: ["type", "entityConnection"]
                  properties:
                    type: {"const": "rcvDirectMsgConnection"}
                    entityConnection: {"$ref": "#/components/schemas/Connection"}
                    contact: {"$ref": "#/components/schemas/Contact"}
                - type: "object"
                  required: ["type", "entityConnection", "groupInfo", "groupMember"]
                  properties:
                    type: {"const": "rcvGroupMsgConnection"}
                    entityConnection: {"$ref": "#/components/schemas/Connection"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    groupMember: {"$ref": "#/components/schemas/GroupMember"}
                - type: "object"
                  required: ["type", "entityConnection", "userContact"]
                  properties:
                    type: {"const": "userContactConnection"}
                    entityConnection: {"$ref": "#/components/schemas/Connection"}
                    userContact: {"$ref": "#/components/schemas/UserContact"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["rcvDirectMsgConnection", "rcvGroupMsgConnection", "userContactConnection"]}}
            PrefEnabled:
              type: "object"
              required: ["forUser", "forContact"]
              properties: {"forUser": {"type": "boolean"}, "forContact": {"type": "boolean"}}
            ContactUserPref:
              anyOf:
                - type: "object"
                  required: ["type", "preference"]
                  properties: {"type": {"const": "contact"}, "preference": {"$ref": "#/components/schemas/SimplePreference"}}
                - type: "object"
                  required: ["type", "preference"]
                  properties: {"type": {"const": "user"}, "preference": {"$ref": "#/components/schemas/SimplePreference"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["contact", "user"]}}}
            response.archiveExported:
              examples: [{"type": "archiveExported", "archiveErrors": []}]
              type: "object"
              required: ["type", "archiveErrors"]
              properties:
                type: {"const": "archiveExported"}
                archiveErrors: {"type": "array", "items": {"$ref": "#/components/schemas/ArchiveError"}}
            response.archiveImported:
              examples: [{"type": "archiveImported", "archiveErrors": [{"type": "fileError", "file": "simplex_v1_files/picture.jpg", "fileError": "file name"}]}]
              type: "object"
              required: ["type", "archiveErrors"]
              properties:
                type: {"const": "archiveImported"}
                archiveErrors: {"type": "array", "items": {"$ref": "#/components/schemas/ArchiveError"}}
            ArchiveError:
              anyOf:
                - type: "object"
                  required: ["type", "importError"]
                  properties: {"type": {"const": "import"}, "importError": {"type": "string"}}
                - type: "object"
                  required: ["type", "file", "fileError"]
                  properties: {"type": {"const": "fileError"}, "file": {"type": "string"}, "fileError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["import", "fileError"]}}}
            ConnectionStats:
              type: "object"
              required: ["connAgentVersion", "rcvQueuesInfo", "sndQueuesInfo", "ratchetSyncState", "ratchetSyncSupported"]
              properties:
                connAgentVersion: {"type": "integer"}
                rcvQueuesInfo: {"type": "array", "items": {"$ref": "#/components/schemas/RcvQueueInfo"}}
                sndQueuesInfo: {"type": "array", "items": {"$ref": "#/components/schemas/SndQueueInfo"}}
                ratchetSyncState: {"$ref": "#/components/schemas/RatchetSyncState"}
                ratchetSyncSupported: {"type": "boolean"}
                subStatus: {"$ref": "#/components/schemas/SubscriptionStatus"}
            RcvQueueInfo:
              type: "object"
              required: ["rcvServer", "canAbortSwitch"]
              properties:
                rcvServer: {"type": "string"}
                status: {"$ref": "#/components/schemas/QueueStatus"}
                rcvSwitchStatus: {"$ref": "#/components/schemas/RcvSwitchStatus"}
                canAbortSwitch: {"type": "boolean"}
                subStatus: {"$ref": "#/components/schemas/SubscriptionStatus"}
            SndQueueInfo:
              type: "object"
              required: ["sndServer"]
              properties:
                sndServer: {"type": "string"}
                status: {"$ref": "#/components/schemas/QueueStatus"}
                sndSwitchStatus: {"$ref": "#/components/schemas/SndSwitchStatus"}
            QueueStatus:
              type: "string"
              description: "One of new, confirmed, secured, active, disabled; later versions may add."
            response.versionInfo:
              examples: [{"type": "versionInfo", "versionInfo": {"version": "0.1.0", "simplexmqVersion": "0.1.0", "simplexmqCommit": ""}, "chatMigrations": [{"upName": "20261121_journal", "withDown": false}, {"upName": "20261121_users", "withDown": false}], "agentMigrations": [{"upName": "20261121_agent", "withDown": false}]}]
              type: "object"
              required: ["type", "versionInfo", "chatMigrations", "agentMigrations"]
              properties:
                type: {"const": "versionInfo"}
                versionInfo: {"$ref": "#/components/schemas/CoreVersionInfo"}
                chatMigrations: {"type": "array", "items": {"$ref": "#/components/schemas/UpMigration"}}
                agentMigrations: {"type": "array", "items": {"$ref": "#/components/schemas/UpMigration"}}
            response.agentSubsTotal:
              examples: [{"type": "agentSubsTotal", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "subsTotal": {"ssActive": 3, "ssPending": 0}, "hasSession": true}]
              type: "object"
              required: ["type", "user", "subsTotal", "hasSession"]
              properties:
                type: {"const": "agentSubsTotal"}
                user: {"$ref": "#/components/schemas/User"}
                subsTotal: {"$ref": "#/components/schemas/SMPServerSubs"}
                hasSession: {"type": "boolean"}
            response.agentServersSummary:
              examples: [{"type": "agentServersSummary", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "serversSummary": {"statsStartedAt": "2026-11-21T13:54:12Z", "allUsersSMP": {"smpTotals": {"sessions": {"ssConnected": 2, "ssErrors": 0, "ssConnecting": 0}, "subs": {"ssActive": 4, "ssPending": 0}, "stats": {"_sentDirect": 13, "_sentViaProxy": 0, "_sentProxied": 0, "_sentDirectAttempts": 13, "_sentViaProxyAttempts": 0, "_sentProxiedAttempts": 0, "_sentAuthErrs": 0, "_sentQuotaErrs": 0, "_sentExpiredErrs": 0, "_sentOtherErrs": 0, "_recvMsgs": 13, "_recvDuplicates": 0, "_recvCryptoErrs": 0, "_recvErrs": 0, "_ackMsgs": 13, "_ackAttempts": 13, "_ackNoMsgErrs": 0, "_ackOtherErrs": 0, "_connCreated": 4, "_connSecured": 0, "_connCompleted": 0, "_connDeleted": 0, "_connDelAttempts": 0, "_connDelErrs": 0, "_connSubscribed": 0, "_connSubAttempts": 0, "_connSubIgnored": 0, "_connSubErrs": 0, "_ntfKey": 0, "_ntfKeyAttempts": 0, "_ntfKeyDeleted": 0, "_ntfKeyDeleteAttempts": 0}}, "currentlyUsedSMPServers": [{"smpServer": "smp://1hpktu2wk5nKT52nenUpOcqXIJNPzcfh0CxrW7-5bDQ=@127.0.0.1:38145", "sessions": {"ssConnected": 2, "ssErrors": 0, "ssConnecting": 0}, "subs": {"ssActive": 4, "ssPending": 0}, "stats": {"_sentDirect": 13, "_sentViaProxy": 0, "_sentProxied": 0, "_sentDirectAttempts": 13, "_sentViaProxyAttempts": 0, "_sentProxiedAttempts": 0, "_sentAuthErrs": 0, "_sentQuotaErrs": 0, "_sentExpiredErrs": 0, "_sentOtherErrs": 0, "_recvMsgs": 13, "_recvDuplicates": 0, "_recvCryptoErrs": 0, "_recvErrs": 0, "_ackMsgs": 13, "_ackAttempts": 13, "_ackNoMsgErrs": 0, "_ackOtherErrs": 0, "_connCreated": 4, "_connSecured": 0, "_connCompleted": 0, "_connDeleted": 0, "_connDelAttempts": 0, "_connDelErrs": 0, "_connSubscribed": 0, "_connSubAttempts": 0, "_connSubIgnored": 0, "_connSubErrs": 0, "_ntfKey": 0, "_ntfKeyAttempts": 0, "_ntfKeyDeleted": 0, "_ntfKeyDeleteAttempts": 0}}], "previouslyUsedSMPServers": [], "onlyProxiedSMPServers": []}, "allUsersXFTP": {"xftpTotals": {"sessions": {"ssConnected": 0, "ssErrors": 0, "ssConnecting": 0}, "stats": {"_uploads": 0, "_uploadsSize": 0, "_uploadAttempts": 0, "_uploadErrs": 0, "_downloads": 0, "_downloadsSize": 0, "_downloadAttempts": 0, "_downloadAuthErrs": 0, "_downloadErrs": 0, "_deletions": 0, "_deleteAttempts": 0, "_deleteErrs": 0}}, "currentlyUsedXFTPServers": [], "previouslyUsedXFTPServers": []}, "allUsersNtf": {"ntfTotals": {"sessions": {"ssConnected": 0, "ssErrors": 0, "ssConnecting": 0}, "stats": {"_ntfCreated": 0, "_ntfCreateAttempts": 0, "_ntfChecked": 0, "_ntfCheckAttempts": 0, "_ntfDeleted": 0, "_ntfDelAttempts": 0}}, "currentlyUsedNtfServers": [], "previouslyUsedNtfServers": []}, "currentUserSMP": {"smpTotals": {"sessions": {"ssConnected": 1, "ssErrors": 0, "ssConnecting": 0}, "subs": {"ssActive": 3, "ssPending": 0}, "stats": {"_sentDirect": 9, "_sentViaProxy": 0, "_sentProxied": 0, "_sentDirectAttempts": 9, "_sentViaProxyAttempts": 0, "_sentProxiedAttempts": 0, "_sentAuthErrs": 0, "_sentQuotaErrs": 0, "_sentExpiredErrs": 0, "_sentOtherErrs": 0, "_recvMsgs": 4, "_recvDuplicates": 0, "_recvCryptoErrs": 0, "_recvErrs": 0, "_ackMsgs": 4, "_ackAttempts": 4, "_ackNoMsgErrs": 0, "_ackOtherErrs": 0, "_connCreated": 3, "_connSecured": 0, "_connCompleted": 0, "_connDeleted": 0, "_connDelAttempts": 0, "_connDelErrs": 0, "_connSubscribed": 0, "_connSubAttempts": 0, "_connSubIgnored": 0, "_connSubErrs": 0, "_ntfKey": 0, "_ntfKeyAttempts": 0, "_ntfKeyDeleted": 0, "_ntfKeyDeleteAttempts": 0}}, "currentlyUsedSMPServers": [{"smpServer": "smp://1hpktu2wk5nKT52nenUpOcqXIJNPzcfh0CxrW7-5bDQ=@127.0.0.1:38145", "known": true, "sessions": {"ssConnected": 1, "ssErrors": 0, "ssConnecting": 0}, "subs": {"ssActive": 3, "ssPending": 0}, "stats": {"_sentDirect": 9, "_sentViaProxy": 0, "_sentProxied": 0, "_sentDirectAttempts": 9, "_sentViaProxyAttempts": 0, "_sentProxiedAttempts": 0, "_sentAuthErrs": 0, "_sentQuotaErrs": 0, "_sentExpiredErrs": 0, "_sentOtherErrs": 0, "_recvMsgs": 4, "_recvDuplicates": 0, "_recvCryptoErrs": 0, "_recvErrs": 0, "_ackMsgs": 4, "_ackAttempts": 4, "_ackNoMsgErrs": 0, "_ackOtherErrs": 0, "_connCreated": 3, "_connSecured": 0, "_connCompleted": 0, "_connDeleted": 0, "_connDelAttempts": 0, "_connDelErrs": 0, "_connSubscribed": 0, "_connSubAttempts": 0, "_connSubIgnored": 0, "_connSubErrs": 0, "_ntfKey": 0, "_ntfKeyAttempts": 0, "_ntfKeyDeleted": 0, "_ntfKeyDeleteAttempts": 0}}], "previouslyUsedSMPServers": [], "onlyProxiedSMPServers": []}, "currentUserXFTP": {"xftpTotals": {"sessions": {"ssConnected": 0, "ssErrors": 0, "ssConnecting": 0}, "stats": {"_uploads": 0, "_uploadsSize": 0, "_uploadAttempts": 0, "_uploadErrs": 0, "_downloads": 0, "_downloadsSize": 0, "_downloadAttempts": 0, "_downloadAuthErrs": 0, "_downloadErrs": 0, "_deletions": 0, "_deleteAttempts": 0, "_deleteErrs": 0}}, "currentlyUsedXFTPServers": [], "previouslyUsedXFTPServers": []}, "currentUserNtf": {"ntfTotals": {"sessions": {"ssConnected": 0, "ssErrors": 0, "ssConnecting": 0}, "stats": {"_ntfCreated": 0, "_ntfCreateAttempts": 0, "_ntfChecked": 0, "_ntfCheckAttempts": 0, "_ntfDeleted": 0, "_ntfDelAttempts": 0}}, "currentlyUsedNtfServers": [], "previouslyUsedNtfServers": []}}}]
              type: "object"
              required: ["type", "user", "serversSummary"]
              properties:
                type: {"const": "agentServersSummary"}
                user: {"$ref": "#/components/schemas/User"}
                serversSummary: {"$ref": "#/components/schemas/PresentedServersSummary"}
            response.queueInfo:
              examples: [{"type": "queueInfo", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "queueInfo": {"server": "smp://1hpktu2wk5nKT52nenUpOcqXIJNPzcfh0CxrW7-5bDQ=@127.0.0.1:38145", "rcvId": "l/9EZ2Vgi1QxxRqx3yJoy8auDYLXJw5O", "sndId": "YDAlTmtq9Egw7Y2G0xzKXfpxLrZ+pcdX", "status": "active", "info": {"qiSnd": true, "qiNtf": false, "qiSub": {"qSubThread": "noSub"}, "qiSize": 0}}}]
              type: "object"
              required: ["type", "user", "queueInfo"]
              properties:
                type: {"const": "queueInfo"}
                user: {"$ref": "#/components/schemas/User"}
                queueInfo: {"$ref": "#/components/schemas/ServerQueueInfo"}
                rcvMsgInfo: {"type": "object"}
            response.networkStatuses:
              examples: [{"type": "networkStatuses", "networkStatuses": [{"agentConnId": "S3JLU0VGRm9Cc1lNYUJhQQ==", "networkStatus": {"type": "connected"}}, {"agentConnId": "X2VnU0VZbHNhR0Jpazk1Ug==", "networkStatus": {"type": "connected"}}]}]
              type: "object"
              required: ["type", "networkStatuses"]
              properties:
                type: {"const": "networkStatuses"}
                networkStatuses: {"type": "array", "items": {"$ref": "#/components/schemas/ConnNetworkStatus"}}
                user_: {"$ref": "#/components/schemas/User"}
            CoreVersionInfo:
              type: "object"
              required: ["version", "simplexmqVersion", "simplexmqCommit"]
              properties:
                version: {"type": "string"}
                simplexmqVersion: {"type": "string"}
                simplexmqCommit: {"type": "string"}
            UpMigration:
              type: "object"
              required: ["upName", "withDown"]
              properties:
                upName: {"type": "string"}
                withDown: {"type": "boolean"}
            SMPServerSubs:
              type: "object"
              required: ["ssActive", "ssPending"]
              properties:
                ssActive: {"type": "integer"}
                ssPending: {"type": "integer"}
            ServerSessions:
              type: "object"
              required: ["ssConnected", "ssErrors", "ssConnecting"]
              properties:
                ssConnected: {"type": "integer"}
                ssErrors: {"type": "integer"}
                ssConnecting: {"type": "integer"}
            PresentedServersSummary:
              type: "object"
              required: ["statsStartedAt", "allUsersSMP", "allUsersXFTP", "allUsersNtf", "currentUserSMP", "currentUserXFTP", "currentUserNtf"]
              properties:
                statsStartedAt: {"type": "string", "format": "date-time"}
                allUsersSMP: {"$ref": "#/components/schemas/SMPServersSummary"}
                allUsersXFTP: {"type": "object"}
                allUsersNtf: {"type": "object"}
                currentUserSMP: {"$ref": "#/components/schemas/SMPServersSummary"}
                currentUserXFTP: {"type": "object"}
                currentUserNtf: {"type": "object"}
            SMPServersSummary:
              type: "object"
              required: ["smpTotals", "currentlyUsedSMPServers", "previouslyUsedSMPServers", "onlyProxiedSMPServers"]
              properties:
                smpTotals: {"$ref": "#/components/schemas/SMPTotals"}
                currentlyUsedSMPServers: {"type": "array", "items": {"$ref": "#/components/schemas/SMPServerSummary"}}
                previouslyUsedSMPServers: {"type": "array", "items": {"$ref": "#/components/schemas/SMPServerSummary"}}
                onlyProxiedSMPServers: {"type": "array", "items": {"$ref": "#/components/schemas/SMPServerSummary"}}
            SMPTotals:
              type: "object"
              required: ["sessions", "subs", "stats"]
              properties:
                sessions: {"$ref": "#/components/schemas/ServerSessions"}
                subs: {"$ref": "#/components/schemas/SMPServerSubs"}
                stats: {"$ref": "#/components/schemas/AgentSMPServerStatsData"}
            SMPServerSummary:
              type: "object"
              required: ["smpServer"]
              properties:
                smpServer: {"type": "string"}
                known: {"type": "boolean"}
                sessions: {"$ref": "#/components/schemas/ServerSessions"}
                subs: {"$ref": "#/components/schemas/SMPServerSubs"}
                stats: {"$ref": "#/components/schemas/AgentSMPServerStatsData"}
            AgentSMPServerStatsData: {"type": "object", "description": "Counts of what was sent, received, acknowledged, made and deleted.", "additionalProperties": {"type": "integer"}}
            ServerQueueInfo:
              type: "object"
              required: ["server", "rcvId", "sndId", "status", "info"]
              properties:
                server: {"type": "string"}
                rcvId: {"type": "string"}
                sndId: {"type": "string"}
                ntfId: {"type": "string"}
                status: {"type": "string"}
                info: {"$ref": "#/components/schemas/QueueInfo"}
            QueueInfo:
              type: "object"
              description: "A queue as its relay sees it: whether it is secured, has a notifier, is subscribed to, and what waits in it."
              required: ["qiSnd", "qiNtf", "qiSize"]
              properties:
                qiSnd: {"type": "boolean"}
                qiNtf: {"type": "boolean"}
                qiSub: {"type": "object"}
                qiSize: {"type": "integer"}
                qiMsg: {"type": "object"}
            ConnNetworkStatus:
              type: "object"
              required: ["agentConnId", "networkStatus"]
              properties:
                agentConnId: {"type": "string"}
                networkStatus: {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "description": "One of unknown, connected, disconnected, error; later versions may add."}}}
            ChatError:
              anyOf:
                - type: "object"
                  required: ["type", "errorType"]
                  properties: {"type": {"const": "error"}, "errorType": {"$ref": "#/components/schemas/ChatErrorType"}}
                - type: "object"
                  required: ["type", "agentError"]
                  properties:
                    type: {"const": "errorAgent"}
                    agentError: {"$ref": "#/components/schemas/AgentErrorType"}
                    agentConnId: {"type": "string"}
                    connectionEntity_: {"$ref": "#/components/schemas/ConnectionEntity"}
                - type: "object"
                  required: ["type", "storeError"]
                  properties: {"type": {"const": "errorStore"}, "storeError": {"$ref": "#/components/schemas/StoreError"}}
                - type: "object"
                  required: ["type", "databaseError"]
                  properties:
                    type: {"const": "errorDatabase"}
                    databaseError: {"$ref": "#/components/schemas/DatabaseError"}
                - type: "object"
                  required: ["type", "remoteCtrlError"]
                  properties:
                    type: {"const": "errorRemoteCtrl"}
                    remoteCtrlError: {"$ref": "#/components/schemas/RemoteCtrlError"}
                - type: "object"
                  required: ["type", "rhKey", "remoteHostError"]
                  properties:
                    type: {"const": "errorRemoteHost"}
                    rhKey: {"$ref": "#/components/schemas/RHKey"}
                    remoteHostError: {"$ref": "#/components/schemas/RemoteHostError"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum: ["error", "errorAgent", "errorStore", "errorDatabase", "errorRemoteCtrl", "errorRemoteHost"]
            ChatErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noActiveUser"}}}
                - type: "object"
                  required: ["type", "agentConnId"]
                  properties: {"type": {"const": "noConnectionUser"}, "agentConnId": {"type": "string"}}
                - type: "object"
                  required: ["type", "agentSndFileId"]
                  properties: {"type": {"const": "noSndFileUser"}, "agentSndFileId": {"type": "string"}}
                - type: "object"
                  required: ["type", "agentRcvFileId"]
                  properties: {"type": {"const": "noRcvFileUser"}, "agentRcvFileId": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userUnknown"}}}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "userExists"}, "contactName": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatRelayExists"}}}
                - type: "object"
                  required: ["type", "commandUserId", "activeUserId"]
                  properties:
                    type: {"const": "differentActiveUser"}
                    commandUserId: {"type": "integer", "format": "int64"}
                    activeUserId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "cantDeleteActiveUser"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "cantDeleteLastUser"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "cantHideLastUser"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "hiddenUserAlwaysMuted"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "emptyUserPassword"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "userAlreadyHidden"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "userNotHidden"}, "userId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "displayName", "validName"]
                  properties:
                    type: {"const": "invalidDisplayName"}
                    displayName: {"type": "string"}
                    validName: {"type": "string"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatNotStarted"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatNotStopped"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatStoreChanged"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidConnReq"}}}
                - type: "object"
                  required: ["type", "simplexDomain", "simplexDomainError"]
                  properties:
                    type: {"const": "simplexDomainNotReady"}
                    simplexDomain: {"$ref": "#/components/schemas/SimplexDomain"}
                    simplexDomainError: {"$ref": "#/components/schemas/SimplexDomainError"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "notResolvedLocally"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unsupportedConnReq"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "connReqMessageProhibited"}}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "contactNotReady"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "contactNotActive"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "contactDisabled"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "connection"]
                  properties:
                    type: {"const": "connectionDisabled"}
                    connection: {"$ref": "#/components/schemas/Connection"}
                - type: "object"
                  required: ["type", "groupInfo", "requiredRole"]
                  properties:
                    type: {"const": "groupUserRole"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    requiredRole: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "groupInfo", "initialRole"]
                  properties:
                    type: {"const": "groupMemberInitialRole"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    initialRole: {"$ref": "#/components/schemas/GroupMemberRole"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "contactIncognitoCantInvite"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupIncognitoCantInvite"}}}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "groupContactRole"}, "contactName": {"type": "string"}}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "groupDuplicateMember"}, "contactName": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupDuplicateMemberId"}}}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties: {"type": {"const": "groupNotJoined"}, "groupInfo": {"$ref": "#/components/schemas/GroupInfo"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupMemberNotActive"}}}
                - type: "object"
                  required: ["type", "groupInfo", "member", "setShowMessages"]
                  properties:
                    type: {"const": "cantBlockMemberForSelf"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    member: {"$ref": "#/components/schemas/GroupMember"}
                    setShowMessages: {"type": "boolean"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupMemberUserRemoved"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupMemberNotFound"}}}
                - type: "object"
                  required: ["type", "groupInfo", "contactName"]
                  properties:
                    type: {"const": "groupCantResendInvitation"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    contactName: {"type": "string"}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "groupInternal"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "fileNotFound"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "filePath"]
                  properties: {"type": {"const": "fileSize"}, "filePath": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "fileAlreadyReceiving"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "fileCancelled"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileId", "message"]
                  properties:
                    type: {"const": "fileCancel"}
                    fileId: {"type": "integer", "format": "int64"}
                    message: {"type": "string"}
                - type: "object"
                  required: ["type", "filePath"]
                  properties: {"type": {"const": "fileAlreadyExists"}, "filePath": {"type": "string"}}
                - type: "object"
                  required: ["type", "filePath", "message"]
                  properties: {"type": {"const": "fileWrite"}, "filePath": {"type": "string"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileId", "agentError"]
                  properties:
                    type: {"const": "fileSend"}
                    fileId: {"type": "integer", "format": "int64"}
                    agentError: {"$ref": "#/components/schemas/AgentErrorType"}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "fileRcvChunk"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "fileInternal"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "filePath"]
                  properties: {"type": {"const": "fileImageType"}, "filePath": {"type": "string"}}
                - type: "object"
                  required: ["type", "filePath"]
                  properties: {"type": {"const": "fileImageSize"}, "filePath": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "fileNotReceived"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId", "unknownServers"]
                  properties:
                    type: {"const": "fileNotApproved"}
                    fileId: {"type": "integer", "format": "int64"}
                    unknownServers: {"type": "array", "items": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "fallbackToSMPProhibited"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "inlineFileProhibited"}, "fileId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidForward"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidChatItemUpdate"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidChatItemDelete"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "hasCurrentCall"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noCurrentCall"}}}
                - type: "object"
                  required: ["type", "contactId"]
                  properties: {"type": {"const": "callContact"}, "contactId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "direction", "contact"]
                  properties:
                    type: {"const": "directMessagesProhibited"}
                    direction: {"$ref": "#/components/schemas/MsgDirection"}
                    contact: {"$ref": "#/components/schemas/Contact"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "agentVersion"}}}
                - type: "object"
                  required: ["type", "agentConnId"]
                  properties: {"type": {"const": "agentNoSubResult"}, "agentConnId": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "commandError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "agentCommandError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "invalidFileDescription"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "connectionIncognitoChangeProhibited"}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "connectionUserChangeProhibited"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "peerChatVRangeIncompatible"}}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "relayTestError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "internalError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "exception"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "connection", "messageData", "message"]
                  properties:
                    type: {"const": "invalidChatMessage"}
                    connection: {"$ref": "#/components/schemas/Connection"}
                    msgMeta: {"$ref": "#/components/schemas/MsgMetaJSON"}
                    messageData: {"type": "string"}
                    message: {"type": "string"}
                - type: "object"
                  required: ["type", "contactName"]
                  properties:
                    type: {"const": "contactNotFound"}
                    contactName: {"type": "string"}
                    suspectedMember: {"type": "array", "items": {}}
                - type: "object"
                  required: ["type", "currentCallState"]
                  properties:
                    type: {"const": "callState"}
                    currentCallState: {"$ref": "#/components/schemas/CallStateTag"}
                - type: "object"
                  required: ["type", "serverProtocol"]
                  properties:
                    type: {"const": "serverProtocol"}
                    serverProtocol: {"$ref": "#/components/schemas/ServerProtocol"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "noActiveUser"
                          - "noConnectionUser"
                          - "noSndFileUser"
                          - "noRcvFileUser"
                          - "userUnknown"
                          - "userExists"
                          - "chatRelayExists"
                          - "differentActiveUser"
                          - "cantDeleteActiveUser"
                          - "cantDeleteLastUser"
                          - "cantHideLastUser"
                          - "hiddenUserAlwaysMuted"
                          - "emptyUserPassword"
                          - "userAlreadyHidden"
                          - "userNotHidden"
                          - "invalidDisplayName"
                          - "chatNotStarted"
                          - "chatNotStopped"
                          - "chatStoreChanged"
                          - "invalidConnReq"
                          - "simplexDomainNotReady"
                          - "notResolvedLocally"
                          - "unsupportedConnReq"
                          - "connReqMessageProhibited"
                          - "contactNotReady"
                          - "contactNotActive"
                          - "contactDisabled"
                          - "connectionDisabled"
                          - "groupUserRole"
                          - "groupMemberInitialRole"
                          - "contactIncognitoCantInvite"
                          - "groupIncognitoCantInvite"
                          - "groupContactRole"
                          - "groupDuplicateMember"
                          - "groupDuplicateMemberId"
                          - "groupNotJoined"
                          - "groupMemberNotActive"
                          - "cantBlockMemberForSelf"
                          - "groupMemberUserRemoved"
                          - "groupMemberNotFound"
                          - "groupCantResendInvitation"
                          - "groupInternal"
                          - "fileNotFound"
                          - "fileSize"
                          - "fileAlreadyReceiving"
                          - "fileCancelled"
                          - "fileCancel"
                          - "fileAlreadyExists"
                          - "fileWrite"
                          - "fileSend"
                          - "fileRcvChunk"
                          - "fileInternal"
                          - "fileImageType"
                          - "fileImageSize"
                          - "fileNotReceived"
                          - "fileNotApproved"
                          - "fallbackToSMPProhibited"
                          - "inlineFileProhibited"
                          - "invalidForward"
                          - "invalidChatItemUpdate"
                          - "invalidChatItemDelete"
                          - "hasCurrentCall"
                          - "noCurrentCall"
                          - "callContact"
                          - "directMessagesProhibited"
                          - "agentVersion"
                          - "agentNoSubResult"
                          - "commandError"
                          - "agentCommandError"
                          - "invalidFileDescription"
                          - "connectionIncognitoChangeProhibited"
                          - "connectionUserChangeProhibited"
                          - "peerChatVRangeIncompatible"
                          - "relayTestError"
                          - "internalError"
                          - "exception"
                          - "invalidChatMessage"
                          - "contactNotFound"
                          - "callState"
                          - "serverProtocol"
            AgentErrorType:
              anyOf:
                - type: "object"
                  required: ["type", "cmdErr", "errContext"]
                  properties:
                    type: {"const": "CMD"}
                    cmdErr: {"$ref": "#/components/schemas/CommandErrorType"}
                    errContext: {"type": "string"}
                - type: "object"
                  required: ["type", "connErr", "errContext"]
                  properties:
                    type: {"const": "CONN"}
                    connErr: {"$ref": "#/components/schemas/ConnectionErrorType"}
                    errContext: {"type": "string"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_USER"}}}
                - type: "object"
                  required: ["type", "serverAddress", "smpErr"]
                  properties:
                    type: {"const": "SMP"}
                    serverAddress: {"type": "string"}
                    smpErr: {"$ref": "#/components/schemas/ErrorType"}
                - type: "object"
                  required: ["type", "serverAddress", "ntfErr"]
                  properties:
                    type: {"const": "NTF"}
                    serverAddress: {"type": "string"}
                    ntfErr: {"$ref": "#/components/schemas/ErrorType"}
                - type: "object"
                  required: ["type", "serverAddress", "xftpErr"]
                  properties:
                    type: {"const": "XFTP"}
                    serverAddress: {"type": "string"}
                    xftpErr: {"$ref": "#/components/schemas/XFTPErrorType"}
                - type: "object"
                  required: ["type", "fileErr"]
                  properties: {"type": {"const": "FILE"}, "fileErr": {"$ref": "#/components/schemas/FileErrorType"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_NAME_SERVERS"}}}
                - type: "object"
                  required: ["type", "proxyServer", "relayServer", "proxyErr"]
                  properties:
                    type: {"const": "PROXY"}
                    proxyServer: {"type": "string"}
                    relayServer: {"type": "string"}
                    proxyErr: {"$ref": "#/components/schemas/ProxyClientError"}
                - type: "object"
                  required: ["type", "rcpErr"]
                  properties: {"type": {"const": "RCP"}, "rcpErr": {"$ref": "#/components/schemas/RCErrorType"}}
                - type: "object"
                  required: ["type", "brokerAddress", "brokerErr"]
                  properties:
                    type: {"const": "BROKER"}
                    brokerAddress: {"type": "string"}
                    brokerErr: {"$ref": "#/components/schemas/BrokerErrorType"}
                - type: "object"
                  required: ["type", "agentErr"]
                  properties: {"type": {"const": "AGENT"}, "agentErr": {"$ref": "#/components/schemas/SMPAgentError"}}
                - type: "object"
                  required: ["type", "server", "preset"]
                  properties:
                    type: {"const": "NOTICE"}
                    server: {"type": "string"}
                    preset: {"type": "boolean"}
                    expiresAt: {"type": "string", "format": "date-time"}
                - type: "object"
                  required: ["type", "internalErr"]
                  properties: {"type": {"const": "INTERNAL"}, "internalErr": {"type": "string"}}
                - type: "object"
                  required: ["type", "offerRestart", "criticalErr"]
                  properties:
                    type: {"const": "CRITICAL"}
                    offerRestart: {"type": "boolean"}
                    criticalErr: {"type": "string"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "INACTIVE"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "CMD"
                          - "CONN"
                          - "NO_USER"
                          - "SMP"
                          - "NTF"
                          - "XFTP"
                          - "FILE"
                          - "NO_NAME_SERVERS"
                          - "PROXY"
                          - "RCP"
                          - "BROKER"
                          - "AGENT"
                          - "NOTICE"
                          - "INTERNAL"
                          - "CRITICAL"
                          - "INACTIVE"
            StoreError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "duplicateName"}}}
                - type: "object"
                  required: ["type", "userId"]
                  properties: {"type": {"const": "userNotFound"}, "userId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "relayUserNotFound"}}}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "userNotFoundByName"}, "contactName": {"type": "string"}}
                - type: "object"
                  required: ["type", "contactId"]
                  properties:
                    type: {"const": "userNotFoundByContactId"}
                    contactId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupId"]
                  properties: {"type": {"const": "userNotFoundByGroupId"}, "groupId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "userNotFoundByFileId"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "contactRequestId"]
                  properties:
                    type: {"const": "userNotFoundByContactRequestId"}
                    contactRequestId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "contactId"]
                  properties: {"type": {"const": "contactNotFound"}, "contactId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "contactNotFoundByName"}, "contactName": {"type": "string"}}
                - type: "object"
                  required: ["type", "groupMemberId"]
                  properties:
                    type: {"const": "contactNotFoundByMemberId"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "contactNotReady"}, "contactName": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "duplicateContactLink"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userContactLinkNotFound"}}}
                - type: "object"
                  required: ["type", "contactRequestId"]
                  properties:
                    type: {"const": "contactRequestNotFound"}
                    contactRequestId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "contactName"]
                  properties: {"type": {"const": "contactRequestNotFoundByName"}, "contactName": {"type": "string"}}
                - type: "object"
                  required: ["type", "contactRequestId"]
                  properties:
                    type: {"const": "invalidContactRequestEntity"}
                    contactRequestId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "invalidBusinessChatContactRequest"}}
                - type: "object"
                  required: ["type", "groupId"]
                  properties: {"type": {"const": "groupNotFound"}, "groupId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "groupName"]
                  properties: {"type": {"const": "groupNotFoundByName"}, "groupName": {"type": "string"}}
                - type: "object"
                  required: ["type", "groupId", "groupMemberName"]
                  properties:
                    type: {"const": "groupMemberNameNotFound"}
                    groupId: {"type": "integer", "format": "int64"}
                    groupMemberName: {"type": "string"}
                - type: "object"
                  required: ["type", "groupMemberId"]
                  properties:
                    type: {"const": "groupMemberNotFound"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupMemberIndex"]
                  properties:
                    type: {"const": "groupMemberNotFoundByIndex"}
                    groupMemberIndex: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupMemberId"]
                  properties:
                    type: {"const": "memberRelationsVectorNotFound"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupId"]
                  properties: {"type": {"const": "groupHostMemberNotFound"}, "groupId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "memberId"]
                  properties: {"type": {"const": "groupMemberNotFoundByMemberId"}, "memberId": {"type": "string"}}
                - type: "object"
                  required: ["type", "contactId"]
                  properties:
                    type: {"const": "memberContactGroupMemberNotFound"}
                    contactId: {"type": "integer", "format": "int64"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidMemberRelationUpdate"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupWithoutUser"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "duplicateGroupMember"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "duplicateMemberId"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupAlreadyJoined"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupInvitationNotFound"}}}
                - type: "object"
                  required: ["type", "noteFolderId"]
                  properties:
                    type: {"const": "noteFolderAlreadyExists"}
                    noteFolderId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "noteFolderId"]
                  properties: {"type": {"const": "noteFolderNotFound"}, "noteFolderId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userNoteFolderNotFound"}}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "sndFileNotFound"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "sndFileInvalid"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "rcvFileNotFound"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "rcvFileDescrNotFound"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "fileNotFound"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "rcvFileInvalid"}, "fileId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvFileInvalidDescrPart"}}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "localFileNoTransfer"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties:
                    type: {"const": "sharedMsgIdNotFoundByFileId"}
                    fileId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "sharedMsgId"]
                  properties: {"type": {"const": "fileIdNotFoundBySharedMsgId"}, "sharedMsgId": {"type": "string"}}
                - type: "object"
                  required: ["type", "agentSndFileId"]
                  properties: {"type": {"const": "sndFileNotFoundXFTP"}, "agentSndFileId": {"type": "string"}}
                - type: "object"
                  required: ["type", "agentRcvFileId"]
                  properties: {"type": {"const": "rcvFileNotFoundXFTP"}, "agentRcvFileId": {"type": "string"}}
                - type: "object"
                  required: ["type", "agentConnId"]
                  properties: {"type": {"const": "connectionNotFound"}, "agentConnId": {"type": "string"}}
                - type: "object"
                  required: ["type", "connId"]
                  properties: {"type": {"const": "connectionNotFoundById"}, "connId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "groupMemberId"]
                  properties:
                    type: {"const": "connectionNotFoundByMemberId"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "connId"]
                  properties: {"type": {"const": "pendingConnectionNotFound"}, "connId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "uniqueID"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "largeMsg"}}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "internalError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "dBException"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "message"]
                  properties: {"type": {"const": "dBBusyError"}, "message": {"type": "string"}}
                - type: "object"
                  required: ["type", "itemId"]
                  properties:
                    type: {"const": "badChatItem"}
                    itemId: {"type": "integer", "format": "int64"}
                    itemTs: {"type": "string", "format": "date-time"}
                - type: "object"
                  required: ["type", "itemId"]
                  properties: {"type": {"const": "chatItemNotFound"}, "itemId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "chatItemNotFoundByText"}, "text": {"type": "string"}}
                - type: "object"
                  required: ["type", "sharedMsgId"]
                  properties: {"type": {"const": "chatItemSharedMsgIdNotFound"}, "sharedMsgId": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "chatItemNotFoundByFileId"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "contactId"]
                  properties:
                    type: {"const": "chatItemNotFoundByContactId"}
                    contactId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupId"]
                  properties:
                    type: {"const": "chatItemNotFoundByGroupId"}
                    groupId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "profileId"]
                  properties: {"type": {"const": "profileNotFound"}, "profileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties: {"type": {"const": "duplicateGroupLink"}, "groupInfo": {"$ref": "#/components/schemas/GroupInfo"}}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties: {"type": {"const": "groupLinkNotFound"}, "groupInfo": {"$ref": "#/components/schemas/GroupInfo"}}
                - type: "object"
                  required: ["type", "groupId"]
                  properties: {"type": {"const": "hostMemberIdNotFound"}, "groupId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "fileId"]
                  properties: {"type": {"const": "contactNotFoundByFileId"}, "fileId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "itemId", "groupMemberId"]
                  properties:
                    type: {"const": "noGroupSndStatus"}
                    itemId: {"type": "integer", "format": "int64"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupId", "sharedMsgId"]
                  properties:
                    type: {"const": "duplicateGroupMessage"}
                    groupId: {"type": "integer", "format": "int64"}
                    sharedMsgId: {"type": "string"}
                    authorGroupMemberId: {"type": "integer", "format": "int64"}
                    forwardedByGroupMemberId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "remoteHostId"]
                  properties: {"type": {"const": "remoteHostNotFound"}, "remoteHostId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "remoteHostUnknown"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "remoteHostDuplicateCA"}}}
                - type: "object"
                  required: ["type", "remoteCtrlId"]
                  properties: {"type": {"const": "remoteCtrlNotFound"}, "remoteCtrlId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "remoteCtrlDuplicateCA"}}}
                - type: "object"
                  required: ["type", "userId", "contactId"]
                  properties:
                    type: {"const": "prohibitedDeleteUser"}
                    userId: {"type": "integer", "format": "int64"}
                    contactId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "serverOperatorId"]
                  properties:
                    type: {"const": "operatorNotFound"}
                    serverOperatorId: {"type": "integer", "format": "int64"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "usageConditionsNotFound"}}}
                - type: "object"
                  required: ["type", "chatRelayId"]
                  properties:
                    type: {"const": "userChatRelayNotFound"}
                    chatRelayId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "groupRelayId"]
                  properties: {"type": {"const": "groupRelayNotFound"}, "groupRelayId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "groupMemberId"]
                  properties:
                    type: {"const": "groupRelayNotFoundByMemberId"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidQuote"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidMention"}}}
                - type: "object"
                  required: ["type", "taskId"]
                  properties: {"type": {"const": "invalidDeliveryTask"}, "taskId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "taskId"]
                  properties: {"type": {"const": "deliveryTaskNotFound"}, "taskId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "jobId"]
                  properties: {"type": {"const": "invalidDeliveryJob"}, "jobId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "jobId"]
                  properties: {"type": {"const": "deliveryJobNotFound"}, "jobId": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "errContext"]
                  properties: {"type": {"const": "workItemError"}, "errContext": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "duplicateName"
                          - "userNotFound"
                          - "relayUserNotFound"
                          - "userNotFoundByName"
                          - "userNotFoundByContactId"
                          - "userNotFoundByGroupId"
                          - "userNotFoundByFileId"
                          - "userNotFoundByContactRequestId"
                          - "contactNotFound"
                          - "contactNotFoundByName"
                          - "contactNotFoundByMemberId"
                          - "contactNotReady"
                          - "duplicateContactLink"
                          - "userContactLinkNotFound"
                          - "contactRequestNotFound"
                          - "contactRequestNotFoundByName"
                          - "invalidContactRequestEntity"
                          - "invalidBusinessChatContactRequest"
                          - "groupNotFound"
                          - "groupNotFoundByName"
                          - "groupMemberNameNotFound"
                          - "groupMemberNotFound"
                          - "groupMemberNotFoundByIndex"
                          - "memberRelationsVectorNotFound"
                          - "groupHostMemberNotFound"
                          - "groupMemberNotFoundByMemberId"
                          - "memberContactGroupMemberNotFound"
                          - "invalidMemberRelationUpdate"
                          - "groupWithoutUser"
                          - "duplicateGroupMember"
                          - "duplicateMemberId"
                          - "groupAlreadyJoined"
                          - "groupInvitationNotFound"
                          - "noteFolderAlreadyExists"
                          - "noteFolderNotFound"
                          - "userNoteFolderNotFound"
                          - "sndFileNotFound"
                          - "sndFileInvalid"
                          - "rcvFileNotFound"
                          - "rcvFileDescrNotFound"
                          - "fileNotFound"
                          - "rcvFileInvalid"
                          - "rcvFileInvalidDescrPart"
                          - "localFileNoTransfer"
                          - "sharedMsgIdNotFoundByFileId"
                          - "fileIdNotFoundBySharedMsgId"
                          - "sndFileNotFoundXFTP"
                          - "rcvFileNotFoundXFTP"
                          - "connectionNotFound"
                          - "connectionNotFoundById"
                          - "connectionNotFoundByMemberId"
                          - "pendingConnectionNotFound"
                          - "uniqueID"
                          - "largeMsg"
                          - "internalError"
                          - "dBException"
                          - "dBBusyError"
                          - "badChatItem"
                          - "chatItemNotFound"
                          - "chatItemNotFoundByText"
                          - "chatItemSharedMsgIdNotFound"
                          - "chatItemNotFoundByFileId"
                          - "chatItemNotFoundByContactId"
                          - "chatItemNotFoundByGroupId"
                          - "profileNotFound"
                          - "duplicateGroupLink"
                          - "groupLinkNotFound"
                          - "hostMemberIdNotFound"
                          - "contactNotFoundByFileId"
                          - "noGroupSndStatus"
                          - "duplicateGroupMessage"
                          - "remoteHostNotFound"
                          - "remoteHostUnknown"
                          - "remoteHostDuplicateCA"
                          - "remoteCtrlNotFound"
                          - "remoteCtrlDuplicateCA"
                          - "prohibitedDeleteUser"
                          - "operatorNotFound"
                          - "usageConditionsNotFound"
                          - "userChatRelayNotFound"
                          - "groupRelayNotFound"
                          - "groupRelayNotFoundByMemberId"
                          - "invalidQuote"
                          - "invalidMention"
                          - "invalidDeliveryTask"
                          - "deliveryTaskNotFound"
                          - "invalidDeliveryJob"
                          - "deliveryJobNotFound"
                          - "workItemError"
            MsgErrorType:
              anyOf:
                - type: "object"
                  required: ["type", "fromMsgId", "toMsgId"]
                  properties:
                    type: {"const": "msgSkipped"}
                    fromMsgId: {"type": "integer", "format": "int64"}
                    toMsgId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "msgId"]
                  properties: {"type": {"const": "msgBadId"}, "msgId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "msgBadHash"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "msgDuplicate"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["msgSkipped", "msgBadId", "msgBadHash", "msgDuplicate"]}}}
            MsgDecryptError:
              type: "string"
              description: "One of ratchetHeader, tooManySkipped, ratchetEarlier, other, ratchetSync; later versions may add."
            RcvMsgError:
              anyOf:
                - type: "object"
                  required: ["type", "attempts"]
                  properties: {"type": {"const": "dropped"}, "attempts": {"type": "integer"}}
                - type: "object"
                  required: ["type", "parseError"]
                  properties: {"type": {"const": "parseError"}, "parseError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["dropped", "parseError"]}}}
            SndError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "auth"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "quota"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "expired"}}}
                - type: "object"
                  required: ["type", "srvError"]
                  properties: {"type": {"const": "relay"}, "srvError": {"$ref": "#/components/schemas/SrvError"}}
                - type: "object"
                  required: ["type", "proxyServer", "srvError"]
                  properties:
                    type: {"const": "proxy"}
                    proxyServer: {"type": "string"}
                    srvError: {"$ref": "#/components/schemas/SrvError"}
                - type: "object"
                  required: ["type", "proxyServer", "srvError"]
                  properties:
                    type: {"const": "proxyRelay"}
                    proxyServer: {"type": "string"}
                    srvError: {"$ref": "#/components/schemas/SrvError"}
                - type: "object"
                  required: ["type", "sndError"]
                  properties: {"type": {"const": "other"}, "sndError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["auth", "quota", "expired", "relay", "proxy", "proxyRelay", "other"]}}}
            SimplexDomainError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noValidLink"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unknownDomain"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["noValidLink", "unknownDomain"]}}}
            CommandErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "PROHIBITED"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SYNTAX"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_CONN"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SIZE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "LARGE"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["PROHIBITED", "SYNTAX", "NO_CONN", "SIZE", "LARGE"]}}}
            ConnectionErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NOT_FOUND"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DUPLICATE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SIMPLEX"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NOT_ACCEPTED"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NOT_AVAILABLE"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["NOT_FOUND", "DUPLICATE", "SIMPLEX", "NOT_ACCEPTED", "NOT_AVAILABLE"]}}
            ErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "BLOCK"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SESSION"}}}
                - type: "object"
                  required: ["type", "cmdErr"]
                  properties: {"type": {"const": "CMD"}, "cmdErr": {"$ref": "#/components/schemas/CommandError"}}
                - type: "object"
                  required: ["type", "proxyErr"]
                  properties: {"type": {"const": "PROXY"}, "proxyErr": {"$ref": "#/components/schemas/ProxyError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "AUTH"}}}
                - type: "object"
                  required: ["type", "blockInfo"]
                  properties: {"type": {"const": "BLOCKED"}, "blockInfo": {"$ref": "#/components/schemas/BlockingInfo"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SERVICE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "CRYPTO"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "QUOTA"}}}
                - type: "object"
                  required: ["type", "storeErr"]
                  properties: {"type": {"const": "STORE"}, "storeErr": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_MSG"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "LARGE_MSG"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "EXPIRED"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "INTERNAL"}}}
                - type: "object"
                  required: ["type", "nameErr"]
                  properties: {"type": {"const": "NAME"}, "nameErr": {"$ref": "#/components/schemas/NameErrorType"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DUPLICATE_"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "BLOCK"
                          - "SESSION"
                          - "CMD"
                          - "PROXY"
                          - "AUTH"
                          - "BLOCKED"
                          - "SERVICE"
                          - "CRYPTO"
                          - "QUOTA"
                          - "STORE"
                          - "NO_MSG"
                          - "LARGE_MSG"
                          - "EXPIRED"
                          - "INTERNAL"
                          - "NAME"
                          - "DUPLICATE_"
            XFTPErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "BLOCK"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SESSION"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "HANDSHAKE"}}}
                - type: "object"
                  required: ["type", "cmdErr"]
                  properties: {"type": {"const": "CMD"}, "cmdErr": {"$ref": "#/components/schemas/CommandError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "AUTH"}}}
                - type: "object"
                  required: ["type", "blockInfo"]
                  properties: {"type": {"const": "BLOCKED"}, "blockInfo": {"$ref": "#/components/schemas/BlockingInfo"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SIZE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "QUOTA"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DIGEST"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "CRYPTO"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_FILE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "HAS_FILE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "FILE_IO"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "TIMEOUT"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "INTERNAL"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DUPLICATE_"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "BLOCK"
                          - "SESSION"
                          - "HANDSHAKE"
                          - "CMD"
                          - "AUTH"
                          - "BLOCKED"
                          - "SIZE"
                          - "QUOTA"
                          - "DIGEST"
                          - "CRYPTO"
                          - "NO_FILE"
                          - "HAS_FILE"
                          - "FILE_IO"
                          - "TIMEOUT"
                          - "INTERNAL"
                          - "DUPLICATE_"
            FileErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NOT_APPROVED"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SIZE"}}}
                - type: "object"
                  required: ["type", "redirectError"]
                  properties: {"type": {"const": "REDIRECT"}, "redirectError": {"type": "string"}}
                - type: "object"
                  required: ["type", "fileIOError"]
                  properties: {"type": {"const": "FILE_IO"}, "fileIOError": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_FILE"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["NOT_APPROVED", "SIZE", "REDIRECT", "FILE_IO", "NO_FILE"]}}}
            ProxyClientError:
              anyOf:
                - type: "object"
                  required: ["type", "protocolErr"]
                  properties: {"type": {"const": "protocolError"}, "protocolErr": {"$ref": "#/components/schemas/ErrorType"}}
                - type: "object"
                  required: ["type", "responseStr"]
                  properties: {"type": {"const": "unexpectedResponse"}, "responseStr": {"type": "string"}}
                - type: "object"
                  required: ["type", "responseErr"]
                  properties: {"type": {"const": "responseError"}, "responseErr": {"$ref": "#/components/schemas/ErrorType"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["protocolError", "unexpectedResponse", "responseError"]}}}
            BrokerErrorType:
              anyOf:
                - type: "object"
                  required: ["type", "respErr"]
                  properties: {"type": {"const": "RESPONSE"}, "respErr": {"type": "string"}}
                - type: "object"
                  required: ["type", "respErr"]
                  properties: {"type": {"const": "UNEXPECTED"}, "respErr": {"type": "string"}}
                - type: "object"
                  required: ["type", "networkError"]
                  properties: {"type": {"const": "NETWORK"}, "networkError": {"$ref": "#/components/schemas/NetworkError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "HOST"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_SERVICE"}}}
                - type: "object"
                  required: ["type", "transportErr"]
                  properties: {"type": {"const": "TRANSPORT"}, "transportErr": {"$ref": "#/components/schemas/TransportError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "TIMEOUT"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["RESPONSE", "UNEXPECTED", "NETWORK", "HOST", "NO_SERVICE", "TRANSPORT", "TIMEOUT"]}}
            SMPAgentError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "A_MESSAGE"}}}
                - type: "object"
                  required: ["type", "prohibitedErr"]
                  properties: {"type": {"const": "A_PROHIBITED"}, "prohibitedErr": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "A_VERSION"}}}
                - type: "object"
                  required: ["type", "linkErr"]
                  properties: {"type": {"const": "A_LINK"}, "linkErr": {"type": "string"}}
                - type: "object"
                  required: ["type", "cryptoErr"]
                  properties: {"type": {"const": "A_CRYPTO"}, "cryptoErr": {"$ref": "#/components/schemas/AgentCryptoError"}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "A_DUPLICATE"}, "droppedMsg_": {"$ref": "#/components/schemas/DroppedMsg"}}
                - type: "object"
                  required: ["type", "queueErr"]
                  properties: {"type": {"const": "A_QUEUE"}, "queueErr": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not: {"enum": ["A_MESSAGE", "A_PROHIBITED", "A_VERSION", "A_LINK", "A_CRYPTO", "A_DUPLICATE", "A_QUEUE"]}
            SQLiteError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "errorNotADatabase"}}}
                - type: "object"
                  required: ["type", "dbError"]
                  properties: {"type": {"const": "error"}, "dbError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["errorNotADatabase", "error"]}}}
            FileError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "auth"}}}
                - type: "object"
                  required: ["type", "server", "blockInfo"]
                  properties:
                    type: {"const": "blocked"}
                    server: {"type": "string"}
                    blockInfo: {"$ref": "#/components/schemas/BlockingInfo"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noFile"}}}
                - type: "object"
                  required: ["type", "srvError"]
                  properties: {"type": {"const": "relay"}, "srvError": {"$ref": "#/components/schemas/SrvError"}}
                - type: "object"
                  required: ["type", "fileError"]
                  properties: {"type": {"const": "other"}, "fileError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["auth", "blocked", "noFile", "relay", "other"]}}}
            SrvError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "host"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "version"}}}
                - type: "object"
                  required: ["type", "srvError"]
                  properties: {"type": {"const": "other"}, "srvError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["host", "version", "other"]}}}
            CommandError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "UNKNOWN"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "SYNTAX"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "PROHIBITED"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_AUTH"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "HAS_AUTH"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_ENTITY"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["UNKNOWN", "SYNTAX", "PROHIBITED", "NO_AUTH", "HAS_AUTH", "NO_ENTITY"]}}
            ProxyError:
              anyOf:
                - type: "object"
                  required: ["type", "protocolErr"]
                  properties: {"type": {"const": "PROTOCOL"}, "protocolErr": {"$ref": "#/components/schemas/ErrorType"}}
                - type: "object"
                  required: ["type", "brokerErr"]
                  properties: {"type": {"const": "BROKER"}, "brokerErr": {"$ref": "#/components/schemas/BrokerErrorType"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "BASIC_AUTH"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_SESSION"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["PROTOCOL", "BROKER", "BASIC_AUTH", "NO_SESSION"]}}}
            BlockingInfo:
              type: "object"
              required: ["reason"]
              properties:
                reason: {"$ref": "#/components/schemas/BlockingReason"}
                notice: {"$ref": "#/components/schemas/ClientNotice"}
            NameErrorType:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NO_RESOLVER"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "NOT_FOUND"}}}
                - type: "object"
                  required: ["type", "resolverErr"]
                  properties: {"type": {"const": "RESOLVER"}, "resolverErr": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["NO_RESOLVER", "NOT_FOUND", "RESOLVER"]}}}
            NetworkError:
              anyOf:
                - type: "object"
                  required: ["type", "connectError"]
                  properties: {"type": {"const": "connectError"}, "connectError": {"type": "string"}}
                - type: "object"
                  required: ["type", "tlsError"]
                  properties: {"type": {"const": "tLSError"}, "tlsError": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unknownCAError"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "failedError"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "timeoutError"}}}
                - type: "object"
                  required: ["type", "subscribeError"]
                  properties: {"type": {"const": "subscribeError"}, "subscribeError": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum: ["connectError", "tLSError", "unknownCAError", "failedError", "timeoutError", "subscribeError"]
            TransportError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badBlock"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "version"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "largeMsg"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badSession"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noServerAuth"}}}
                - type: "object"
                  required: ["type", "handshakeErr"]
                  properties: {"type": {"const": "handshake"}, "handshakeErr": {"$ref": "#/components/schemas/HandshakeError"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["badBlock", "version", "largeMsg", "badSession", "noServerAuth", "handshake"]}}
            AgentCryptoError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DECRYPT_AES"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "DECRYPT_CB"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "RATCHET_HEADER"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "RATCHET_SYNC"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["DECRYPT_AES", "DECRYPT_CB", "RATCHET_HEADER", "RATCHET_SYNC"]}}}
            DroppedMsg:
              type: "object"
              required: ["brokerTs", "attempts"]
              properties: {"brokerTs": {"type": "string", "format": "date-time"}, "attempts": {"type": "integer"}}
            BlockingReason: {"type": "string", "description": "One of spam, content; later versions may add."}
            ClientNotice: {"type": "object", "properties": {"ttl": {"type": "integer", "format": "int64"}}}
            HandshakeError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "PARSE"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "IDENTITY"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "BAD_AUTH"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "BAD_SERVICE"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["PARSE", "IDENTITY", "BAD_AUTH", "BAD_SERVICE"]}}}
            ProblemDetails:
              type: "object"
              required: ["type", "title", "status", "code", "requestId"]
              properties:
                type: {"type": "string"}
                title: {"type": "string"}
                status: {"type": "integer"}
                detail: {"type": "string"}
                code: {"type": "string"}
                requestId: {"type": "string"}
                chatError: {"type": "object", "description": "The core's own error."}
                oldest: {"type": "string", "description": "With 410: the oldest cursor."}
            DatabaseError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "errorEncrypted"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "errorPlaintext"}}}
                - type: "object"
                  required: ["type", "dbFile"]
                  properties: {"type": {"const": "errorNoFile"}, "dbFile": {"type": "string"}}
                - type: "object"
                  required: ["type", "sqliteError"]
                  properties: {"type": {"const": "errorExport"}, "sqliteError": {"$ref": "#/components/schemas/SQLiteError"}}
                - type: "object"
                  required: ["type", "sqliteError"]
                  properties: {"type": {"const": "errorOpen"}, "sqliteError": {"$ref": "#/components/schemas/SQLiteError"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["errorEncrypted", "errorPlaintext", "errorNoFile", "errorExport", "errorOpen"]}}
            EventEntry:
              type: "object"
              required: ["id", "time", "event"]
              properties:
                id: {"type": "string", "description": "The cursor after this event."}
                time: {"type": "string", "format": "date-time"}
                userId: {"type": "integer", "format": "int64"}
                event:
                  description: "What happened, as it was reported, without what was deleted since: a deleted item has the content `sndDeleted` or `rcvDeleted` (`deleteMode` `internal`) and no text; an event that says nothing else is `{\"type\":\"redacted\"}`."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string"}}
            EventPage:
              examples: [{"events": [{"id": "adf902b09ed2-1", "time": "2026-11-21T13:54:17.277546891Z", "userId": 1, "event": {"type": "contactConnecting", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 1, "localDisplayName": "bob", "profile": {"profileId": 3, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "S3JLU0VGRm9Cc1lNYUJhQQ==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "requested", "contactConnInitiated": true, "localAlias": "", "entityId": 1, "pqSupport": true, "pqEncryption": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T13:54:16.635115288Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T13:54:17.277546891Z", "updatedAt": "2026-11-21T13:54:17.277546891Z", "chatTs": "2026-11-21T13:54:17.277546891Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}}], "cursor": "adf902b09ed2-1"}]
              type: "object"
              required: ["events", "cursor"]
              properties:
                events:
                  description: "Empty when there is none for the key among the entries that were looked at, at most some thousands: `cursor` is after them then."
                  type: "array"
                  items: {"$ref": "#/components/schemas/EventEntry"}
                cursor: {"type": "string", "description": "To go on from."}
            CryptoFile:
              type: "object"
              required: ["filePath"]
              properties: {"filePath": {"type": "string"}, "cryptoArgs": {"$ref": "#/components/schemas/CryptoFileArgs"}}
            CryptoFileArgs:
              type: "object"
              required: ["fileKey", "fileNonce"]
              properties: {"fileKey": {"type": "string"}, "fileNonce": {"type": "string"}}
            FileProtocol: {"type": "string", "description": "One of smp, xftp, local; later versions may add."}
            GroupChatScope:
              anyOf:
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "memberSupport"}, "groupMemberId_": {"type": "integer", "format": "int64"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["memberSupport"]}}}
            GroupInfo:
              type: "object"
              required:
                - "groupId"
                - "useRelays"
                - "localDisplayName"
                - "groupProfile"
                - "localAlias"
                - "fullGroupPreferences"
                - "membership"
                - "chatSettings"
                - "createdAt"
                - "updatedAt"
                - "chatTags"
                - "groupSummary"
                - "membersRequireAttention"
              properties:
                groupId: {"type": "integer", "format": "int64"}
                useRelays: {"type": "boolean"}
                relayOwnStatus: {"$ref": "#/components/schemas/RelayStatus"}
                localDisplayName: {"type": "string"}
                groupProfile: {"$ref": "#/components/schemas/GroupProfile"}
                localAlias: {"type": "string"}
                businessChat: {"$ref": "#/components/schemas/BusinessChatInfo"}
                fullGroupPreferences: {"$ref": "#/components/schemas/FullGroupPreferences"}
                membership: {"$ref": "#/components/schemas/GroupMember"}
                chatSettings: {"$ref": "#/components/schemas/ChatSettings"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
                chatTs: {"type": "string", "format": "date-time"}
                userMemberProfileSentAt: {"type": "string", "format": "date-time"}
                preparedGroup: {"$ref": "#/components/schemas/PreparedGroup"}
                chatTags: {"type": "array", "items": {"type": "integer", "format": "int64"}}
                chatItemTTL: {"type": "integer", "format": "int64"}
                uiThemes: {"$ref": "#/components/schemas/UIThemeEntityOverrides"}
                customData: {"type": "object"}
                groupSummary: {"$ref": "#/components/schemas/GroupSummary"}
                rosterVersion: {"type": "integer", "format": "int64"}
                membersRequireAttention: {"type": "integer"}
                viaGroupLinkUri: {"type": "string"}
                groupKeys: {"$ref": "#/components/schemas/GroupKeys"}
                groupDomainVerified: {"type": "boolean"}
            GroupMember:
              type: "object"
              required:
                - "groupMemberId"
                - "groupId"
                - "memberId"
                - "memberRole"
                - "memberCategory"
                - "memberStatus"
                - "memberSettings"
                - "blockedByAdmin"
                - "invitedBy"
                - "localDisplayName"
                - "memberProfile"
                - "memberContactProfileId"
                - "memberChatVRange"
                - "createdAt"
                - "updatedAt"
              properties:
                groupMemberId: {"type": "integer", "format": "int64"}
                groupId: {"type": "integer", "format": "int64"}
                indexInGroup: {"type": "integer", "format": "int64"}
                memberId: {"type": "string"}
                memberRole: {"$ref": "#/components/schemas/GroupMemberRole"}
                memberCategory: {"$ref": "#/components/schemas/GroupMemberCategory"}
                memberStatus: {"$ref": "#/components/schemas/GroupMemberStatus"}
                memberSettings: {"$ref": "#/components/schemas/GroupMemberSettings"}
                blockedByAdmin: {"type": "boolean"}
                invitedBy: {"$ref": "#/components/schemas/InvitedBy"}
                invitedByGroupMemberId: {"type": "integer", "format": "int64"}
                localDisplayName: {"type": "string"}
                memberProfile: {"$ref": "#/components/schemas/LocalProfile"}
                memberContactId: {"type": "integer", "format": "int64"}
                memberContactProfileId: {"type": "integer", "format": "int64"}
                activeConn: {"$ref": "#/components/schemas/Connection"}
                memberChatVRange: {"$ref": "#/components/schemas/VersionRange"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
                supportChat: {"$ref": "#/components/schemas/GroupSupportChat"}
                memberPubKey: {"type": "string"}
                relayLink: {"type": "string"}
                memberVerifiedCode: {"$ref": "#/components/schemas/SecurityCode"}
            GroupDirectInvitation:
              type: "object"
              required: ["groupDirectInvLink", "groupDirectInvStartedConnection"]
              properties:
                groupDirectInvLink: {"type": "string"}
                fromGroupId_: {"type": "integer", "format": "int64"}
                fromGroupMemberId_: {"type": "integer", "format": "int64"}
                fromGroupMemberConnId_: {"type": "integer", "format": "int64"}
                groupDirectInvStartedConnection: {"type": "boolean"}
            GroupChatScopeInfo:
              anyOf:
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "memberSupport"}, "groupMember_": {"$ref": "#/components/schemas/GroupMember"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["memberSupport"]}}}
            GroupLinkPlan:
              anyOf:
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "ok"}
                    groupSLinkInfo_: {"$ref": "#/components/schemas/GroupShortLinkInfo"}
                    groupSLinkData_: {"$ref": "#/components/schemas/GroupShortLinkData"}
                    ownerVerification: {"$ref": "#/components/schemas/OwnerVerification"}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties: {"type": {"const": "ownLink"}, "groupInfo": {"$ref": "#/components/schemas/GroupInfo"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "connectingConfirmReconnect"}}}
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "connectingProhibit"}
                    groupInfo_: {"$ref": "#/components/schemas/GroupInfo"}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties:
                    type: {"const": "known"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    groupUpdated: {"type": "boolean"}
                    ownerVerification: {"$ref": "#/components/schemas/OwnerVerification"}
                    linkOwners: {"type": "array", "items": {"$ref": "#/components/schemas/GroupLinkOwner"}}
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "noRelays"}
                    groupSLinkData_: {"$ref": "#/components/schemas/GroupShortLinkData"}
                - type: "object"
                  required: ["type"]
                  properties:
                    type: {"const": "updateRequired"}
                    groupSLinkData_: {"$ref": "#/components/schemas/GroupShortLinkData"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "ok"
                          - "ownLink"
                          - "connectingConfirmReconnect"
                          - "connectingProhibit"
                          - "known"
                          - "noRelays"
                          - "updateRequired"
            RelayStatus:
              type: "string"
              description: "One of new, invited, accepted, acknowledgedRoster, active, inactive, rejected; later versions may add."
            GroupProfile:
              type: "object"
              required: ["displayName", "fullName"]
              properties:
                displayName: {"type": "string"}
                fullName: {"type": "string"}
                shortDescr: {"type": "string"}
                description: {"type": "string"}
                image: {"type": "string"}
                publicGroup: {"$ref": "#/components/schemas/PublicGroupProfile"}
                groupPreferences: {"$ref": "#/components/schemas/GroupPreferences"}
                memberAdmission: {"$ref": "#/components/schemas/GroupMemberAdmission"}
            BusinessChatInfo:
              type: "object"
              required: ["chatType", "businessId", "customerId"]
              properties:
                chatType: {"$ref": "#/components/schemas/BusinessChatType"}
                businessId: {"type": "string"}
                customerId: {"type": "string"}
                businessDomain: {"$ref": "#/components/schemas/SimplexDomainClaim"}
            FullGroupPreferences:
              type: "object"
              required:
                - "timedMessages"
                - "directMessages"
                - "fullDelete"
                - "reactions"
                - "voice"
                - "files"
                - "simplexLinks"
                - "reports"
                - "history"
                - "sessions"
                - "commands"
              properties:
                timedMessages: {"$ref": "#/components/schemas/TimedMessagesGroupPreference"}
                directMessages: {"$ref": "#/components/schemas/RoleGroupPreference"}
                fullDelete: {"$ref": "#/components/schemas/GroupPreference"}
                reactions: {"$ref": "#/components/schemas/GroupPreference"}
                voice: {"$ref": "#/components/schemas/RoleGroupPreference"}
                files: {"$ref": "#/components/schemas/RoleGroupPreference"}
                simplexLinks: {"$ref": "#/components/schemas/RoleGroupPreference"}
                reports: {"$ref": "#/components/schemas/GroupPreference"}
                history: {"$ref": "#/components/schemas/GroupPreference"}
                support: {"$ref": "#/components/schemas/SupportGroupPreference"}
                sessions: {"$ref": "#/components/schemas/RoleGroupPreference"}
                comments: {"$ref": "#/components/schemas/CommentsGroupPreference"}
                signMessages: {"$ref": "#/components/schemas/GroupPreference"}
                commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
            PreparedGroup:
              type: "object"
              required: ["connLinkToConnect", "connLinkPreparedConnection", "connLinkStartedConnection"]
              properties:
                connLinkToConnect: {"$ref": "#/components/schemas/CreatedConnLink"}
                connLinkPreparedConnection: {"type": "boolean"}
                connLinkStartedConnection: {"type": "boolean"}
                welcomeSharedMsgId: {"type": "string"}
                requestSharedMsgId: {"type": "string"}
            GroupSummary:
              type: "object"
              required: ["currentMembers"]
              properties:
                currentMembers: {"type": "integer", "format": "int64"}
                publicMemberCount: {"type": "integer", "format": "int64"}
            GroupKeys:
              type: "object"
              required: ["publicGroupId", "groupRootKey", "memberPrivKey"]
              properties:
                publicGroupId: {"type": "string"}
                groupRootKey: {"$ref": "#/components/schemas/GroupRootKey"}
                memberPrivKey: {"type": "string"}
            GroupMemberRole:
              type: "string"
              description: "One of relay, observer, author, member, moderator, admin, owner; later versions may add."
            GroupMemberCategory:
              type: "string"
              description: "One of user, invitee, host, pre, post; later versions may add."
            GroupMemberStatus:
              type: "string"
              description: "One of rejected, removed, left, deleted, unknown, invited, pending_approval, pending_review, introduced, intro-inv, accepted, announced, connected, complete, creator; later versions may add."
            GroupMemberSettings:
              type: "object"
              required: ["showMessages"]
              properties: {"showMessages": {"type": "boolean"}}
            InvitedBy:
              anyOf:
                - type: "object"
                  required: ["type", "byContactId"]
                  properties: {"type": {"const": "contact"}, "byContactId": {"type": "integer", "format": "int64"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "user"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unknown"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["contact", "user", "unknown"]}}}
            GroupSupportChat:
              type: "object"
              required: ["chatTs", "unread", "memberAttention", "mentions"]
              properties:
                chatTs: {"type": "string", "format": "date-time"}
                unread: {"type": "integer", "format": "int64"}
                memberAttention: {"type": "integer", "format": "int64"}
                mentions: {"type": "integer", "format": "int64"}
                lastMsgFromMemberTs: {"type": "string", "format": "date-time"}
            GroupShortLinkInfo:
              type: "object"
              required: ["direct", "groupRelays"]
              properties:
                direct: {"type": "boolean"}
                groupRelays: {"type": "array", "items": {"type": "string"}}
                publicGroupId: {"type": "string"}
            GroupShortLinkData:
              type: "object"
              required: ["groupProfile"]
              properties:
                groupProfile: {"$ref": "#/components/schemas/GroupProfile"}
                publicGroupData: {"$ref": "#/components/schemas/PublicGroupData"}
            GroupLinkOwner:
              type: "object"
              required: ["memberId", "memberKey"]
              properties: {"memberId": {"type": "string"}, "memberKey": {"type": "string"}}
            PublicGroupProfile:
              type: "object"
              required: ["groupType", "groupLink", "publicGroupId"]
              properties:
                groupType: {"$ref": "#/components/schemas/GroupType"}
                groupLink: {"type": "string"}
                publicGroupId: {"type": "string"}
                publicGroupAccess: {"$ref": "#/components/schemas/PublicGroupAccess"}
            GroupPreferences:
              type: "object"
              properties:
                timedMessages: {"$ref": "#/components/schemas/TimedMessagesGroupPreference"}
                directMessages: {"$ref": "#/components/schemas/RoleGroupPreference"}
                fullDelete: {"$ref": "#/components/schemas/GroupPreference"}
                reactions: {"$ref": "#/components/schemas/GroupPreference"}
                voice: {"$ref": "#/components/schemas/RoleGroupPreference"}
                files: {"$ref": "#/components/schemas/RoleGroupPreference"}
                simplexLinks: {"$ref": "#/components/schemas/RoleGroupPreference"}
                reports: {"$ref": "#/components/schemas/GroupPreference"}
                history: {"$ref": "#/components/schemas/GroupPreference"}
                support: {"$ref": "#/components/schemas/SupportGroupPreference"}
                sessions: {"$ref": "#/components/schemas/RoleGroupPreference"}
                comments: {"$ref": "#/components/schemas/CommentsGroupPreference"}
                signMessages: {"$ref": "#/components/schemas/GroupPreference"}
                commands: {"type": "array", "items": {"$ref": "#/components/schemas/ChatBotCommand"}}
            GroupMemberAdmission: {"type": "object", "properties": {"review": {"$ref": "#/components/schemas/MemberCriteria"}}}
            BusinessChatType: {"type": "string", "description": "One of business, customer; later versions may add."}
            TimedMessagesGroupPreference:
              type: "object"
              required: ["enable"]
              properties: {"enable": {"$ref": "#/components/schemas/GroupFeatureEnabled"}, "ttl": {"type": "integer"}}
            RoleGroupPreference:
              type: "object"
              required: ["enable"]
              properties:
                enable: {"$ref": "#/components/schemas/GroupFeatureEnabled"}
                role: {"$ref": "#/components/schemas/GroupMemberRole"}
            GroupPreference:
              type: "object"
              required: ["enable"]
              properties: {"enable": {"$ref": "#/components/schemas/GroupFeatureEnabled"}}
            SupportGroupPreference:
              type: "object"
              required: ["enable"]
              properties: {"enable": {"$ref": "#/components/schemas/GroupFeatureEnabled"}}
            CommentsGroupPreference:
              type: "object"
              required: ["enable"]
              properties: {"enable": {"$ref": "#/components/schemas/GroupFeatureEnabled"}, "duration": {"type": "integer"}}
            GroupRootKey:
              anyOf:
                - type: "object"
                  required: ["type", "rootPrivKey"]
                  properties: {"type": {"const": "private"}, "rootPrivKey": {"type": "string"}}
                - type: "object"
                  required: ["type", "rootPubKey"]
                  properties: {"type": {"const": "public"}, "rootPubKey": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["private", "public"]}}}
            RcvGroupEvent:
              anyOf:
                - type: "object"
                  required: ["type", "groupMemberId", "profile"]
                  properties:
                    type: {"const": "memberAdded"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "memberConnected"}}}
                - type: "object"
                  required: ["type", "groupMemberId", "profile"]
                  properties:
                    type: {"const": "memberAccepted"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userAccepted"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "memberLeft"}}}
                - type: "object"
                  required: ["type", "groupMemberId", "profile", "role"]
                  properties:
                    type: {"const": "memberRole"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                    role: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "groupMemberId", "profile", "blocked"]
                  properties:
                    type: {"const": "memberBlocked"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                    blocked: {"type": "boolean"}
                - type: "object"
                  required: ["type", "role"]
                  properties: {"type": {"const": "userRole"}, "role": {"$ref": "#/components/schemas/GroupMemberRole"}}
                - type: "object"
                  required: ["type", "groupMemberId", "profile"]
                  properties:
                    type: {"const": "memberDeleted"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userDeleted"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupDeleted"}}}
                - type: "object"
                  required: ["type", "groupProfile"]
                  properties: {"type": {"const": "groupUpdated"}, "groupProfile": {"$ref": "#/components/schemas/GroupProfile"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invitedViaGroupLink"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "memberCreatedContact"}}}
                - type: "object"
                  required: ["type", "fromProfile", "toProfile"]
                  properties:
                    type: {"const": "memberProfileUpdated"}
                    fromProfile: {"$ref": "#/components/schemas/Profile"}
                    toProfile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "newMemberPendingReview"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "msgBadSignature"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "memberAdded"
                          - "memberConnected"
                          - "memberAccepted"
                          - "userAccepted"
                          - "memberLeft"
                          - "memberRole"
                          - "memberBlocked"
                          - "userRole"
                          - "memberDeleted"
                          - "userDeleted"
                          - "groupDeleted"
                          - "groupUpdated"
                          - "invitedViaGroupLink"
                          - "memberCreatedContact"
                          - "memberProfileUpdated"
                          - "newMemberPendingReview"
                          - "msgBadSignature"
            SndGroupEvent:
              anyOf:
                - type: "object"
                  required: ["type", "groupMemberId", "profile", "role"]
                  properties:
                    type: {"const": "memberRole"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                    role: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "groupMemberId", "profile", "blocked"]
                  properties:
                    type: {"const": "memberBlocked"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                    blocked: {"type": "boolean"}
                - type: "object"
                  required: ["type", "role"]
                  properties: {"type": {"const": "userRole"}, "role": {"$ref": "#/components/schemas/GroupMemberRole"}}
                - type: "object"
                  required: ["type", "groupMemberId", "profile"]
                  properties:
                    type: {"const": "memberDeleted"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userLeft"}}}
                - type: "object"
                  required: ["type", "groupProfile"]
                  properties: {"type": {"const": "groupUpdated"}, "groupProfile": {"$ref": "#/components/schemas/GroupProfile"}}
                - type: "object"
                  required: ["type", "groupMemberId", "profile"]
                  properties:
                    type: {"const": "memberAccepted"}
                    groupMemberId: {"type": "integer", "format": "int64"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "userPendingReview"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "memberRole"
                          - "memberBlocked"
                          - "userRole"
                          - "memberDeleted"
                          - "userLeft"
                          - "groupUpdated"
                          - "memberAccepted"
                          - "userPendingReview"
            GroupFeature:
              type: "string"
              description: "One of timedMessages, directMessages, fullDelete, reactions, voice, files, simplexLinks, reports, history, support, sessions, comments, signMessages; later versions may add."
            PublicGroupData:
              type: "object"
              required: ["publicMemberCount"]
              properties: {"publicMemberCount": {"type": "integer", "format": "int64"}}
            GroupType: {"type": "string", "description": "One of channel, group; later versions may add."}
            PublicGroupAccess:
              type: "object"
              required: ["domainWebPage", "allowEmbedding"]
              properties:
                groupWebPage: {"type": "string"}
                groupDomainClaim: {"$ref": "#/components/schemas/SimplexDomainClaim"}
                domainWebPage: {"type": "boolean"}
                allowEmbedding: {"type": "boolean"}
            MemberCriteria: {"type": "string", "description": "One of all; later versions may add."}
            GroupFeatureEnabled: {"type": "string", "description": "One of on, off; later versions may add."}
            GroupMemberRef:
              type: "object"
              required: ["groupMemberId", "profile"]
              properties:
                groupMemberId: {"type": "integer", "format": "int64"}
                profile: {"$ref": "#/components/schemas/Profile"}
            response.chatRunning: {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatRunning"}}, "examples": [{"type": "chatRunning"}]}
            response.chatStarted: {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatStarted"}}, "examples": [{"type": "chatStarted"}]}
            response.chatStopped: {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatStopped"}}, "examples": [{"type": "chatStopped"}]}
            response.apiChat:
              examples: [{"type": "apiChat", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chat": {"chatInfo": {"type": "local", "noteFolder": {"noteFolderId": 1, "userId": 1, "createdAt": "2026-11-21T03:04:49Z", "updatedAt": "2026-11-21T03:04:49.301059125Z", "chatTs": "2026-11-21T03:04:49.273067541Z", "favorite": false, "unread": false}}, "chatItems": [], "chatStats": {"unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": false}}}]
              type: "object"
              required: ["type", "user", "chat"]
              properties:
                type: {"const": "apiChat"}
                user: {"$ref": "#/components/schemas/User"}
                chat: {"$ref": "#/components/schemas/AChat"}
                navInfo: {"$ref": "#/components/schemas/NavigationInfo"}
            response.apiChats:
              examples: [{"type": "apiChats", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chats": []}]
              type: "object"
              required: ["type", "user", "chats"]
              properties:
                type: {"const": "apiChats"}
                user: {"$ref": "#/components/schemas/User"}
                chats: {"type": "array", "items": {"$ref": "#/components/schemas/AChat"}}
            response.chatContentTypes:
              examples: [{"type": "chatContentTypes", "contentTypes": ["text", "image"]}]
              type: "object"
              required: ["type", "contentTypes"]
              properties:
                type: {"const": "chatContentTypes"}
                contentTypes: {"type": "array", "items": {"$ref": "#/components/schemas/MsgContentTag"}}
            response.chatItemInfo:
              examples: [{"type": "chatItemInfo", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItem": {"chatInfo": {"type": "local", "noteFolder": {"noteFolderId": 1, "userId": 1, "createdAt": "2026-11-21T03:04:49Z", "updatedAt": "2026-11-21T03:04:49Z", "chatTs": "2026-11-21T03:04:49.273067541Z", "favorite": false, "unread": false}}, "chatItem": {"chatDir": {"type": "localSnd"}, "meta": {"itemId": 1, "itemTs": "2026-11-21T03:04:49.242887513Z", "itemText": "a note, edited", "itemStatus": {"type": "sndNew"}, "itemEdited": true, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T03:04:49.242887513Z", "updatedAt": "2026-11-21T03:04:49.242887513Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "a note, edited"}}, "mentions": {}, "reactions": []}}, "chatItemInfo": {"itemVersions": [{"chatItemVersionId": 2, "msgContent": {"type": "text", "text": "a note, edited"}, "itemVersionTs": "2026-11-21T03:04:49.282711525Z", "createdAt": "2026-11-21T03:04:49Z"}, {"chatItemVersionId": 1, "msgContent": {"type": "text", "text": "a note to self"}, "itemVersionTs": "2026-11-21T03:04:49.242887513Z", "createdAt": "2026-11-21T03:04:49Z"}]}}]
              type: "object"
              required: ["type", "user", "chatItem", "chatItemInfo"]
              properties:
                type: {"const": "chatItemInfo"}
                user: {"$ref": "#/components/schemas/User"}
                chatItem: {"$ref": "#/components/schemas/AChatItem"}
                chatItemInfo: {"$ref": "#/components/schemas/ChatItemInfo"}
            response.chatItemNotChanged:
              examples: [{"type": "chatItemNotChanged", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItem": {"chatInfo": {"type": "direct", "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "VVZsc2R3akRSU2tuejZJNA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:02:36.954427407Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:02:37.470144854Z", "updatedAt": "2026-11-21T03:02:37.470144854Z", "chatTs": "2026-11-21T03:02:38.699765408Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}, "chatItem": {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 8, "itemTs": "2026-11-21T03:02:37.801393933Z", "itemText": "hello, edited", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "ZGExUjRTL1IrRkpMM1VENw==", "itemEdited": true, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T03:02:37.801393933Z", "updatedAt": "2026-11-21T03:02:38.1161741Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "hello, edited"}}, "mentions": {}, "reactions": []}}}]
              type: "object"
              required: ["type", "user", "chatItem"]
              properties:
                type: {"const": "chatItemNotChanged"}
                user: {"$ref": "#/components/schemas/User"}
                chatItem: {"$ref": "#/components/schemas/AChatItem"}
            response.chatItemReaction:
              examples: [{"type": "chatItemReaction", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "added": true, "reaction": {"chatInfo": {"type": "direct", "contact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "bjVINkVVQ2wwRjdpb2V0cw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:02:36.961265226Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:02:37.772227482Z", "updatedAt": "2026-11-21T03:02:37.772227482Z", "chatTs": "2026-11-21T03:02:40.100388702Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}, "chatReaction": {"chatDir": {"type": "directSnd"}, "chatItem": {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 8, "itemTs": "2026-11-21T03:02:37Z", "itemText": "hello, edited twice", "itemStatus": {"type": "rcvNew"}, "itemSharedMsgId": "ZGExUjRTL1IrRkpMM1VENw==", "itemEdited": true, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T03:02:37.835482415Z", "updatedAt": "2026-11-21T03:02:37.835482415Z"}, "content": {"type": "rcvMsgContent", "msgContent": {"type": "text", "text": "hello, edited twice"}}, "mentions": {}, "reactions": [{"reaction": {"type": "emoji", "emoji": "👍"}, "userReacted": true, "totalReacted": 1}]}, "sentAt": "2026-11-21T03:02:40.616265597Z", "reaction": {"type": "emoji", "emoji": "👍"}}}}]
              type: "object"
              required: ["type", "user", "added", "reaction"]
              properties:
                type: {"const": "chatItemReaction"}
                user: {"$ref": "#/components/schemas/User"}
                added: {"type": "boolean"}
                reaction: {"$ref": "#/components/schemas/ACIReaction"}
            response.chatItemUpdated:
              examples: [{"type": "chatItemUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItem": {"chatInfo": {"type": "local", "noteFolder": {"noteFolderId": 1, "userId": 1, "createdAt": "2026-11-21T03:04:49Z", "updatedAt": "2026-11-21T03:04:49Z", "chatTs": "2026-11-21T03:04:49.273067541Z", "favorite": false, "unread": false}}, "chatItem": {"chatDir": {"type": "localSnd"}, "meta": {"itemId": 1, "itemTs": "2026-11-21T03:04:49.242887513Z", "itemText": "a note, edited", "itemStatus": {"type": "sndNew"}, "itemEdited": true, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T03:04:49.242887513Z", "updatedAt": "2026-11-21T03:04:49.242887513Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "a note, edited"}}, "mentions": {}, "reactions": []}}}]
              type: "object"
              required: ["type", "user", "chatItem"]
              properties:
                type: {"const": "chatItemUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                chatItem: {"$ref": "#/components/schemas/AChatItem"}
            response.chatItems:
              examples: [{"type": "chatItems", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "shortDescr": "the best", "preferences": {"voice": {"allow": "no"}}, "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "no"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false, "userMemberProfileUpdatedAt": "2026-11-21T03:42:12.591354558Z"}, "chatItems": [{"chatInfo": {"type": "direct", "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "a2RyQkVqckh4d3FHNFhHMw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:42:11.783824887Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {"timedMessages": {"allow": "no", "ttl": 30}, "fullDelete": {"allow": "always"}, "calls": {"allow": "no"}}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "contact", "preference": {"allow": "no", "ttl": 30}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": true}, "userPreference": {"type": "contact", "preference": {"allow": "always"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "contact", "preference": {"allow": "no"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:42:12.230966003Z", "updatedAt": "2026-11-21T03:42:13.493999793Z", "chatTs": "2026-11-21T03:42:13.503252293Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}, "chatItem": {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 1, "itemTs": "1970-01-01T00:00:00Z", "itemText": "chat banner", "itemStatus": {"type": "sndNew"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T03:42:12.268014965Z", "updatedAt": "2026-11-21T03:42:12.268014965Z"}, "content": {"type": "chatBanner"}, "mentions": {}, "reactions": []}}]}]
              type: "object"
              required: ["type", "user", "chatItems"]
              properties:
                type: {"const": "chatItems"}
                user: {"$ref": "#/components/schemas/User"}
                chatName_: {"$ref": "#/components/schemas/ChatName"}
                chatItems: {"type": "array", "items": {"$ref": "#/components/schemas/AChatItem"}}
            response.chatItemsDeleted:
              examples: [{"type": "chatItemsDeleted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItemDeletions": [], "byUser": true, "timed": false}]
              type: "object"
              required: ["type", "user", "chatItemDeletions", "byUser", "timed"]
              properties:
                type: {"const": "chatItemsDeleted"}
                user: {"$ref": "#/components/schemas/User"}
                chatItemDeletions: {"type": "array", "items": {"$ref": "#/components/schemas/ChatItemDeletion"}}
                byUser: {"type": "boolean"}
                timed: {"type": "boolean"}
            response.chatMsgContent:
              examples: [{"type": "chatMsgContent", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "msgContent": {"type": "text", "text": "https://simplex.chat"}}]
              type: "object"
              required: ["type", "user", "msgContent"]
              properties:
                type: {"const": "chatMsgContent"}
                user: {"$ref": "#/components/schemas/User"}
                msgContent: {"$ref": "#/components/schemas/MsgContent"}
            response.contactConnectionDeleted:
              examples: [{"type": "contactConnectionDeleted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "connection": {"pccConnId": 2, "pccAgentConnId": "WlNEQnA4emtOaUhIWDdodw==", "pccConnStatus": "new", "viaContactUri": false, "connLinkInv": {"connFullLink": "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2F1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ%3D%40127.0.0.1%3A17223%2FYwILNrHl_Pu1OUhaG7a8z1nZ-35vmGlf%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA29pW0NLob3o2NlpDwH7cUwZgxZYWsViu4GQjH4lROQg%253D%26q%3Dm%26k%3Ds&e2e=v%3D2-3%26x3dh%3DMEIwBQYDK2VvAzkAX782Qzy97WrWjbTgn4nABBC6PTGsu4ejVfTGMaDZ_VHPMpws6hzNJ0hGBWJWJxeSIo0QDyPBJrw%3D%2CMEIwBQYDK2VvAzkAOkfzZq_IDlAeFxhzfon3ENdZmFcnElr6rpi3Fr-SfXljNjvpmp9MaJ_JX73NLcIojdRefaMJw7I%3D", "connShortLink": "https://127.0.0.1/i#zuglB5x-GHsES05OAAxXU8CDuiv5sJut/U5iSOldO3XhK-21K-J02um2cDRZU6u_MqH3cluKHsek?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ"}, "localAlias": "", "createdAt": "2026-11-21T03:14:07.891086775Z", "updatedAt": "2026-11-21T03:14:07.891086775Z"}}]
              type: "object"
              required: ["type", "user", "connection"]
              properties:
                type: {"const": "contactConnectionDeleted"}
                user: {"$ref": "#/components/schemas/User"}
                connection: {"$ref": "#/components/schemas/PendingContactConnection"}
            response.contactDeleted:
              examples: [{"type": "contactDeleted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "alice", "profile": {"profileId": 4, "displayName": "alice", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "contactUsed": true, "contactStatus": "deletedByUser", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:14:06.444219404Z", "updatedAt": "2026-11-21T03:14:11.682635937Z", "chatTs": "2026-11-21T03:14:06.569102672Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": true}}]
              type: "object"
              required: ["type", "user", "contact"]
              properties:
                type: {"const": "contactDeleted"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
            response.forwardPlan:
              examples: [{"type": "forwardPlan", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "itemsCount": 2, "chatItemIds": [5, 6]}]
              type: "object"
              required: ["type", "user", "itemsCount", "chatItemIds"]
              properties:
                type: {"const": "forwardPlan"}
                user: {"$ref": "#/components/schemas/User"}
                itemsCount: {"type": "integer"}
                chatItemIds: {"type": "array", "items": {"type": "integer", "format": "int64"}}
                forwardConfirmation: {"$ref": "#/components/schemas/ForwardConfirmation"}
            response.groupChatItemsDeleted:
              type: "object"
              required: ["type", "user", "groupInfo", "chatItemIDs", "byUser"]
              properties:
                type: {"const": "groupChatItemsDeleted"}
                user: {"$ref": "#/components/schemas/User"}
                groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                chatItemIDs: {"type": "array", "items": {"type": "integer", "format": "int64"}}
                byUser: {"type": "boolean"}
                member_: {"$ref": "#/components/schemas/GroupMember"}
            response.groupDeletedUser:
              examples: [{"type": "groupDeletedUser", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "groupInfo": {"groupId": 3, "useRelays": false, "localDisplayName": "short lived", "groupProfile": {"displayName": "short lived", "fullName": ""}, "localAlias": "", "fullGroupPreferences": {"timedMessages": {"enable": "off", "ttl": 86400}, "directMessages": {"enable": "off"}, "fullDelete": {"enable": "off"}, "reactions": {"enable": "on"}, "voice": {"enable": "on"}, "files": {"enable": "on"}, "simplexLinks": {"enable": "on"}, "reports": {"enable": "on"}, "history": {"enable": "off"}, "sessions": {"enable": "off"}, "commands": []}, "membership": {"groupMemberId": 5, "groupId": 3, "memberId": "MjZPUGRMYXJVY214ZTQ0Ug==", "memberRole": "owner", "memberCategory": "user", "memberStatus": "creator", "memberSettings": {"showMessages": true}, "blockedByAdmin": false, "invitedBy": {"type": "user"}, "localDisplayName": "alice", "memberProfile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "memberContactId": 1, "memberContactProfileId": 1, "memberChatVRange": {"minVersion": 1, "maxVersion": 16}, "createdAt": "2026-11-21T03:15:24.456992203Z", "updatedAt": "2026-11-21T03:15:24.456992203Z"}, "chatSettings": {"enableNtfs": "all", "favorite": false}, "createdAt": "2026-11-21T03:15:24.456992203Z", "updatedAt": "2026-11-21T03:15:24.456992203Z", "chatTs": "2026-11-21T03:15:24.484192883Z", "userMemberProfileSentAt": "2026-11-21T03:15:24.456992203Z", "chatTags": [], "groupSummary": {"currentMembers": 2}, "membersRequireAttention": 0}}]
              type: "object"
              required: ["type", "user", "groupInfo"]
              properties:
                type: {"const": "groupDeletedUser"}
                user: {"$ref": "#/components/schemas/User"}
                groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                msgSigned: {"type": "boolean"}
            response.itemsReadForChat:
              examples: [{"type": "itemsReadForChat", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatInfo": {"type": "direct", "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "VVZsc2R3akRSU2tuejZJNA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:02:36.954427407Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:02:37.470144854Z", "updatedAt": "2026-11-21T03:02:37.470144854Z", "chatTs": "2026-11-21T03:02:46.388672695Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}}]
              type: "object"
              required: ["type", "user", "chatInfo"]
              properties:
                type: {"const": "itemsReadForChat"}
                user: {"$ref": "#/components/schemas/User"}
                chatInfo: {"$ref": "#/components/schemas/ChatInfo"}
            response.memberSupportChatRead:
              type: "object"
              required: ["type", "user", "groupInfo", "member"]
              properties:
                type: {"const": "memberSupportChatRead"}
                user: {"$ref": "#/components/schemas/User"}
                groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                member: {"$ref": "#/components/schemas/GroupMember"}
            response.newChatItems:
              examples: [{"type": "newChatItems", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItems": [{"chatInfo": {"type": "local", "noteFolder": {"noteFolderId": 1, "userId": 1, "createdAt": "2026-11-21T03:04:49Z", "updatedAt": "2026-11-21T03:04:49Z", "chatTs": "2026-11-21T03:04:49.24857407Z", "favorite": false, "unread": false}}, "chatItem": {"chatDir": {"type": "localSnd"}, "meta": {"itemId": 4, "itemTs": "2026-11-21T03:04:49.25409862Z", "itemText": "plain note", "itemStatus": {"type": "sndNew"}, "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T03:04:49.25409862Z", "updatedAt": "2026-11-21T03:04:49.25409862Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "plain note"}}, "mentions": {}, "reactions": []}}]}]
              type: "object"
              required: ["type", "user", "chatItems"]
              properties:
                type: {"const": "newChatItems"}
                user: {"$ref": "#/components/schemas/User"}
                chatItems: {"type": "array", "items": {"$ref": "#/components/schemas/AChatItem"}}
            ComposedMessage:
              type: "object"
              required: ["msgContent", "mentions"]
              properties:
                fileSource: {"$ref": "#/components/schemas/CryptoFile"}
                quotedItemId: {"type": "integer", "format": "int64"}
                msgContent: {"$ref": "#/components/schemas/MsgContent"}
                mentions: {"type": "object", "additionalProperties": {"type": "integer", "format": "int64"}}
            UpdatedMessage:
              type: "object"
              required: ["msgContent", "mentions"]
              properties:
                msgContent: {"$ref": "#/components/schemas/MsgContent"}
                mentions: {"type": "object", "additionalProperties": {"type": "integer", "format": "int64"}}
            CIDeleteMode:
              type: "string"
              description: "One of broadcast, internal, internalMark, history; later versions may add."
            MsgReaction:
              anyOf:
                - type: "object"
                  required: ["type", "emoji"]
                  properties: {"type": {"const": "emoji"}, "emoji": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["emoji"]}}}
            ChatType:
              type: "string"
              description: "One of direct, group, local, contactRequest, contactConnection; later versions may add."
            ReportReason:
              type: "string"
              description: "One of spam, content, community, profile, other; later versions may add."
            MsgContent:
              anyOf:
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "text"}, "text": {"type": "string"}}
                - type: "object"
                  required: ["type", "text", "preview"]
                  properties:
                    type: {"const": "link"}
                    text: {"type": "string"}
                    preview: {"$ref": "#/components/schemas/LinkPreview"}
                - type: "object"
                  required: ["type", "text", "image"]
                  properties: {"type": {"const": "image"}, "text": {"type": "string"}, "image": {"type": "string"}}
                - type: "object"
                  required: ["type", "text", "image", "duration"]
                  properties:
                    type: {"const": "video"}
                    text: {"type": "string"}
                    image: {"type": "string"}
                    duration: {"type": "integer"}
                - type: "object"
                  required: ["type", "text", "duration"]
                  properties: {"type": {"const": "voice"}, "text": {"type": "string"}, "duration": {"type": "integer"}}
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "file"}, "text": {"type": "string"}}
                - type: "object"
                  required: ["type", "text", "reason"]
                  properties:
                    type: {"const": "report"}
                    text: {"type": "string"}
                    reason: {"$ref": "#/components/schemas/ReportReason"}
                - type: "object"
                  required: ["type", "text", "chatLink"]
                  properties:
                    type: {"const": "chat"}
                    text: {"type": "string"}
                    chatLink: {"$ref": "#/components/schemas/MsgChatLink"}
                    ownerSig: {"$ref": "#/components/schemas/LinkOwnerSig"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["text", "link", "image", "video", "voice", "file", "report", "chat"]}}}
            AChat:
              type: "object"
              required: ["chatInfo", "chatItems", "chatStats"]
              properties:
                chatInfo: {"$ref": "#/components/schemas/ChatInfo"}
                chatItems: {"type": "array", "items": {"$ref": "#/components/schemas/ChatItem"}}
                chatStats: {"$ref": "#/components/schemas/ChatStats"}
            NavigationInfo:
              type: "object"
              required: ["afterUnread", "afterTotal"]
              properties: {"afterUnread": {"type": "integer"}, "afterTotal": {"type": "integer"}}
            ChatInfo:
              anyOf:
                - type: "object"
                  required: ["type", "contact"]
                  properties: {"type": {"const": "direct"}, "contact": {"$ref": "#/components/schemas/Contact"}}
                - type: "object"
                  required: ["type", "groupInfo"]
                  properties:
                    type: {"const": "group"}
                    groupInfo: {"$ref": "#/components/schemas/GroupInfo"}
                    groupChatScope: {"$ref": "#/components/schemas/GroupChatScopeInfo"}
                - type: "object"
                  required: ["type", "noteFolder"]
                  properties: {"type": {"const": "local"}, "noteFolder": {"$ref": "#/components/schemas/NoteFolder"}}
                - type: "object"
                  required: ["type", "contactRequest"]
                  properties:
                    type: {"const": "contactRequest"}
                    contactRequest: {"$ref": "#/components/schemas/UserContactRequest"}
                - type: "object"
                  required: ["type", "contactConnection"]
                  properties:
                    type: {"const": "contactConnection"}
                    contactConnection: {"$ref": "#/components/schemas/PendingContactConnection"}
                - type: "object"
                  required: ["type", "chatType", "json"]
                  properties:
                    type: {"const": "invalidJSON"}
                    chatType: {"$ref": "#/components/schemas/ChatType"}
                    json: {"type": "object"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["direct", "group", "local", "contactRequest", "contactConnection", "invalidJSON"]}}
            MsgContentTag:
              type: "string"
              description: "One of text, link, image, video, voice, file, report, chat; later versions may add."
            AChatItem:
              type: "object"
              required: ["chatInfo", "chatItem"]
              properties:
                chatInfo: {"$ref": "#/components/schemas/ChatInfo"}
                chatItem: {"$ref": "#/components/schemas/ChatItem"}
            ChatItemInfo:
              type: "object"
              required: ["itemVersions"]
              properties:
                itemVersions: {"type": "array", "items": {"$ref": "#/components/schemas/ChatItemVersion"}}
                memberDeliveryStatuses: {"type": "array", "items": {"$ref": "#/components/schemas/MemberDeliveryStatus"}}
                forwardedFromChatItem: {"$ref": "#/components/schemas/AChatItem"}
            ACIReaction:
              type: "object"
              required: ["chatInfo", "chatReaction"]
              properties:
                chatInfo: {"$ref": "#/components/schemas/ChatInfo"}
                chatReaction: {"$ref": "#/components/schemas/CIReaction"}
            ChatName:
              type: "object"
              required: ["chatType", "chatName"]
              properties: {"chatType": {"$ref": "#/components/schemas/ChatType"}, "chatName": {"type": "string"}}
            ChatItemDeletion:
              type: "object"
              required: ["deletedChatItem"]
              properties:
                deletedChatItem: {"$ref": "#/components/schemas/AChatItem"}
                toChatItem: {"$ref": "#/components/schemas/AChatItem"}
            ForwardConfirmation:
              anyOf:
                - type: "object"
                  required: ["type", "fileIds"]
                  properties:
                    type: {"const": "filesNotAccepted"}
                    fileIds: {"type": "array", "items": {"type": "integer", "format": "int64"}}
                - type: "object"
                  required: ["type", "filesCount"]
                  properties: {"type": {"const": "filesInProgress"}, "filesCount": {"type": "integer"}}
                - type: "object"
                  required: ["type", "filesCount"]
                  properties: {"type": {"const": "filesMissing"}, "filesCount": {"type": "integer"}}
                - type: "object"
                  required: ["type", "filesCount"]
                  properties: {"type": {"const": "filesFailed"}, "filesCount": {"type": "integer"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["filesNotAccepted", "filesInProgress", "filesMissing", "filesFailed"]}}
            LinkPreview:
              type: "object"
              required: ["uri", "title", "description", "image"]
              properties:
                uri: {"type": "string"}
                title: {"type": "string"}
                description: {"type": "string"}
                image: {"type": "string"}
                content: {"$ref": "#/components/schemas/LinkContent"}
            MsgChatLink:
              anyOf:
                - type: "object"
                  required: ["type", "connLink", "profile", "business"]
                  properties:
                    type: {"const": "contact"}
                    connLink: {"type": "string"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                    business: {"type": "boolean"}
                - type: "object"
                  required: ["type", "invLink", "profile"]
                  properties:
                    type: {"const": "invitation"}
                    invLink: {"type": "string"}
                    profile: {"$ref": "#/components/schemas/Profile"}
                - type: "object"
                  required: ["type", "connLink", "groupProfile"]
                  properties:
                    type: {"const": "group"}
                    connLink: {"type": "string"}
                    groupProfile: {"$ref": "#/components/schemas/GroupProfile"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["contact", "invitation", "group"]}}}
            ChatItem:
              type: "object"
              required: ["chatDir", "meta", "content", "mentions", "reactions"]
              properties:
                chatDir: {"$ref": "#/components/schemas/CIDirection"}
                meta: {"$ref": "#/components/schemas/CIMeta"}
                content: {"$ref": "#/components/schemas/CIContent"}
                mentions: {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/CIMention"}}
                formattedText: {"type": "array", "items": {"$ref": "#/components/schemas/FormattedText"}}
                quotedItem: {"$ref": "#/components/schemas/CIQuote"}
                reactions: {"type": "array", "items": {"$ref": "#/components/schemas/CIReactionCount"}}
                file: {"$ref": "#/components/schemas/CIFile"}
            ChatStats:
              type: "object"
              required: ["unreadCount", "unreadMentions", "reportsCount", "minUnreadItemId", "unreadChat"]
              properties:
                unreadCount: {"type": "integer"}
                unreadMentions: {"type": "integer"}
                reportsCount: {"type": "integer"}
                minUnreadItemId: {"type": "integer", "format": "int64"}
                unreadChat: {"type": "boolean"}
            NoteFolder:
              type: "object"
              required: ["noteFolderId", "userId", "createdAt", "updatedAt", "chatTs", "favorite", "unread"]
              properties:
                noteFolderId: {"type": "integer", "format": "int64"}
                userId: {"type": "integer", "format": "int64"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
                chatTs: {"type": "string", "format": "date-time"}
                favorite: {"type": "boolean"}
                unread: {"type": "boolean"}
            ChatItemVersion:
              type: "object"
              required: ["chatItemVersionId", "msgContent", "itemVersionTs", "createdAt"]
              properties:
                chatItemVersionId: {"type": "integer", "format": "int64"}
                msgContent: {"$ref": "#/components/schemas/MsgContent"}
                formattedText: {"type": "array", "items": {"$ref": "#/components/schemas/FormattedText"}}
                itemVersionTs: {"type": "string", "format": "date-time"}
                createdAt: {"type": "string", "format": "date-time"}
            MemberDeliveryStatus:
              type: "object"
              required: ["groupMemberId", "memberDeliveryStatus"]
              properties:
                groupMemberId: {"type": "integer", "format": "int64"}
                memberDeliveryStatus: {"$ref": "#/components/schemas/GroupSndStatus"}
                sentViaProxy: {"type": "boolean"}
            CIReaction:
              type: "object"
              required: ["chatDir", "chatItem", "sentAt", "reaction"]
              properties:
                chatDir: {"$ref": "#/components/schemas/CIDirection"}
                chatItem: {"$ref": "#/components/schemas/ChatItem"}
                sentAt: {"type": "string", "format": "date-time"}
                reaction: {"$ref": "#/components/schemas/MsgReaction"}
            SimplexNameType: {"type": "string", "description": "One of publicGroup, contact; later versions may add."}
            LinkContent:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "page"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "image"}}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "video"}, "duration": {"type": "integer"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["page", "image", "video"]}}}
            MsgFilter: {"enum": ["none", "all", "mentions"]}
            CIDirection:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "directSnd"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "directRcv"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "groupSnd"}}}
                - type: "object"
                  required: ["type", "groupMember"]
                  properties: {"type": {"const": "groupRcv"}, "groupMember": {"$ref": "#/components/schemas/GroupMember"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "channelRcv"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "localSnd"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "localRcv"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not: {"enum": ["directSnd", "directRcv", "groupSnd", "groupRcv", "channelRcv", "localSnd", "localRcv"]}
            CIMeta:
              type: "object"
              required:
                - "itemId"
                - "itemTs"
                - "itemText"
                - "itemStatus"
                - "itemEdited"
                - "userMention"
                - "deletable"
                - "editable"
                - "showGroupAsSender"
                - "createdAt"
                - "updatedAt"
              properties:
                itemId: {"type": "integer", "format": "int64"}
                itemTs: {"type": "string", "format": "date-time"}
                itemText: {"type": "string"}
                itemStatus: {"$ref": "#/components/schemas/CIStatus"}
                sentViaProxy: {"type": "boolean"}
                itemSharedMsgId: {"type": "string"}
                itemForwarded: {"$ref": "#/components/schemas/CIForwardedFrom"}
                itemDeleted: {"$ref": "#/components/schemas/CIDeleted"}
                itemEdited: {"type": "boolean"}
                itemTimed: {"$ref": "#/components/schemas/CITimed"}
                itemLive: {"type": "boolean"}
                userMention: {"type": "boolean"}
                hasLink: {"type": "boolean"}
                deletable: {"type": "boolean"}
                editable: {"type": "boolean"}
                forwardedByMember: {"type": "integer", "format": "int64"}
                showGroupAsSender: {"type": "boolean"}
                msgVerified: {"$ref": "#/components/schemas/MsgVerified"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
            CIContent:
              anyOf:
                - type: "object"
                  required: ["type", "msgContent"]
                  properties: {"type": {"const": "sndMsgContent"}, "msgContent": {"$ref": "#/components/schemas/MsgContent"}}
                - type: "object"
                  required: ["type", "msgContent"]
                  properties: {"type": {"const": "rcvMsgContent"}, "msgContent": {"$ref": "#/components/schemas/MsgContent"}}
                - type: "object"
                  required: ["type", "deleteMode"]
                  properties: {"type": {"const": "sndDeleted"}, "deleteMode": {"$ref": "#/components/schemas/CIDeleteMode"}}
                - type: "object"
                  required: ["type", "deleteMode"]
                  properties: {"type": {"const": "rcvDeleted"}, "deleteMode": {"$ref": "#/components/schemas/CIDeleteMode"}}
                - type: "object"
                  required: ["type", "status", "duration"]
                  properties:
                    type: {"const": "sndCall"}
                    status: {"$ref": "#/components/schemas/CICallStatus"}
                    duration: {"type": "integer"}
                - type: "object"
                  required: ["type", "status", "duration"]
                  properties:
                    type: {"const": "rcvCall"}
                    status: {"$ref": "#/components/schemas/CICallStatus"}
                    duration: {"type": "integer"}
                - type: "object"
                  required: ["type", "msgError"]
                  properties:
                    type: {"const": "rcvIntegrityError"}
                    msgError: {"$ref": "#/components/schemas/MsgErrorType"}
                - type: "object"
                  required: ["type", "msgDecryptError", "msgCount"]
                  properties:
                    type: {"const": "rcvDecryptionError"}
                    msgDecryptError: {"$ref": "#/components/schemas/MsgDecryptError"}
                    msgCount: {"type": "integer", "minimum": 0}
                - type: "object"
                  required: ["type", "rcvMsgError"]
                  properties: {"type": {"const": "rcvMsgError"}, "rcvMsgError": {"$ref": "#/components/schemas/RcvMsgError"}}
                - type: "object"
                  required: ["type", "groupInvitation", "memberRole"]
                  properties:
                    type: {"const": "rcvGroupInvitation"}
                    groupInvitation: {"$ref": "#/components/schemas/CIGroupInvitation"}
                    memberRole: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "groupInvitation", "memberRole"]
                  properties:
                    type: {"const": "sndGroupInvitation"}
                    groupInvitation: {"$ref": "#/components/schemas/CIGroupInvitation"}
                    memberRole: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "rcvDirectEvent"]
                  properties:
                    type: {"const": "rcvDirectEvent"}
                    rcvDirectEvent: {"$ref": "#/components/schemas/RcvDirectEvent"}
                - type: "object"
                  required: ["type", "rcvGroupEvent"]
                  properties:
                    type: {"const": "rcvGroupEvent"}
                    rcvGroupEvent: {"$ref": "#/components/schemas/RcvGroupEvent"}
                - type: "object"
                  required: ["type", "sndGroupEvent"]
                  properties:
                    type: {"const": "sndGroupEvent"}
                    sndGroupEvent: {"$ref": "#/components/schemas/SndGroupEvent"}
                - type: "object"
                  required: ["type", "rcvConnEvent"]
                  properties: {"type": {"const": "rcvConnEvent"}, "rcvConnEvent": {"$ref": "#/components/schemas/RcvConnEvent"}}
                - type: "object"
                  required: ["type", "sndConnEvent"]
                  properties: {"type": {"const": "sndConnEvent"}, "sndConnEvent": {"$ref": "#/components/schemas/SndConnEvent"}}
                - type: "object"
                  required: ["type", "feature", "enabled"]
                  properties:
                    type: {"const": "rcvChatFeature"}
                    feature: {"$ref": "#/components/schemas/ChatFeature"}
                    enabled: {"$ref": "#/components/schemas/PrefEnabled"}
                    param: {"type": "integer"}
                - type: "object"
                  required: ["type", "feature", "enabled"]
                  properties:
                    type: {"const": "sndChatFeature"}
                    feature: {"$ref": "#/components/schemas/ChatFeature"}
                    enabled: {"$ref": "#/components/schemas/PrefEnabled"}
                    param: {"type": "integer"}
                - type: "object"
                  required: ["type", "feature", "allowed"]
                  properties:
                    type: {"const": "rcvChatPreference"}
                    feature: {"$ref": "#/components/schemas/ChatFeature"}
                    allowed: {"$ref": "#/components/schemas/FeatureAllowed"}
                    param: {"type": "integer"}
                - type: "object"
                  required: ["type", "feature", "allowed"]
                  properties:
                    type: {"const": "sndChatPreference"}
                    feature: {"$ref": "#/components/schemas/ChatFeature"}
                    allowed: {"$ref": "#/components/schemas/FeatureAllowed"}
                    param: {"type": "integer"}
                - type: "object"
                  required: ["type", "groupFeature", "preference"]
                  properties:
                    type: {"const": "rcvGroupFeature"}
                    groupFeature: {"$ref": "#/components/schemas/GroupFeature"}
                    preference: {"$ref": "#/components/schemas/GroupPreference"}
                    param: {"type": "integer"}
                    memberRole_: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "groupFeature", "preference"]
                  properties:
                    type: {"const": "sndGroupFeature"}
                    groupFeature: {"$ref": "#/components/schemas/GroupFeature"}
                    preference: {"$ref": "#/components/schemas/GroupPreference"}
                    param: {"type": "integer"}
                    memberRole_: {"$ref": "#/components/schemas/GroupMemberRole"}
                - type: "object"
                  required: ["type", "feature"]
                  properties:
                    type: {"const": "rcvChatFeatureRejected"}
                    feature: {"$ref": "#/components/schemas/ChatFeature"}
                - type: "object"
                  required: ["type", "groupFeature"]
                  properties:
                    type: {"const": "rcvGroupFeatureRejected"}
                    groupFeature: {"$ref": "#/components/schemas/GroupFeature"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndModerated"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvModerated"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvBlocked"}}}
                - type: "object"
                  required: ["type", "e2eeInfo"]
                  properties: {"type": {"const": "sndDirectE2EEInfo"}, "e2eeInfo": {"$ref": "#/components/schemas/E2EInfo"}}
                - type: "object"
                  required: ["type", "e2eeInfo"]
                  properties: {"type": {"const": "rcvDirectE2EEInfo"}, "e2eeInfo": {"$ref": "#/components/schemas/E2EInfo"}}
                - type: "object"
                  required: ["type", "e2eeInfo"]
                  properties: {"type": {"const": "sndGroupE2EEInfo"}, "e2eeInfo": {"$ref": "#/components/schemas/E2EInfo"}}
                - type: "object"
                  required: ["type", "e2eeInfo"]
                  properties: {"type": {"const": "rcvGroupE2EEInfo"}, "e2eeInfo": {"$ref": "#/components/schemas/E2EInfo"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "chatBanner"}}}
                - type: "object"
                  required: ["type", "direction", "json"]
                  properties:
                    type: {"const": "invalidJSON"}
                    direction: {"$ref": "#/components/schemas/MsgDirection"}
                    json: {"type": "string"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "sndMsgContent"
                          - "rcvMsgContent"
                          - "sndDeleted"
                          - "rcvDeleted"
                          - "sndCall"
                          - "rcvCall"
                          - "rcvIntegrityError"
                          - "rcvDecryptionError"
                          - "rcvMsgError"
                          - "rcvGroupInvitation"
                          - "sndGroupInvitation"
                          - "rcvDirectEvent"
                          - "rcvGroupEvent"
                          - "sndGroupEvent"
                          - "rcvConnEvent"
                          - "sndConnEvent"
                          - "rcvChatFeature"
                          - "sndChatFeature"
                          - "rcvChatPreference"
                          - "sndChatPreference"
                          - "rcvGroupFeature"
                          - "sndGroupFeature"
                          - "rcvChatFeatureRejected"
                          - "rcvGroupFeatureRejected"
                          - "sndModerated"
                          - "rcvModerated"
                          - "rcvBlocked"
                          - "sndDirectE2EEInfo"
                          - "rcvDirectE2EEInfo"
                          - "sndGroupE2EEInfo"
                          - "rcvGroupE2EEInfo"
                          - "chatBanner"
                          - "invalidJSON"
            CIMention:
              type: "object"
              required: ["memberId"]
              properties: {"memberId": {"type": "string"}, "memberRef": {"$ref": "#/components/schemas/CIMentionMember"}}
            FormattedText:
              type: "object"
              required: ["text"]
              properties: {"format": {"$ref": "#/components/schemas/Format"}, "text": {"type": "string"}}
            CIQuote:
              type: "object"
              required: ["sentAt", "content"]
              properties:
                chatDir: {"$ref": "#/components/schemas/CIDirection"}
                itemId: {"type": "integer", "format": "int64"}
                sharedMsgId: {"type": "string"}
                sentAt: {"type": "string", "format": "date-time"}
                content: {"$ref": "#/components/schemas/MsgContent"}
                formattedText: {"type": "array", "items": {"$ref": "#/components/schemas/FormattedText"}}
            CIReactionCount:
              type: "object"
              required: ["reaction", "userReacted", "totalReacted"]
              properties:
                reaction: {"$ref": "#/components/schemas/MsgReaction"}
                userReacted: {"type": "boolean"}
                totalReacted: {"type": "integer"}
            CIFile:
              type: "object"
              required: ["fileId", "fileName", "fileSize", "fileStatus", "fileProtocol"]
              properties:
                fileId: {"type": "integer", "format": "int64"}
                fileName: {"type": "string"}
                fileSize: {"type": "integer", "format": "int64"}
                fileSource: {"$ref": "#/components/schemas/CryptoFile"}
                fileStatus: {"$ref": "#/components/schemas/CIFileStatus"}
                fileProtocol: {"$ref": "#/components/schemas/FileProtocol"}
            GroupSndStatus:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "new"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "forwarded"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "inactive"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sent"}}}
                - type: "object"
                  required: ["type", "msgRcptStatus"]
                  properties: {"type": {"const": "rcvd"}, "msgRcptStatus": {"$ref": "#/components/schemas/MsgReceiptStatus"}}
                - type: "object"
                  required: ["type", "agentError"]
                  properties: {"type": {"const": "error"}, "agentError": {"$ref": "#/components/schemas/SndError"}}
                - type: "object"
                  required: ["type", "agentError"]
                  properties: {"type": {"const": "warning"}, "agentError": {"$ref": "#/components/schemas/SndError"}}
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "invalid"}, "text": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"type": "string", "not": {"enum": ["new", "forwarded", "inactive", "sent", "rcvd", "error", "warning", "invalid"]}}
            SimplexTLD: {"type": "string", "description": "One of simplex, testing, web; later versions may add."}
            CIStatus:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndNew"}}}
                - type: "object"
                  required: ["type", "sndProgress"]
                  properties:
                    type: {"const": "sndSent"}
                    sndProgress: {"$ref": "#/components/schemas/SndCIStatusProgress"}
                - type: "object"
                  required: ["type", "msgRcptStatus", "sndProgress"]
                  properties:
                    type: {"const": "sndRcvd"}
                    msgRcptStatus: {"$ref": "#/components/schemas/MsgReceiptStatus"}
                    sndProgress: {"$ref": "#/components/schemas/SndCIStatusProgress"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndErrorAuth"}}}
                - type: "object"
                  required: ["type", "agentError"]
                  properties: {"type": {"const": "sndError"}, "agentError": {"$ref": "#/components/schemas/SndError"}}
                - type: "object"
                  required: ["type", "agentError"]
                  properties: {"type": {"const": "sndWarning"}, "agentError": {"$ref": "#/components/schemas/SndError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvNew"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvRead"}}}
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "invalid"}, "text": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "sndNew"
                          - "sndSent"
                          - "sndRcvd"
                          - "sndErrorAuth"
                          - "sndError"
                          - "sndWarning"
                          - "rcvNew"
                          - "rcvRead"
                          - "invalid"
            CIForwardedFrom:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unknown"}}}
                - type: "object"
                  required: ["type", "chatName", "msgDir"]
                  properties:
                    type: {"const": "contact"}
                    chatName: {"type": "string"}
                    msgDir: {"$ref": "#/components/schemas/MsgDirection"}
                    contactId: {"type": "integer", "format": "int64"}
                    chatItemId: {"type": "integer", "format": "int64"}
                - type: "object"
                  required: ["type", "chatName", "msgDir"]
                  properties:
                    type: {"const": "group"}
                    chatName: {"type": "string"}
                    msgDir: {"$ref": "#/components/schemas/MsgDirection"}
                    groupId: {"type": "integer", "format": "int64"}
                    chatItemId: {"type": "integer", "format": "int64"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["unknown", "contact", "group"]}}}
            CIDeleted:
              anyOf:
                - type: "object"
                  required: ["type", "chatType"]
                  properties:
                    type: {"const": "deleted"}
                    deletedTs: {"type": "string", "format": "date-time"}
                    chatType: {"$ref": "#/components/schemas/ChatType"}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "blocked"}, "deletedTs": {"type": "string", "format": "date-time"}}
                - type: "object"
                  required: ["type"]
                  properties: {"type": {"const": "blockedByAdmin"}, "deletedTs": {"type": "string", "format": "date-time"}}
                - type: "object"
                  required: ["type", "byGroupMember"]
                  properties:
                    type: {"const": "moderated"}
                    deletedTs: {"type": "string", "format": "date-time"}
                    byGroupMember: {"$ref": "#/components/schemas/GroupMember"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["deleted", "blocked", "blockedByAdmin", "moderated"]}}}
            CITimed:
              type: "object"
              required: ["ttl"]
              properties: {"ttl": {"type": "integer"}, "deleteAt": {"type": "string", "format": "date-time"}}
            MsgVerified:
              anyOf:
                - type: "object"
                  required: ["type", "sigStatus"]
                  properties: {"type": {"const": "signed"}, "sigStatus": {"$ref": "#/components/schemas/MsgSigStatus"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sigMissing"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["signed", "sigMissing"]}}}
            CIGroupInvitation:
              type: "object"
              required: ["groupId", "groupMemberId", "localDisplayName", "groupProfile", "status"]
              properties:
                groupId: {"type": "integer", "format": "int64"}
                groupMemberId: {"type": "integer", "format": "int64"}
                localDisplayName: {"type": "string"}
                groupProfile: {"$ref": "#/components/schemas/GroupProfile"}
                status: {"$ref": "#/components/schemas/CIGroupInvitationStatus"}
            RcvDirectEvent:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "contactDeleted"}}}
                - type: "object"
                  required: ["type", "fromProfile", "toProfile"]
                  properties:
                    type: {"const": "profileUpdated"}
                    fromProfile: {"$ref": "#/components/schemas/Profile"}
                    toProfile: {"$ref": "#/components/schemas/Profile"}
                - type: "object"
                  required: ["type", "groupProfile"]
                  properties:
                    type: {"const": "groupInvLinkReceived"}
                    groupProfile: {"$ref": "#/components/schemas/GroupProfile"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["contactDeleted", "profileUpdated", "groupInvLinkReceived"]}}}
            RcvConnEvent:
              anyOf:
                - type: "object"
                  required: ["type", "phase"]
                  properties: {"type": {"const": "switchQueue"}, "phase": {"$ref": "#/components/schemas/SwitchPhase"}}
                - type: "object"
                  required: ["type", "syncStatus"]
                  properties:
                    type: {"const": "ratchetSync"}
                    syncStatus: {"$ref": "#/components/schemas/RatchetSyncState"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "verificationCodeReset"}}}
                - type: "object"
                  required: ["type", "enabled"]
                  properties: {"type": {"const": "pqEnabled"}, "enabled": {"type": "boolean"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["switchQueue", "ratchetSync", "verificationCodeReset", "pqEnabled"]}}}
            SndConnEvent:
              anyOf:
                - type: "object"
                  required: ["type", "phase"]
                  properties:
                    type: {"const": "switchQueue"}
                    phase: {"$ref": "#/components/schemas/SwitchPhase"}
                    member: {"$ref": "#/components/schemas/GroupMemberRef"}
                - type: "object"
                  required: ["type", "syncStatus"]
                  properties:
                    type: {"const": "ratchetSync"}
                    syncStatus: {"$ref": "#/components/schemas/RatchetSyncState"}
                    member: {"$ref": "#/components/schemas/GroupMemberRef"}
                - type: "object"
                  required: ["type", "enabled"]
                  properties: {"type": {"const": "pqEnabled"}, "enabled": {"type": "boolean"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["switchQueue", "ratchetSync", "pqEnabled"]}}}
            ChatFeature:
              type: "string"
              description: "One of timedMessages, fullDelete, reactions, voice, files, calls, sessions; later versions may add."
            E2EInfo: {"type": "object", "properties": {"public": {"type": "boolean"}, "pqEnabled": {"type": "boolean"}}}
            MsgDirection: {"type": "string", "description": "One of rcv, snd; later versions may add."}
            CIMentionMember:
              type: "object"
              required: ["groupMemberId", "displayName", "memberRole"]
              properties:
                groupMemberId: {"type": "integer", "format": "int64"}
                displayName: {"type": "string"}
                localAlias: {"type": "string"}
                memberRole: {"$ref": "#/components/schemas/GroupMemberRole"}
            CIFileStatus:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndStored"}}}
                - type: "object"
                  required: ["type", "sndProgress", "sndTotal"]
                  properties:
                    type: {"const": "sndTransfer"}
                    sndProgress: {"type": "integer", "format": "int64"}
                    sndTotal: {"type": "integer", "format": "int64"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndCancelled"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "sndComplete"}}}
                - type: "object"
                  required: ["type", "sndFileError"]
                  properties: {"type": {"const": "sndError"}, "sndFileError": {"$ref": "#/components/schemas/FileError"}}
                - type: "object"
                  required: ["type", "sndFileError"]
                  properties: {"type": {"const": "sndWarning"}, "sndFileError": {"$ref": "#/components/schemas/FileError"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvInvitation"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvAccepted"}}}
                - type: "object"
                  required: ["type", "rcvProgress", "rcvTotal"]
                  properties:
                    type: {"const": "rcvTransfer"}
                    rcvProgress: {"type": "integer", "format": "int64"}
                    rcvTotal: {"type": "integer", "format": "int64"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvAborted"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvComplete"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "rcvCancelled"}}}
                - type: "object"
                  required: ["type", "rcvFileError"]
                  properties: {"type": {"const": "rcvError"}, "rcvFileError": {"$ref": "#/components/schemas/FileError"}}
                - type: "object"
                  required: ["type", "rcvFileError"]
                  properties: {"type": {"const": "rcvWarning"}, "rcvFileError": {"$ref": "#/components/schemas/FileError"}}
                - type: "object"
                  required: ["type", "text"]
                  properties: {"type": {"const": "invalid"}, "text": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "sndStored"
                          - "sndTransfer"
                          - "sndCancelled"
                          - "sndComplete"
                          - "sndError"
                          - "sndWarning"
                          - "rcvInvitation"
                          - "rcvAccepted"
                          - "rcvTransfer"
                          - "rcvAborted"
                          - "rcvComplete"
                          - "rcvCancelled"
                          - "rcvError"
                          - "rcvWarning"
                          - "invalid"
            MsgReceiptStatus: {"type": "string", "description": "One of ok, badMsgHash; later versions may add."}
            MsgMetaJSON:
              type: "object"
              required: ["integrity", "rcvId", "rcvTs", "serverId", "serverTs", "sndId"]
              properties:
                integrity: {"type": "string"}
                rcvId: {"type": "integer", "format": "int64"}
                rcvTs: {"type": "string", "format": "date-time"}
                serverId: {"type": "string"}
                serverTs: {"type": "string", "format": "date-time"}
                sndId: {"type": "integer", "format": "int64"}
            SndCIStatusProgress: {"type": "string", "description": "One of partial, complete; later versions may add."}
            MsgSigStatus: {"type": "string", "description": "One of verified, signedNoKey; later versions may add."}
            CIGroupInvitationStatus:
              type: "string"
              description: "One of pending, accepted, rejected, expired; later versions may add."
            Color:
              type: "string"
              description: "One of black, red, green, yellow, blue, magenta, cyan, white; later versions may add."
            SimplexLinkType:
              type: "string"
              description: "One of contact, invitation, group, channel, relay; later versions may add."
            Format:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "bold"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "italic"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "strikeThrough"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "snippet"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "secret"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "small"}}}
                - type: "object"
                  required: ["type", "color"]
                  properties: {"type": {"const": "colored"}, "color": {"$ref": "#/components/schemas/Color"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "uri"}}}
                - type: "object"
                  required: ["type", "linkUri"]
                  properties: {"type": {"const": "hyperLink"}, "showText": {"type": "string"}, "linkUri": {"type": "string"}}
                - type: "object"
                  required: ["type", "linkType", "simplexUri", "smpHosts"]
                  properties:
                    type: {"const": "simplexLink"}
                    showText: {"type": "string"}
                    linkType: {"$ref": "#/components/schemas/SimplexLinkType"}
                    simplexUri: {"type": "string"}
                    smpHosts: {"type": "array", "items": {"type": "string"}}
                - type: "object"
                  required: ["type", "nameInfo"]
                  properties: {"type": {"const": "simplexName"}, "nameInfo": {"$ref": "#/components/schemas/SimplexNameInfo"}}
                - type: "object"
                  required: ["type", "commandStr"]
                  properties: {"type": {"const": "command"}, "commandStr": {"type": "string"}}
                - type: "object"
                  required: ["type", "memberName"]
                  properties: {"type": {"const": "mention"}, "memberName": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "email"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "phone"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "bold"
                          - "italic"
                          - "strikeThrough"
                          - "snippet"
                          - "secret"
                          - "small"
                          - "colored"
                          - "uri"
                          - "hyperLink"
                          - "simplexLink"
                          - "simplexName"
                          - "command"
                          - "mention"
                          - "email"
                          - "phone"
            ModelSnapshot:
              examples: [{"id": "7d6597b57d5a9b39-2", "cursor": "adf902b09ed2-21", "model": {"userId": 1, "currentUser": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatTagsModel": {"userTags": [{"chatTagId": 1, "chatTagText": "Family", "chatTagEmoji": "🏠"}], "presetTags": {"contacts": 2}, "unreadTags": {}}, "callInvitations": {}, "notifications": {"tokenRegistered": false}, "chatItemTTL": 0, "networkInfo": {"networkType": "other", "online": true}, "conditions": {"serverOperators": [], "currentConditions": {"conditionsId": 2, "conditionsCommit": "7471fd2af5838dc0467aebc570b5ea75e5df3209", "createdAt": "2026-11-21T13:54:12.927531714Z"}}, "lifecycle": {"chatInitialized": true, "chatRunning": true, "chatDbChanged": false, "chatDbStatus": {"type": "ok"}, "ctrlInitInProgress": false}, "drafts": {}, "users": [{"user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "unreadCount": 0}, {"user": {"userId": 2, "agentUserId": "2", "userContactId": 2, "localDisplayName": "bob", "profile": {"profileId": 2, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 2, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "unreadCount": 5}], "totalUnreadCountForAllUsers": 5, "chats": []}}]
              type: "object"
              required: ["id", "cursor", "model"]
              properties:
                id: {"type": "string", "description": "The cursor of the changes that follow."}
                cursor: {"type": "string", "description": "The cursor of the events at which the state is true."}
                model: {"$ref": "#/components/schemas/ChatModel"}
            ChatModel:
              type: "object"
              required: ["userId", "users", "totalUnreadCountForAllUsers", "chats", "chatTagsModel", "callInvitations", "notifications", "networkInfo", "lifecycle", "drafts"]
              properties:
                userId: {"type": "integer", "format": "int64"}
                currentUser: {"$ref": "#/components/schemas/User"}
                users:
                  type: "array"
                  description: "All profiles that the key may know."
                  items: {"type": "object", "required": ["user", "unreadCount"], "properties": {"user": {"$ref": "#/components/schemas/User"}, "unreadCount": {"type": "integer"}}}
                totalUnreadCountForAllUsers: {"type": "integer"}
                chats: {"type": "array", "description": "The chat with the latest activity first; each with its last item.", "items": {"$ref": "#/components/schemas/ModelChat"}}
                chatTagsModel:
                  type: "object"
                  required: ["userTags", "presetTags", "unreadTags"]
                  properties:
                    userTags: {"type": "array", "items": {"type": "object"}}
                    presetTags: {"type": "object", "description": "Chats of each kind: favorites, contacts, groups, business, groupReports."}
                    unreadTags: {"type": "object", "description": "Unread chats of each tag, by its number."}
                callInvitations: {"type": "object", "description": "By the id of the caller's chat."}
                notifications: {"type": "object", "properties": {"tokenRegistered": {"type": "boolean"}, "tokenStatus": {"type": "string"}}}
                remoteCtrlSession: {"type": "object"}
                userAddress: {"type": "object"}
                chatItemTTL: {"type": "integer", "description": "Seconds."}
                networkInfo: {"type": "object"}
                conditions: {"type": "object"}
                lifecycle: {"type": "object", "properties": {"chatInitialized": {"type": "boolean"}, "chatRunning": {"type": "boolean"}, "chatDbChanged": {"type": "boolean"}, "chatDbEncrypted": {"type": "boolean"}}}
                drafts: {"type": "object", "description": "By the id of the chat."}
                draftChatId: {"type": "string", "description": "The chat of the draft that was changed last."}
            ModelChat:
              type: "object"
              required: ["id", "chatInfo", "chatItems", "chatStats", "created"]
              properties:
                id: {"type": "string", "description": "`@1` a contact, `#5` a group, `*1` notes, `<@2` a contact request, `:3` a pending connection."}
                chatInfo: {"type": "object", "required": ["type"]}
                chatItems: {"type": "array", "maxItems": 1, "items": {"type": "object"}}
                chatStats:
                  type: "object"
                  required: ["unreadCount", "unreadMentions", "reportsCount", "minUnreadItemId", "unreadChat"]
                  properties: {"unreadCount": {"type": "integer"}, "unreadMentions": {"type": "integer"}, "reportsCount": {"type": "integer"}, "minUnreadItemId": {"type": "integer", "format": "int64"}, "unreadChat": {"type": "boolean"}}
                created: {"type": "string"}
            ModelChange:
              type: "object"
              required: ["id", "time", "event"]
              properties:
                id: {"type": "string", "description": "The cursor after this change."}
                time: {"type": "string", "format": "date-time"}
                event:
                  type: "object"
                  required: ["type"]
                  properties:
                    type: {"enum": ["modelPatch", "gap"]}
                    cursor: {"type": "string", "description": "The cursor of the events at which the changed document is true."}
                    patch: {"type": "array", "description": "RFC 6902.", "items": {"type": "object", "required": ["op", "path"], "properties": {"op": {"enum": ["add", "remove", "replace", "move"]}, "path": {"type": "string"}, "from": {"type": "string"}}}}
            ModelChangePage:
              examples: [{"events": [{"id": "7d6597b57d5a9b39-3", "time": "2026-11-21T13:54:20.118Z", "event": {"type": "modelPatch", "cursor": "adf902b09ed2-22", "patch": [{"op": "replace", "path": "/chats/0/chatStats/unreadCount", "value": 1}]}}], "cursor": "7d6597b57d5a9b39-3"}]
              type: "object"
              required: ["events", "cursor"]
              properties:
                events: {"type": "array", "items": {"$ref": "#/components/schemas/ModelChange"}}
                cursor: {"type": "string", "description": "To go on from."}
            SessionSnapshot:
              examples: [{"id": "30261eadec9ff360-2", "cursor": "adf902b09ed2-21", "session": {"chatId": "@1", "chatInfo": {"type": "direct", "contact": {"contactId": 1, "localDisplayName": "bob", "profile": {"profileId": 3, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "S3JLU0VGRm9Cc1lNYUJhQQ==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 1, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T13:54:16.635115288Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T13:54:17.277546891Z", "updatedAt": "2026-11-21T13:54:17.277546891Z", "chatTs": "2026-11-21T13:54:17.755148139Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}}, "chatAgentConnId": "S3JLU0VGRm9Cc1lNYUJhQQ==", "chatDeleted": false, "membersLoaded": false, "groupMembers": [], "channelRelays": {"groupRelays": []}, "im": {"isLoading": false, "lastItemsLoaded": true, "newestLoaded": true, "preloadState": {"preloading": false, "prevItemsCount": 0}, "chatState": {"splits": [], "loadedRanges": [{"newestItemId": 20, "oldestItemId": 1, "count": 12}], "totalAfter": 0, "unreadAfter": 0, "unreadTotal": 0}, "reversedChatItems": [{"chatDir": {"type": "directSnd"}, "meta": {"itemId": 20, "itemTs": "2026-11-21T13:54:17.755148139Z", "itemText": "m4", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "Ry9laHVETDBMaXFzM1JMQg==", "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.755148139Z", "updatedAt": "2026-11-21T13:54:18.26685938Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "m4"}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 19, "itemTs": "2026-11-21T13:54:17.747963202Z", "itemText": "m3", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "aFJxWUtKNUF1OFhFNmhTeg==", "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.747963202Z", "updatedAt": "2026-11-21T13:54:18.26685938Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "m3"}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 17, "itemTs": "2026-11-21T13:54:17.733561743Z", "itemText": "m2", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "SGlVeHlzc1ZVeGtiYjVYSA==", "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.733561743Z", "updatedAt": "2026-11-21T13:54:18.190981935Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "m2"}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 16, "itemTs": "2026-11-21T13:54:17.718705494Z", "itemText": "m1", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "dUI3NmN4bXdZcytETWJHRg==", "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.718705494Z", "updatedAt": "2026-11-21T13:54:18.165874491Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "m1"}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 15, "itemTs": "2026-11-21T13:54:17.690435169Z", "itemText": "m0", "itemStatus": {"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": "complete"}, "sentViaProxy": false, "itemSharedMsgId": "Tlg4RnNCdlpNQkxOR1pmNQ==", "itemEdited": false, "userMention": false, "deletable": true, "editable": true, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.690435169Z", "updatedAt": "2026-11-21T13:54:18.165874491Z"}, "content": {"type": "sndMsgContent", "msgContent": {"type": "text", "text": "m0"}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 7, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "Audio/video calls: enabled", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvChatFeature", "feature": "calls", "enabled": {"forUser": true, "forContact": true}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 6, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "Voice messages: enabled", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvChatFeature", "feature": "voice", "enabled": {"forUser": true, "forContact": true}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 5, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "Message reactions: enabled", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvChatFeature", "feature": "reactions", "enabled": {"forUser": true, "forContact": true}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 4, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "Full deletion: off", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvChatFeature", "feature": "fullDelete", "enabled": {"forUser": false, "forContact": false}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 3, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "Disappearing messages: allowed", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvChatFeature", "feature": "timedMessages", "enabled": {"forUser": true, "forContact": true}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directRcv"}, "meta": {"itemId": 2, "itemTs": "2026-11-21T13:54:17.66541379Z", "itemText": "This conversation is protected by quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation and quantum resistant break-in recovery.", "itemStatus": {"type": "rcvRead"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "rcvDirectE2EEInfo", "e2eeInfo": {"pqEnabled": true}}, "mentions": {}, "reactions": []}, {"chatDir": {"type": "directSnd"}, "meta": {"itemId": 1, "itemTs": "1970-01-01T00:00:00Z", "itemText": "chat banner", "itemStatus": {"type": "sndNew"}, "itemEdited": false, "userMention": false, "deletable": false, "editable": false, "showGroupAsSender": false, "createdAt": "2026-11-21T13:54:17.66541379Z", "updatedAt": "2026-11-21T13:54:17.66541379Z"}, "content": {"type": "chatBanner"}, "mentions": {}, "reactions": []}]}}, "sessionId": "IqGVGmDVSwrf0i6dljw5yA"}]
              type: "object"
              required: ["id", "cursor", "session", "sessionId"]
              properties:
                id: {"type": "string", "description": "The cursor of the changes that follow."}
                cursor: {"type": "string", "description": "The cursor of the events at which the session is true."}
                sessionId: {"type": "string"}
                session:
                  type: "object"
                  required: ["im", "chatDeleted", "membersLoaded", "groupMembers", "channelRelays"]
                  properties:
                    chatId: {"type": "string", "description": "The open chat."}
                    chatInfo: {"type": "object"}
                    chatAgentConnId: {"type": "string"}
                    chatSubStatus: {"type": "object"}
                    openAroundItemId: {"type": "integer", "format": "int64"}
                    chatDeleted: {"type": "boolean", "description": "The chat that was open was deleted."}
                    activeFilter: {"$ref": "#/components/schemas/ActiveFilter"}
                    membersLoaded: {"type": "boolean"}
                    groupMembers: {"type": "array", "items": {"type": "object"}}
                    channelRelays: {"type": "object"}
                    im: {"$ref": "#/components/schemas/ItemsModel"}
                    secondaryIM: {"$ref": "#/components/schemas/ItemsModel"}
            ItemsModel:
              type: "object"
              required: ["isLoading", "lastItemsLoaded", "newestLoaded", "preloadState", "chatState", "reversedChatItems"]
              properties:
                secondaryIMFilter: {"type": "object"}
                isLoading: {"type": "boolean"}
                showLoadingProgress: {"type": "string", "description": "The chat whose items are awaited."}
                lastItemsLoaded: {"type": "boolean", "description": "The oldest item of the chat is loaded."}
                newestLoaded: {"type": "boolean"}
                preloadState: {"type": "object"}
                chatState:
                  type: "object"
                  required: ["splits", "loadedRanges"]
                  properties:
                    splits: {"type": "array", "description": "The newest item of each range that has a gap before it.", "items": {"type": "integer", "format": "int64"}}
                    loadedRanges: {"type": "array", "items": {"type": "object", "required": ["newestItemId", "oldestItemId", "count"]}}
                reversedChatItems: {"type": "array", "description": "The newest first.", "maxItems": 2000, "items": {"type": "object"}}
            ActiveFilter:
              type: "object"
              required: ["type"]
              properties:
                type: {"enum": ["unread", "presetTag", "userTag"], "description": "With `presetTag` or `chatTag`, as it says."}
                presetTag: {"enum": ["favorites", "contacts", "groups", "business", "groupReports"]}
                chatTag: {"type": "object", "required": ["chatTagId", "chatTagText"], "properties": {"chatTagId": {"type": "integer", "format": "int64"}, "chatTagText": {"type": "string"}, "chatTagEmoji": {"type": ["string", "null"]}}}
            ComposeState:
              type: "object"
              required: ["message"]
              properties:
                message: {"type": "string"}
                quotedItemId: {"type": ["integer", "null"], "format": "int64"}
                editingItemId: {"type": ["integer", "null"], "format": "int64"}
            
            RemoteCtrlError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "inactive"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badState"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "busy"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "timeout"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noKnownControllers"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badController"}}}
                - type: "object"
                  required: ["type", "remoteCtrlId", "reason"]
                  properties:
                    type: {"const": "disconnected"}
                    remoteCtrlId: {"type": "integer", "format": "int64"}
                    reason: {"type": "string"}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badInvitation"}}}
                - type: "object"
                  required: ["type", "appVersion"]
                  properties: {"type": {"const": "badVersion"}, "appVersion": {"type": "string"}}
                - type: "object"
                  required: ["type", "http2Error"]
                  properties: {"type": {"const": "hTTP2Error"}, "http2Error": {"type": "string"}}
                - type: "object"
                  required: ["type", "protocolError"]
                  properties:
                    type: {"const": "protocolError"}
                    protocolError: {"$ref": "#/components/schemas/RemoteProtocolError"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "inactive"
                          - "badState"
                          - "busy"
                          - "timeout"
                          - "noKnownControllers"
                          - "badController"
                          - "disconnected"
                          - "badInvitation"
                          - "badVersion"
                          - "hTTP2Error"
                          - "protocolError"
            RHKey:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "new"}}}
                - type: "object"
                  required: ["type", "remoteHostId"]
                  properties: {"type": {"const": "id"}, "remoteHostId": {"type": "integer", "format": "int64"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["new", "id"]}}}
            RemoteHostError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "missing"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "inactive"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "busy"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "timeout"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "badState"}}}
                - type: "object"
                  required: ["type", "appVersion"]
                  properties: {"type": {"const": "badVersion"}, "appVersion": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "localCommand"}}}
                - type: "object"
                  required: ["type", "reason"]
                  properties: {"type": {"const": "disconnected"}, "reason": {"type": "string"}}
                - type: "object"
                  required: ["type", "data"]
                  properties:
                    type: {"const": "protocolError"}
                    "data": {"$ref": "#/components/schemas/RemoteProtocolError"}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "missing"
                          - "inactive"
                          - "busy"
                          - "timeout"
                          - "badState"
                          - "badVersion"
                          - "localCommand"
                          - "disconnected"
                          - "protocolError"
            RCErrorType:
              anyOf:
                - type: "object"
                  required: ["type", "internalErr"]
                  properties: {"type": {"const": "internal"}, "internalErr": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "identity"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noLocalAddress"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "newController"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "notDiscovered"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "tLSStartFailed"}}}
                - type: "object"
                  required: ["type", "exception"]
                  properties: {"type": {"const": "exception"}, "exception": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "ctrlAuth"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "ctrlNotFound"}}}
                - type: "object"
                  required: ["type", "ctrlErr"]
                  properties: {"type": {"const": "ctrlError"}, "ctrlErr": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invitation"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "version"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "encrypt"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "decrypt"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "blockSize"}}}
                - type: "object"
                  required: ["type", "syntaxErr"]
                  properties: {"type": {"const": "syntax"}, "syntaxErr": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "internal"
                          - "identity"
                          - "noLocalAddress"
                          - "newController"
                          - "notDiscovered"
                          - "tLSStartFailed"
                          - "exception"
                          - "ctrlAuth"
                          - "ctrlNotFound"
                          - "ctrlError"
                          - "invitation"
                          - "version"
                          - "encrypt"
                          - "decrypt"
                          - "blockSize"
                          - "syntax"
            RemoteProtocolError:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "invalidSize"}}}
                - type: "object"
                  required: ["type", "invalidJSON"]
                  properties: {"type": {"const": "invalidJSON"}, "invalidJSON": {"type": "string"}}
                - type: "object"
                  required: ["type", "invalidBody"]
                  properties: {"type": {"const": "invalidBody"}, "invalidBody": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "pRESessionCode"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "incompatibleEncoding"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "unexpectedFile"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noFile"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "fileSize"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "fileDigest"}}}
                - type: "object"
                  required: ["type", "data"]
                  properties: {"type": {"const": "manySkippedIds"}, "data": {"type": "integer"}}
                - type: "object"
                  required: ["type", "data"]
                  properties: {"type": {"const": "pREEarlierId"}, "data": {"type": "integer"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "pREDuplicateId"}}}
                - type: "object"
                  required: ["type", "response"]
                  properties: {"type": {"const": "unexpectedResponse"}, "response": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "storedFileExists"}}}
                - type: "object"
                  required: ["type", "rcError"]
                  properties: {"type": {"const": "pRERemoteControl"}, "rcError": {"$ref": "#/components/schemas/RCErrorType"}}
                - type: "object"
                  required: ["type", "http2Error"]
                  properties: {"type": {"const": "hTTP2"}, "http2Error": {"type": "string"}}
                - type: "object"
                  required: ["type", "someException"]
                  properties: {"type": {"const": "exception"}, "someException": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties:
                    type:
                      type: "string"
                      not:
                        enum:
                          - "invalidSize"
                          - "invalidJSON"
                          - "invalidBody"
                          - "pRESessionCode"
                          - "incompatibleEncoding"
                          - "unexpectedFile"
                          - "noFile"
                          - "fileSize"
                          - "fileDigest"
                          - "manySkippedIds"
                          - "pREEarlierId"
                          - "pREDuplicateId"
                          - "unexpectedResponse"
                          - "storedFileExists"
                          - "pRERemoteControl"
                          - "hTTP2"
                          - "exception"
            response.connectionVerified:
              examples: [{"type": "connectionVerified", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "verified": true, "expectedCode": "85061 67334 34622 43857 95247 60023 15721 44117 31063 86801 90502 46494 77058 30568 27875 58"}]
              type: "object"
              required: ["type", "user", "verified", "expectedCode"]
              properties:
                type: {"const": "connectionVerified"}
                user: {"$ref": "#/components/schemas/User"}
                verified: {"type": "boolean"}
                expectedCode: {"type": "string"}
            response.contactCode:
              examples: [{"type": "contactCode", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes", "ttl": 60}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "no"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "cGlsY2ZWWHk1OC1mTnkwXw==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 0, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:05:00.051019486Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes", "ttl": 60}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "no"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:05:00.542671134Z", "updatedAt": "2026-11-21T03:05:04.110023284Z", "chatTs": "2026-11-21T03:05:04.55864012Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "connectionCode": "85061 67334 34622 43857 95247 60023 15721 44117 31063 86801 90502 46494 77058 30568 27875 58"}]
              type: "object"
              required: ["type", "user", "contact", "connectionCode"]
              properties:
                type: {"const": "contactCode"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                connectionCode: {"type": "string"}
            response.contactRatchetSyncStarted:
              examples: [{"type": "contactRatchetSyncStarted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "V3V0U2ZCV1g3VGdmSkRUSA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 2, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:41:43.419086363Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:41:43.978152374Z", "updatedAt": "2026-11-21T03:41:43.978152374Z", "chatTs": "2026-11-21T03:42:04.604149094Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "connectionStats": {"connAgentVersion": 7, "rcvQueuesInfo": [{"rcvServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233", "canAbortSwitch": false}], "sndQueuesInfo": [{"sndServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233"}], "ratchetSyncState": "ok", "ratchetSyncSupported": true}}]
              type: "object"
              required: ["type", "user", "contact", "connectionStats"]
              properties:
                type: {"const": "contactRatchetSyncStarted"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                connectionStats: {"$ref": "#/components/schemas/ConnectionStats"}
            response.contactSwitchAborted:
              examples: [{"type": "contactSwitchAborted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "V3V0U2ZCV1g3VGdmSkRUSA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 2, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:41:43.419086363Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:41:43.978152374Z", "updatedAt": "2026-11-21T03:41:43.978152374Z", "chatTs": "2026-11-21T03:42:04.604149094Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "connectionStats": {"connAgentVersion": 7, "rcvQueuesInfo": [{"rcvServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233", "canAbortSwitch": false}], "sndQueuesInfo": [{"sndServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233"}], "ratchetSyncState": "ok", "ratchetSyncSupported": true}}]
              type: "object"
              required: ["type", "user", "contact", "connectionStats"]
              properties:
                type: {"const": "contactSwitchAborted"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                connectionStats: {"$ref": "#/components/schemas/ConnectionStats"}
            response.contactSwitchStarted:
              examples: [{"type": "contactSwitchStarted", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "contact": {"contactId": 4, "localDisplayName": "bob", "profile": {"profileId": 4, "displayName": "bob", "fullName": "", "preferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "localAlias": ""}, "activeConn": {"connId": 1, "agentConnId": "V3V0U2ZCV1g3VGdmSkRUSA==", "connChatVersion": 16, "peerChatVRange": {"minVersion": 1, "maxVersion": 16}, "connLevel": 0, "viaGroupLink": false, "connType": "contact", "connStatus": "ready", "contactConnInitiated": false, "localAlias": "", "entityId": 4, "pqSupport": true, "pqEncryption": true, "pqSndEnabled": true, "pqRcvEnabled": true, "authErrCounter": 2, "quotaErrCounter": 0, "createdAt": "2026-11-21T03:41:43.419086363Z"}, "contactUsed": true, "contactStatus": "active", "chatSettings": {"enableNtfs": "all", "favorite": false}, "userPreferences": {}, "mergedPreferences": {"timedMessages": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "fullDelete": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "reactions": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "voice": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "files": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "always"}}, "contactPreference": {"allow": "always"}}, "calls": {"enabled": {"forUser": true, "forContact": true}, "userPreference": {"type": "user", "preference": {"allow": "yes"}}, "contactPreference": {"allow": "yes"}}, "sessions": {"enabled": {"forUser": false, "forContact": false}, "userPreference": {"type": "user", "preference": {"allow": "no"}}, "contactPreference": {"allow": "no"}}, "commands": []}, "createdAt": "2026-11-21T03:41:43.978152374Z", "updatedAt": "2026-11-21T03:41:43.978152374Z", "chatTs": "2026-11-21T03:42:04.604149094Z", "contactGrpInvSent": false, "chatTags": [], "chatDeleted": false}, "connectionStats": {"connAgentVersion": 7, "rcvQueuesInfo": [{"rcvServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233", "canAbortSwitch": false}], "sndQueuesInfo": [{"sndServer": "smp://FLusuKOAOMLGVGmgqtR6ODA4fJ7qgCBjiysDcPa-A4I=@127.0.0.1:17233"}], "ratchetSyncState": "ok", "ratchetSyncSupported": true}}]
              type: "object"
              required: ["type", "user", "contact", "connectionStats"]
              properties:
                type: {"const": "contactSwitchStarted"}
                user: {"$ref": "#/components/schemas/User"}
                contact: {"$ref": "#/components/schemas/Contact"}
                connectionStats: {"$ref": "#/components/schemas/ConnectionStats"}
            LinkOwnerSig:
              type: "object"
              required: ["chatBinding", "ownerSig"]
              properties: {"ownerId": {"type": "string"}, "chatBinding": {"type": "string"}, "ownerSig": {"type": "string"}}
            RatchetSyncState:
              type: "string"
              description: "One of ok, allowed, required, started, agreed; later versions may add."
            SecurityCode:
              type: "object"
              required: ["securityCode", "verifiedAt"]
              properties: {"securityCode": {"type": "string"}, "verifiedAt": {"type": "string", "format": "date-time"}}
            OwnerVerification:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "verified"}}}
                - type: "object"
                  required: ["type", "reason"]
                  properties: {"type": {"const": "failed"}, "reason": {"type": "string"}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["verified", "failed"]}}}
            RcvSwitchStatus:
              type: "string"
              description: "One of switch_started, sending_qadd, sending_quse, received_message; later versions may add."
            SndSwitchStatus: {"type": "string", "description": "One of sending_qkey, sending_qtest; later versions may add."}
            SwitchPhase:
              type: "string"
              description: "One of started, confirmed, secured, completed; later versions may add."
            ServerProtocol: {"type": "string", "description": "One of smp, xftp, ntf; later versions may add."}
            response.serverOperatorConditions:
              examples: [{"type": "serverOperatorConditions", "conditions": {"serverOperators": [{"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}, {"operatorId": 2, "operatorTag": "flux", "tradeName": "Flux", "legalName": "InFlux Technologies Limited", "serverDomains": ["simplexonflux.com"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": false, "proxy": true, "names": false}, "xftpRoles": {"storage": false, "proxy": true, "names": false}}], "currentConditions": {"conditionsId": 2, "conditionsCommit": "7471fd2af5838dc0467aebc570b5ea75e5df3209", "createdAt": "2026-11-21T13:54:12.852974303Z"}, "conditionsAction": {"type": "review", "operators": [{"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}, {"operatorId": 2, "operatorTag": "flux", "tradeName": "Flux", "legalName": "InFlux Technologies Limited", "serverDomains": ["simplexonflux.com"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": false, "proxy": true, "names": false}, "xftpRoles": {"storage": false, "proxy": true, "names": false}}], "deadline": "2026-12-22T13:54:18.675055108Z", "showNotice": true}}}]
              type: "object"
              required: ["type", "conditions"]
              properties:
                type: {"const": "serverOperatorConditions"}
                conditions: {"$ref": "#/components/schemas/ServerOperatorConditions"}
            response.userServers:
              examples: [{"type": "userServers", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "userServers": [{"operator": {"operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd", "serverDomains": ["simplex.im"], "conditionsAcceptance": {"type": "required"}, "enabled": true, "smpRoles": {"storage": true, "proxy": true, "names": true}, "xftpRoles": {"storage": true, "proxy": true, "names": true}}, "smpServers": [{"serverId": 1, "server": "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion", "preset": true, "enabled": false, "deleted": false}], "xftpServers": [{"serverId": 15, "server": "xftp://da1aH3nOT-9G8lV7bWamhxpDYdJ1xmW7j3JpGaDR5Ug=@xftp1.simplex.im,blisztokwh6alt5oem45f2eksm2xdowxszmhjesntcyolmhutoon7sid.onion", "preset": true, "enabled": true, "deleted": false}]}]}]
              type: "object"
              required: ["type", "user", "userServers"]
              properties:
                type: {"const": "userServers"}
                user: {"$ref": "#/components/schemas/User"}
                userServers: {"type": "array", "items": {"$ref": "#/components/schemas/UserOperatorServers"}}
            response.userServersValidation:
              examples: [{"type": "userServersValidation", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "serverErrors": []}]
              type: "object"
              required: ["type", "user", "serverErrors"]
              properties:
                type: {"const": "userServersValidation"}
                user: {"$ref": "#/components/schemas/User"}
                serverErrors: {"type": "array", "items": {"$ref": "#/components/schemas/UserServersError"}}
                serverWarnings: {"type": "array", "items": {"type": "object"}}
            response.usageConditions:
              examples: [{"type": "usageConditions", "usageConditions": {"conditionsId": 2, "conditionsCommit": "7471fd2af5838dc0467aebc570b5ea75e5df3209", "createdAt": "2026-11-21T13:54:12.852974303Z"}, "conditionsText": "The conditions of use of the preset operators' servers: https://github.com/simplex-chat/simplex-chat/blob/7471fd2af5838dc0467aebc570b5ea75e5df3209/PRIVACY.md\n"}]
              type: "object"
              required: ["type", "usageConditions", "conditionsText"]
              properties:
                type: {"const": "usageConditions"}
                usageConditions: {"$ref": "#/components/schemas/UsageConditions"}
                conditionsText: {"type": "string"}
                acceptedConditions: {"$ref": "#/components/schemas/UsageConditions"}
            response.serverTestResult:
              examples: [{"type": "serverTestResult", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": false, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "testServer": "smp://1hpktu2wk5nKT52nenUpOcqXIJNPzcfh0CxrW7-5bDQ=@127.0.0.1:38145"}]
              type: "object"
              required: ["type", "user", "testServer"]
              properties:
                type: {"const": "serverTestResult"}
                user: {"$ref": "#/components/schemas/User"}
                testServer: {"type": "string"}
                testFailure: {"$ref": "#/components/schemas/ProtocolTestFailure"}
            ServerOperatorConditions:
              type: "object"
              required: ["serverOperators", "currentConditions"]
              properties:
                serverOperators: {"type": "array", "items": {"$ref": "#/components/schemas/ServerOperator"}}
                currentConditions: {"$ref": "#/components/schemas/UsageConditions"}
                conditionsAction: {"$ref": "#/components/schemas/UsageConditionsAction"}
            ServerOperator:
              type: "object"
              description: "Who runs servers, and the state of our agreement with them."
              required: ["operatorId", "tradeName", "serverDomains", "conditionsAcceptance", "enabled", "smpRoles", "xftpRoles"]
              properties:
                operatorId: {"type": "integer", "format": "int64"}
                operatorTag: {"type": "string"}
                tradeName: {"type": "string"}
                legalName: {"type": "string"}
                serverDomains: {"type": "array", "items": {"type": "string"}}
                conditionsAcceptance: {"$ref": "#/components/schemas/ConditionsAcceptance"}
                enabled: {"type": "boolean"}
                smpRoles: {"$ref": "#/components/schemas/ServerRoles"}
                xftpRoles: {"$ref": "#/components/schemas/ServerRoles"}
            ServerRoles:
              type: "object"
              description: "What servers are used for: queues, and messages to other servers."
              required: ["storage", "proxy"]
              properties:
                storage: {"type": "boolean"}
                proxy: {"type": "boolean"}
                names: {"type": "boolean"}
            ServerRolesOverride:
              type: "object"
              properties:
                storage: {"type": "boolean"}
                proxy: {"type": "boolean"}
                names: {"type": "boolean"}
            ConditionsAcceptance:
              anyOf:
                - {"type": "object", "required": ["type", "autoAccepted"], "properties": {"type": {"const": "accepted"}, "acceptedAt": {"type": "string", "format": "date-time"}, "autoAccepted": {"type": "boolean"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "required"}, "deadline": {"type": "string", "format": "date-time"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "not": {"enum": ["accepted", "required"]}}}}
            UsageConditions:
              type: "object"
              required: ["conditionsId", "conditionsCommit", "createdAt"]
              properties:
                conditionsId: {"type": "integer", "format": "int64"}
                conditionsCommit: {"type": "string"}
                notifiedAt: {"type": "string", "format": "date-time"}
                createdAt: {"type": "string", "format": "date-time"}
            UsageConditionsAction:
              anyOf:
                - {"type": "object", "required": ["type", "operators", "showNotice"], "properties": {"type": {"const": "review"}, "operators": {"type": "array", "items": {"$ref": "#/components/schemas/ServerOperator"}}, "deadline": {"type": "string", "format": "date-time"}, "showNotice": {"type": "boolean"}}}
                - {"type": "object", "required": ["type", "operators"], "properties": {"type": {"const": "accepted"}, "operators": {"type": "array", "items": {"$ref": "#/components/schemas/ServerOperator"}}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "not": {"enum": ["review", "accepted"]}}}}
            UserOperatorServers:
              type: "object"
              description: "The servers of one operator in a profile, or those without operator."
              required: ["smpServers", "xftpServers"]
              properties:
                operator: {"$ref": "#/components/schemas/ServerOperator"}
                smpServers: {"type": "array", "items": {"$ref": "#/components/schemas/UserServer"}}
                xftpServers: {"type": "array", "items": {"$ref": "#/components/schemas/UserServer"}}
                chatRelays: {"type": "array", "items": {"type": "object"}}
            UserServer:
              type: "object"
              description: "A server of a profile; a new one has no id yet."
              required: ["server", "preset", "enabled", "deleted"]
              properties:
                serverId: {"type": "integer", "format": "int64"}
                server: {"type": "string"}
                preset: {"type": "boolean"}
                tested: {"type": "boolean"}
                enabled: {"type": "boolean"}
                deleted: {"type": "boolean"}
                roles: {"$ref": "#/components/schemas/ServerRolesOverride"}
            UserServersError:
              anyOf:
                - {"type": "object", "required": ["type", "protocol"], "properties": {"type": {"const": "noServers"}, "protocol": {"$ref": "#/components/schemas/ServerProtocol"}, "user": {"$ref": "#/components/schemas/User"}}}
                - {"type": "object", "required": ["type", "protocol"], "properties": {"type": {"const": "storageMissing"}, "protocol": {"$ref": "#/components/schemas/ServerProtocol"}, "user": {"$ref": "#/components/schemas/User"}}}
                - {"type": "object", "required": ["type", "protocol"], "properties": {"type": {"const": "proxyMissing"}, "protocol": {"$ref": "#/components/schemas/ServerProtocol"}, "user": {"$ref": "#/components/schemas/User"}}}
                - {"type": "object", "required": ["type", "protocol", "duplicateServer", "duplicateHost"], "properties": {"type": {"const": "duplicateServer"}, "protocol": {"$ref": "#/components/schemas/ServerProtocol"}, "duplicateServer": {"type": "string"}, "duplicateHost": {"type": "string"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "not": {"enum": ["noServers", "storageMissing", "proxyMissing", "duplicateServer"]}}}}
            ProtocolTestFailure:
              type: "object"
              required: ["testStep", "testError"]
              properties:
                testStep: {"type": "string", "description": "One of connect, createQueue, secureQueue, deleteQueue, createFile, uploadFile, downloadFile, compareFile, deleteFile, disconnect; later versions may add."}
                testError: {"$ref": "#/components/schemas/AgentErrorType"}
            SubscriptionStatus:
              anyOf:
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "active"}}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "pending"}}}
                - type: "object"
                  required: ["type", "subError"]
                  properties: {"type": {"const": "removed"}, "subError": {"type": "string"}}
                - {"type": "object", "required": ["type"], "properties": {"type": {"const": "noSub"}}}
                - description: "A case of a later version."
                  type: "object"
                  required: ["type"]
                  properties: {"type": {"type": "string", "not": {"enum": ["active", "pending", "removed", "noSub"]}}}
            response.networkConfig:
              examples: [{"type": "networkConfig", "networkConfig": {"socksMode": "always", "hostMode": "public", "requiredHostMode": false, "sessionMode": "session", "smpProxyMode": "unknown", "smpProxyFallback": "allowProtected", "smpWebPortServers": "preset", "tcpConnectTimeout": {"backgroundTimeout": 31500000, "interactiveTimeout": 10500000}, "tcpTimeout": {"backgroundTimeout": 21000000, "interactiveTimeout": 7000000}, "tcpTimeoutPerKb": 5000, "rcvConcurrency": 8, "tcpKeepAlive": {"keepIdle": 30, "keepIntvl": 15, "keepCnt": 4}, "smpPingInterval": 600000000, "smpPingCount": 3, "logTLSErrors": false}}]
              type: "object"
              required: ["type", "networkConfig"]
              properties: {"type": {"const": "networkConfig"}, "networkConfig": {"$ref": "#/components/schemas/NetworkConfig"}}
            NetworkConfig:
              type: "object"
              description: "How relays are reached. Times are microseconds, those of keep-alive seconds."
              required:
                - "socksMode"
                - "hostMode"
                - "requiredHostMode"
                - "sessionMode"
                - "smpProxyMode"
                - "smpProxyFallback"
                - "smpWebPortServers"
                - "tcpConnectTimeout"
                - "tcpTimeout"
                - "tcpTimeoutPerKb"
                - "rcvConcurrency"
                - "smpPingInterval"
                - "smpPingCount"
                - "logTLSErrors"
              properties:
                socksProxy: {"type": "string", "description": "[user:password@ | @][address][:port]. Without credentials each session is another client of the proxy, with @ alone none are sent."}
                socksMode: {"enum": ["always", "onion"], "description": "always, or onion: for onion hosts alone."}
                hostMode: {"enum": ["public", "onion", "onionViaSocks"], "description": "One of public, onion, onionViaSocks."}
                requiredHostMode: {"type": "boolean", "description": "Whether relays without such a host are not connected to."}
                sessionMode: {"enum": ["user", "session", "server", "entity"], "description": "What has a session of its own, or is another client of the SOCKS proxy: one of user, session, server, entity."}
                smpProxyMode: {"enum": ["always", "unknown", "unprotected", "never"], "description": "When messages go through a relay of the user's: one of always, unknown, unprotected, never."}
                smpProxyFallback: {"enum": ["allow", "allowProtected", "prohibit"], "description": "Whether they go directly when that is not possible: one of allow, allowProtected, prohibit."}
                smpWebPortServers: {"enum": ["all", "preset", "off"], "description": "Which relays are connected to at port 443 when their address names none: one of all, preset, off."}
                tcpConnectTimeout: {"$ref": "#/components/schemas/NetworkTimeout"}
                tcpTimeout: {"$ref": "#/components/schemas/NetworkTimeout"}
                tcpTimeoutPerKb: {"type": "integer", "format": "int64"}
                rcvConcurrency: {"type": "integer"}
                tcpKeepAlive: {"$ref": "#/components/schemas/KeepAliveOpts"}
                smpPingInterval: {"type": "integer", "format": "int64", "description": "0: never."}
                smpPingCount: {"type": "integer", "description": "So many commands without an answer end a session; 0: never."}
                logTLSErrors: {"type": "boolean"}
            NetworkTimeout:
              type: "object"
              required: ["backgroundTimeout", "interactiveTimeout"]
              properties: {"backgroundTimeout": {"type": "integer"}, "interactiveTimeout": {"type": "integer", "description": "Where somebody waits."}}
            KeepAliveOpts:
              type: "object"
              required: ["keepIdle", "keepIntvl", "keepCnt"]
              properties: {"keepIdle": {"type": "integer"}, "keepIntvl": {"type": "integer"}, "keepCnt": {"type": "integer"}}
            UserNetworkInfo:
              type: "object"
              required: ["networkType", "online"]
              properties:
                networkType: {"enum": ["none", "cellular", "wifi", "ethernet", "other"], "description": "One of none, cellular, wifi, ethernet, other."}
                online: {"type": "boolean"}
            response.appSettings:
              examples: [{"type": "appSettings", "appSettings": {"networkConfig": {"socksMode": "always", "hostMode": "onionViaSocks", "requiredHostMode": false, "sessionMode": "session", "smpProxyMode": "never", "smpProxyFallback": "allow", "smpWebPortServers": "preset", "tcpConnectTimeout": {"backgroundTimeout": 45000000, "interactiveTimeout": 15000000}, "tcpTimeout": {"backgroundTimeout": 30000000, "interactiveTimeout": 10000000}, "tcpTimeoutPerKb": 5000, "rcvConcurrency": 8, "tcpKeepAlive": {"keepIdle": 30, "keepIntvl": 15, "keepCnt": 4}, "smpPingInterval": 600000000, "smpPingCount": 3, "logTLSErrors": false}, "privacyEncryptLocalFiles": true, "privacyAskToApproveRelays": true, "privacyAcceptImages": true, "privacyLinkPreviews": true, "privacyShowChatPreviews": true, "privacySaveLastDraft": true, "privacyProtectScreen": false, "privacyMediaBlurRadius": 0, "notificationMode": "instant", "notificationPreviewMode": "message", "webrtcPolicyRelay": true, "webrtcICEServers": [], "confirmRemoteSessions": false, "connectRemoteViaMulticast": true, "connectRemoteViaMulticastAuto": true, "developerTools": false, "confirmDBUpgrades": false, "androidCallOnLockScreen": "show", "iosCallKitEnabled": true, "iosCallKitCallsInRecents": false, "uiProfileImageCornerRadius": 22.5, "uiChatItemRoundness": 0.75, "uiChatItemTail": true, "uiColorScheme": "SYSTEM", "uiDarkColorScheme": "SIMPLEX", "oneHandUI": true, "chatBottomBar": true}}]
              type: "object"
              required: ["type", "appSettings"]
              properties: {"type": {"const": "appSettings"}, "appSettings": {"$ref": "#/components/schemas/AppSettings"}}
            response.chatItemTTL:
              examples: [{"type": "chatItemTTL", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "chatItemTTL": 0}]
              type: "object"
              required: ["type", "user"]
              properties:
                type: {"const": "chatItemTTL"}
                user: {"$ref": "#/components/schemas/User"}
                chatItemTTL: {"type": "integer", "format": "int64"}
            AppSettings:
              type: "object"
              properties:
                appPlatform: {"type": "string", "description": "One of iOS, android, desktop; later versions may add."}
                networkConfig: {"$ref": "#/components/schemas/NetworkConfig"}
                networkProxy: {"type": "object"}
                privacyEncryptLocalFiles: {"type": "boolean"}
                privacyAskToApproveRelays: {"type": "boolean"}
                privacyAcceptImages: {"type": "boolean"}
                privacyLinkPreviews: {"type": "boolean"}
                privacySanitizeLinks: {"type": "boolean"}
                privacyShowChatPreviews: {"type": "boolean"}
                privacySaveLastDraft: {"type": "boolean"}
                privacyProtectScreen: {"type": "boolean"}
                privacyMediaBlurRadius: {"type": "integer"}
                notificationMode: {"type": "string", "description": "One of off, periodic, instant; later versions may add."}
                notificationPreviewMode: {"type": "string", "description": "One of hidden, contact, message; later versions may add."}
                webrtcPolicyRelay: {"type": "boolean"}
                webrtcICEServers: {"type": "array", "items": {"type": "string"}}
                confirmRemoteSessions: {"type": "boolean"}
                connectRemoteViaMulticast: {"type": "boolean"}
                connectRemoteViaMulticastAuto: {"type": "boolean"}
                developerTools: {"type": "boolean"}
                confirmDBUpgrades: {"type": "boolean"}
                androidCallOnLockScreen: {"type": "string", "description": "One of disable, show, accept; later versions may add."}
                iosCallKitEnabled: {"type": "boolean"}
                iosCallKitCallsInRecents: {"type": "boolean"}
                uiProfileImageCornerRadius: {"type": "number"}
                uiChatItemRoundness: {"type": "number"}
                uiChatItemTail: {"type": "boolean"}
                uiColorScheme: {"type": "string", "description": "One of SYSTEM, LIGHT, DARK, SIMPLEX, BLACK; later versions may add."}
                uiDarkColorScheme: {"type": "string", "description": "One of DARK, BLACK, SIMPLEX; later versions may add."}
                uiCurrentThemeIds: {"type": "object", "additionalProperties": {"type": "string"}}
                uiThemes: {"type": "array", "items": {"type": "object"}}
                oneHandUI: {"type": "boolean"}
                chatBottomBar: {"type": "boolean"}
            Store:
              type: "object"
              required: ["storeId", "name", "state", "protection"]
              properties:
                storeId: {"type": "string", "description": "`default` for the first store."}
                name: {"type": "string"}
                state: {"enum": ["locked", "unlocking", "unlocked", "locking"]}
                created: {"type": "string", "format": "date-time"}
                protection: {"enum": ["keyFile", "passphrase", "appPassword"], "description": "What opens it: a file beside its databases, or something that somebody knows."}
            response.chatTags:
              examples: [{"type": "chatTags", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "userTags": []}]
              type: "object"
              required: ["type", "user", "userTags"]
              properties:
                type: {"const": "chatTags"}
                user: {"$ref": "#/components/schemas/User"}
                userTags: {"type": "array", "items": {"$ref": "#/components/schemas/ChatTag"}}
            response.tagsUpdated:
              examples: [{"type": "tagsUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "userTags": [{"chatTagId": 1, "chatTagText": "work", "chatTagEmoji": "💼"}, {"chatTagId": 2, "chatTagText": "family"}, {"chatTagId": 3, "chatTagText": ""}], "chatTags": [2]}]
              type: "object"
              required: ["type", "user", "userTags", "chatTags"]
              properties:
                type: {"const": "tagsUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                userTags: {"type": "array", "items": {"$ref": "#/components/schemas/ChatTag"}}
                chatTags: {"type": "array", "items": {"type": "integer", "format": "int64"}}
            ChatTag:
              type: "object"
              required: ["chatTagId", "chatTagText"]
              properties:
                chatTagId: {"type": "integer", "format": "int64"}
                chatTagText: {"type": "string"}
                chatTagEmoji: {"type": "string"}
            UIThemeEntityOverrides:
              type: "object"
              properties:
                light: {"$ref": "#/components/schemas/UIThemeEntityOverride"}
                dark: {"$ref": "#/components/schemas/UIThemeEntityOverride"}
            UIThemeEntityOverride:
              type: "object"
              required: ["mode", "colors"]
              properties:
                mode: {"$ref": "#/components/schemas/UIColorMode"}
                wallpaper: {"$ref": "#/components/schemas/ChatWallpaper"}
                colors: {"$ref": "#/components/schemas/UIColors"}
            UIColorMode: {"type": "string", "description": "One of light, dark; later versions may add."}
            ChatWallpaper:
              type: "object"
              properties:
                preset: {"type": "string"}
                imageFile: {"type": "string"}
                background: {"type": "string"}
                tint: {"type": "string"}
                scaleType: {"$ref": "#/components/schemas/ChatWallpaperScale"}
                scale: {"type": "number"}
            UIColors:
              type: "object"
              properties:
                accent: {"type": "string"}
                accentVariant: {"type": "string"}
                secondary: {"type": "string"}
                secondaryVariant: {"type": "string"}
                background: {"type": "string"}
                menus: {"type": "string"}
                title: {"type": "string"}
                accentVariant2: {"type": "string"}
                sentMessage: {"type": "string"}
                sentReply: {"type": "string"}
                receivedMessage: {"type": "string"}
                receivedReply: {"type": "string"}
            ChatWallpaperScale: {"type": "string", "description": "One of fill, fit, repeat; later versions may add."}
            response.activeUser:
              examples: [{"type": "activeUser", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bob", "profile": {"profileId": 1, "displayName": "bob", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 3, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}}]
              type: "object"
              required: ["type", "user"]
              properties: {"type": {"const": "activeUser"}, "user": {"$ref": "#/components/schemas/User"}}
            response.cmdOk:
              examples: [{"type": "cmdOk"}]
              type: "object"
              required: ["type"]
              properties: {"type": {"const": "cmdOk"}, "user_": {"$ref": "#/components/schemas/User"}}
            response.userPrivacy:
              examples: [{"type": "userPrivacy", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 7, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}, "updatedUser": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 7, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}}]
              type: "object"
              required: ["type", "user", "updatedUser"]
              properties:
                type: {"const": "userPrivacy"}
                user: {"$ref": "#/components/schemas/User"}
                updatedUser: {"$ref": "#/components/schemas/User"}
            response.userProfileNoChange:
              examples: [{"type": "userProfileNoChange", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "alice", "profile": {"profileId": 1, "displayName": "alice", "fullName": "", "contactLink": "https://127.0.0.1/a#WXTGGQaziujnrbhNXeGDPvcyq-AEiF24m5bWrzy6v50?p=17223&c=1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false}}]
              type: "object"
              required: ["type", "user"]
              properties: {"type": {"const": "userProfileNoChange"}, "user": {"$ref": "#/components/schemas/User"}}
            response.userProfileUpdated:
              examples: [{"type": "userProfileUpdated", "user": {"userId": 1, "agentUserId": "1", "userContactId": 1, "localDisplayName": "bobby", "profile": {"profileId": 1, "displayName": "bobby", "fullName": "Bob B", "localAlias": ""}, "fullPreferences": {"timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"}, "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"}, "sessions": {"allow": "no"}, "commands": []}, "activeUser": true, "activeOrder": 1, "showNtfs": true, "sendRcptsContacts": true, "sendRcptsSmallGroups": true, "autoAcceptMemberContacts": false, "userMemberProfileUpdatedAt": "2026-11-21T03:11:36.513158905Z"}, "fromProfile": {"displayName": "bob", "fullName": ""}, "toProfile": {"displayName": "bobby", "fullName": "Bob B"}, "updateSummary": {"updateSuccesses": 1, "updateFailures": 0, "changedContacts": []}}]
              type: "object"
              required: ["type", "user", "fromProfile", "toProfile", "updateSummary"]
              properties:
                type: {"const": "userProfileUpdated"}
                user: {"$ref": "#/components/schemas/User"}
                fromProfile: {"$ref": "#/components/schemas/Profile"}
                toProfile: {"$ref": "#/components/schemas/Profile"}
                updateSummary: {"$ref": "#/components/schemas/UserProfileUpdateSummary"}
            response.usersList:
              examples: [{"type": "usersList", "users": []}]
              type: "object"
              required: ["type", "users"]
              properties:
                type: {"const": "usersList"}
                users: {"type": "array", "items": {"$ref": "#/components/schemas/UserInfo"}}
            User:
              type: "object"
              required:
                - "userId"
                - "agentUserId"
                - "userContactId"
                - "localDisplayName"
                - "profile"
                - "fullPreferences"
                - "activeUser"
                - "activeOrder"
                - "showNtfs"
                - "sendRcptsContacts"
                - "sendRcptsSmallGroups"
                - "autoAcceptMemberContacts"
              properties:
                userId: {"type": "integer", "format": "int64"}
                agentUserId: {"type": "string"}
                userContactId: {"type": "integer", "format": "int64"}
                localDisplayName: {"type": "string"}
                profile: {"$ref": "#/components/schemas/LocalProfile"}
                fullPreferences: {"$ref": "#/components/schemas/FullPreferences"}
                activeUser: {"type": "boolean"}
                activeOrder: {"type": "integer", "format": "int64"}
                viewPwdHash: {"$ref": "#/components/schemas/UserPwdHash"}
                showNtfs: {"type": "boolean"}
                sendRcptsContacts: {"type": "boolean"}
                sendRcptsSmallGroups: {"type": "boolean"}
                autoAcceptMemberContacts: {"type": "boolean"}
                userMemberProfileUpdatedAt: {"type": "string", "format": "date-time"}
                userChatRelay: {"type": "boolean"}
                clientService: {"type": "boolean"}
                uiThemes: {"$ref": "#/components/schemas/UIThemeEntityOverrides"}
            UserContactRequest:
              type: "object"
              required:
                - "contactRequestId"
                - "agentInvitationId"
                - "cReqChatVRange"
                - "localDisplayName"
                - "profileId"
                - "profile"
                - "createdAt"
                - "updatedAt"
                - "pqSupport"
              properties:
                contactRequestId: {"type": "integer", "format": "int64"}
                agentInvitationId: {"type": "string"}
                contactId_: {"type": "integer", "format": "int64"}
                businessGroupId_: {"type": "integer", "format": "int64"}
                userContactLinkId_: {"type": "integer", "format": "int64"}
                cReqChatVRange: {"$ref": "#/components/schemas/VersionRange"}
                localDisplayName: {"type": "string"}
                profileId: {"type": "integer", "format": "int64"}
                profile: {"$ref": "#/components/schemas/LocalProfile"}
                createdAt: {"type": "string", "format": "date-time"}
                updatedAt: {"type": "string", "format": "date-time"}
                xContactId: {"type": "string"}
                pqSupport: {"type": "boolean"}
                welcomeSharedMsgId: {"type": "string"}
                requestSharedMsgId: {"type": "string"}
            UserProfileUpdateSummary:
              type: "object"
              required: ["updateSuccesses", "updateFailures", "changedContacts"]
              properties:
                updateSuccesses: {"type": "integer"}
                updateFailures: {"type": "integer"}
                changedContacts: {"type": "array", "items": {"$ref": "#/components/schemas/Contact"}}
            UserInfo:
              type: "object"
              required: ["user", "unreadCount"]
              properties: {"user": {"$ref": "#/components/schemas/User"}, "unreadCount": {"type": "integer"}}
            BadgeProof:
              type: "object"
              required: ["badgeKeyIdx", "presHeader", "proof", "badgeInfo"]
              properties:
                badgeKeyIdx: {"type": "integer"}
                presHeader: {"type": "string"}
                proof: {"type": "string"}
                badgeInfo: {"$ref": "#/components/schemas/BadgeInfo"}
            LocalBadge:
              type: "object"
              required: ["badge", "status"]
              properties:
                badge: {"$ref": "#/components/schemas/BadgeInfo"}
                status: {"$ref": "#/components/schemas/BadgeStatus"}
            UserPwdHash:
              type: "object"
              required: ["hash", "salt"]
              properties: {"hash": {"type": "string"}, "salt": {"type": "string"}}
            BadgeInfo:
              type: "object"
              required: ["badgeType", "badgeExtra"]
              properties:
                badgeType: {"$ref": "#/components/schemas/BadgeType"}
                badgeExpiry: {"type": "string", "format": "date-time"}
                badgeExtra: {"type": "string"}
            BadgeStatus:
              type: "string"
              description: "One of active, expired, expiredOld, failed, unknownKey; later versions may add."
            BadgeType: {"type": "string", "description": "One of supporter, legend, investor; later versions may add."}
            UserContact:
              type: "object"
              required: ["userContactLinkId", "connReqContact"]
              properties:
                userContactLinkId: {"type": "integer", "format": "int64"}
                connReqContact: {"type": "string"}
                groupId: {"type": "integer", "format": "int64"}
        """###
}
