import ChatAPI
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Pictures in new messages", .overSockets)
struct MessagePictureTests {
    @Test(
        "A picture of the form that apps send is accepted",
        arguments: [
            "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==", "data:image/png;base64,iVBORw0KGgo=",
            "data:image/svg+xml;base64,AAAA", "data:image/x-icon;base64,AA==",
            "data:image/jpg;base64," + String(repeating: "Ab0/", count: 3495),
        ]
    )
    func accepted(picture: String) { #expect(PictureText.isPicture(picture) && picture.count <= PictureText.limit) }

    @Test(
        "A text that is not a picture is recognized",
        arguments: [
            "", "data:", "i", "data:image/png;base64,", "data:image/;base64,AAAA", "data:image/png,AAAA",
            "data:image/PNG;base64,AAAA", "data:text/html;base64,AAAA", " data:image/png;base64,AAAA",
            "data:image/png;base64,AAA", "data:image/png;base64,A===", "data:image/png;base64,AA=A",
            "data:image/png;base64,AA-_", "data:image/png;base64,AAAA\n", "data:image/png;charset=x;base64,AAAA",
            "data:image/png;base64,ÄAAA", "https://example.org/a.png",
        ]
    )
    func refused(text: String) { #expect(!PictureText.isPicture(text)) }

    @Test(
        "A new message whose preview is not a picture is refused before the command, with a pointer to the preview",
        arguments: [
            (#"{"type":"image","text":"","image":"a.png"}"#, "/image"),
            (#"{"type":"image","text":"","image":""}"#, "/image"),
            (#"{"type":"video","text":"","image":"data:","duration":3}"#, "/image"),
            (
                #"{"type":"link","text":"a","preview":{"uri":"https://a","title":"","description":"","image":"x"}}"#,
                "/preview/image"
            ),
        ]
    )
    func previews(content: String, place: String) async throws {
        try await Served.run { served in
            let client = try await served.client()
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

    @Test("A preview that is too large for a message is refused, and the problem does not repeat its text")
    func large() async throws {
        try await Served.run { served in
            let picture = "data:image/jpg;base64," + String(repeating: "A", count: 15_600)
            let content = #"{"type":"image","text":"","image":"\#(picture)"}"#
            let answer = try await served.client().call(
                "POST",
                "/v1/users/1/chats/direct/1/messages",
                body: #"{"composedMessages":[{"msgContent":\#(content),"mentions":{}}]}"#
            )
            #expect(answer.status == 422 && answer.body.count < 1000, "\(answer.text)")
        }
    }

    @Test("A link without a picture, and a content of an unknown type, reach the core")
    func others() async throws {
        try await Served.run { served in
            let client = try await served.client()
            for content in [
                #"{"type":"link","text":"a","preview":{"uri":"https://a","title":"","description":"","image":""}}"#,
                #"{"type":"new","text":"","image":"x"}"#,
            ] {
                let answer = try await client.call(
                    "POST",
                    "/v1/users/1/chats/direct/1/messages",
                    body: #"{"composedMessages":[{"msgContent":\#(content),"mentions":{}}]}"#
                )
                // The core in memory refuses every command.
                #expect(try answer.json["chatError"] != nil, "\(answer.text)")
            }
        }
    }
}
