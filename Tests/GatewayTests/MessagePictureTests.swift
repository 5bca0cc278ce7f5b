import ChatAPI
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Pictures in new messages", .socketTimeLimit)
struct MessagePictureTests {
    @Test(arguments: [
        "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==", "data:image/png;base64,iVBORw0KGgo=",
        "data:image/svg+xml;base64,AAAA", "data:image/x-icon;base64,AA==",
        "data:image/jpg;base64," + String(repeating: "Ab0/", count: 3495),
    ])
    func `A text that is a valid data URL of an image is recognized as a picture`(picture: String) {
        #expect(PictureText.isPicture(picture) && picture.count <= PictureText.maxLength)
    }

    @Test(arguments: [
        "", "data:", "i", "data:image/png;base64,", "data:image/;base64,AAAA", "data:image/png,AAAA",
        "data:image/PNG;base64,AAAA", "data:text/html;base64,AAAA", " data:image/png;base64,AAAA",
        "data:image/png;base64,AAA", "data:image/png;base64,A===", "data:image/png;base64,AA=A",
        "data:image/png;base64,AA-_", "data:image/png;base64,AAAA\n", "data:image/png;charset=x;base64,AAAA",
        "data:image/png;base64,ÄAAA", "https://example.org/a.png",
    ])
    func `A text that is not a valid data URL of an image is not recognized as a picture`(text: String) {
        #expect(!PictureText.isPicture(text))
    }

    @Test(arguments: [
        (#"{"type":"image","text":"","image":"a.png"}"#, "/image"),
        (#"{"type":"image","text":"","image":""}"#, "/image"),
        (#"{"type":"video","text":"","image":"data:","duration":3}"#, "/image"),
        (
            #"{"type":"link","text":"a","preview":{"uri":"https://a","title":"","description":"","image":"x"}}"#,
            "/preview/image"
        ),
    ])
    func `A message with an invalid preview picture gets 422 with a pointer to the picture`(
        content: String,
        place: String
    ) async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            for (path, within) in [
                ("/v1/users/1/chats/direct/1/messages", "composedMessages"),
                ("/v1/users/1/chats/local/1/messages", "composedMessages"),
                ("/v1/users/1/contacts/1/connect", "msg"),
            ] {
                let isMessage = within == "msg"
                let body =
                    isMessage
                    ? #"{"msg":\#(content)}"# : #"{"composedMessages":[{"msgContent":\#(content),"mentions":{}}]}"#
                let answer = try await client.call("POST", path, body: body)
                let problem = try answer.json
                #expect(answer.status == 422 && problem["chatError"] == nil, "\(answer.text)")
                let pointer = (isMessage ? "/msg" : "/composedMessages/0/msgContent") + place
                #expect(problem["errors"]?[0]?["pointer"]?.stringValue == pointer, "\(answer.text)")
            }
        }
    }

    @Test
    func `A message with a too large picture gets 422, and the answer does not repeat the picture`() async throws {
        try await ServedGateway.run { served in
            let picture = "data:image/jpg;base64," + String(repeating: "A", count: 15_600)
            let content = #"{"type":"image","text":"","image":"\#(picture)"}"#
            let answer = try await served.connectClient().call(
                "POST",
                "/v1/users/1/chats/direct/1/messages",
                body: #"{"composedMessages":[{"msgContent":\#(content),"mentions":{}}]}"#
            )
            #expect(answer.status == 422 && answer.body.count < 1000, "\(answer.text)")
        }
    }

    @Test
    func `A message with a preview without a picture, or with an unknown content type, is passed to the core`()
        async throws
    {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            for content in [
                #"{"type":"link","text":"a","preview":{"uri":"https://a","title":"","description":"","image":""}}"#,
                #"{"type":"new","text":"","image":"x"}"#,
            ] {
                let answer = try await client.call(
                    "POST",
                    "/v1/users/1/chats/direct/1/messages",
                    body: #"{"composedMessages":[{"msgContent":\#(content),"mentions":{}}]}"#
                )
                // The core in memory refuses every command, so its error shows that the route accepted the body.
                #expect(try answer.json["chatError"] != nil, "\(answer.text)")
            }
        }
    }
}
