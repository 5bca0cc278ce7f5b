import Foundation
import Gateway
import JSON
import TestSupport
import Testing

@Suite(.socketTimeLimit) struct WebSocketTests {
    @Test
    func `The answer to a handshake contains the accept key of RFC 6455`() async throws {
        try await ServedGateway.run { served in
            let answer = try await WebSocketClient.sendHandshake(served.connectClient(), "/v1/events/ws")
            #expect(answer.status == 101)
            #expect(answer.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        }
    }

    @Test
    func `A WebSocket request without a handshake or a key, or with a foreign Origin, is refused`() async throws {
        try await ServedGateway.run { served in
            let plain = try await served.connectClient().call("GET", "/v1/events/ws")
            #expect(plain.status == 426)
            let foreign = [("Origin", "https://evil.example")]
            #expect(
                try await WebSocketClient.sendHandshake(served.connectClient(), "/v1/events/ws", headers: foreign)
                    .status
                    == 403
            )
            #expect(try await WebSocketClient.sendHandshake(served.connectAnonymously(), "/v1/events/ws").status == 401)
        }
    }

    @Test
    func `A WebSocket sends the events after the given cursor`() async throws {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two"])
            let socket = try await WebSocketClient.open(served.connectClient(), "/v1/events/ws?cursor=test-1")
            #expect(try await socket.receiveJSON()["id"] == "test-2")
            served.core.journal.publish(["three"])
            #expect(try await socket.receiveJSON()["event"]?["type"] == "three")
        }
    }

    @Test
    func `A frame that is sent together with the handshake is not lost`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectClient()
            let head = """
                GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(served.key)\r\nUpgrade: websocket\r\nConnection: Upgrade\r
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
                """
            try await client.connection.send(
                Array(head.utf8) + WebSocketClient.makeFrame(1, Array(#"{"corrId":"7","cmd":"/u"}"#.utf8))
            )
            _ = try await client.receiveHead()
            #expect(try await WebSocketClient(http: client).receiveJSON()["corrId"] == "7")
        }
    }

    @Test
    func `The terminal protocol answers commands with their corrId, and sends events without corrId`() async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            let answer = try await socket.receiveJSON()
            #expect(answer["corrId"] == "1")
            #expect(answer["resp"]?["type"] == "chatCmdError")
            #expect(answer["resp"]?["chatError"]?["errorType"]?["type"] == "noActiveUser")
            served.core.journal.publish(["happened"])
            let event = try await socket.receiveJSON()
            #expect(event["corrId"] == nil)
            #expect(event["resp"]?["type"] == "happened")
            try await socket.send("no request")
            #expect(try await socket.receiveJSON()["resp"]?["chatError"]?["errorType"]?["message"] == "invalid request")
            // A refusal has the corrId of its request, since the client waits for this answer.
            for frame in [
                #"{"corrId":"3"}"#, #"{"cmd":"/u \u0000","corrId" : "3"}"#, #"{"corrId":"3","cmd":"\ud800"}"#,
                #"{"corrId":"3","cmd":"/u""#,
            ] {
                try await socket.send(frame)
                let refused = try await socket.receiveJSON()
                #expect(
                    refused["corrId"] == "3"
                        && refused["resp"]?["chatError"]?["errorType"]?["message"] == "invalid request",
                    "\(frame)"
                )
            }
            try await socket.send(#"{"corrId":"2","cmd":"/_nonsense"}"#)
            #expect(try await socket.receiveJSON()["resp"]?["chatError"]?["errorType"]?["type"] == "commandError")
        }
    }

    @Test(arguments: ["/", "/v1/events/ws"])
    func `Commands of one WebSocket run concurrently, and a slow command does not delay other commands`(
        path: String
    ) async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), path)
            try await socket.send(#"{"corrId":"1","cmd":"/users"}"#)
            try await socket.send(#"{"corrId":"2","cmd":"/u"}"#)
            #expect(try await socket.receiveJSON()["corrId"] == "2")
            served.core.openAnswerGate()
            #expect(try await socket.receiveJSON()["corrId"] == "1")
        }
    }

    @Test
    func `All commands that arrive at once are answered, even above the limit of running commands`() async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            let ids = (0..<300).map(String.init)
            try await socket.http.connection.send(
                ids.flatMap { WebSocketClient.makeFrame(1, Array(#"{"corrId":"\#($0)","cmd":"/u"}"#.utf8)) }
            )
            var answered: Set<String> = []
            for _ in ids { answered.insert(try await socket.receiveJSON()["corrId"]?.stringValue ?? "") }
            #expect(answered == Set(ids))
        }
    }

    @Test
    func `Each of two WebSocket clients gets every event`() async throws {
        try await ServedGateway.run { served in
            let one = try await WebSocketClient.open(served.connectClient(), "/")
            let two = try await WebSocketClient.open(served.connectClient(), "/")
            try await one.send(#"{"corrId":"1","cmd":"/u"}"#)
            try await two.send(#"{"corrId":"1","cmd":"/u"}"#)
            _ = try await (one.receiveJSON(), two.receiveJSON())
            for index in 0..<20 { served.core.journal.publish(["\(index)"]) }
            for index in 0..<20 {
                #expect(try await one.receiveJSON()["resp"]?["type"] == .string("\(index)"))
                #expect(try await two.receiveJSON()["resp"]?["type"] == .string("\(index)"))
            }
        }
    }

    @Test
    func `A WebSocket can be opened with a key as the password of Basic credentials`() async throws {
        try await ServedGateway.run { served in
            let encoded = Data("any:\(served.key)".utf8).base64EncodedString()
            let answer = try await WebSocketClient.sendHandshake(
                served.connectAnonymously(),
                "/",
                headers: [("Authorization", "Basic \(encoded)")]
            )
            #expect(answer.status == 101)
        }
    }

    @Test
    func `A ping is answered with its payload, and a close frame with a close frame`() async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(9, [1, 2, 3])
            let pong = try await socket.receiveFrame()
            #expect(pong.opcode == 10 && pong.payload == [1, 2, 3])
            try await socket.send(8, [3, 232])
            #expect(try await socket.receiveCloseCode() == 1000)
            #expect(try await socket.http.connection.receiveRest() == [])
        }
    }

    @Test(
        arguments: [
            ([], 1000), ([0x03], 1002), (encodeCode(1001), 1001), (encodeCode(1011), 1011), (encodeCode(3000), 3000),
            (encodeCode(4999), 4999),
            (encodeCode(0), 1002), (encodeCode(999), 1002), (encodeCode(1004), 1002), (encodeCode(1005), 1002),
            (encodeCode(1006), 1002),
            (encodeCode(1015), 1002), (encodeCode(2999), 1002),
            (encodeCode(5000), 1002), (encodeCode(65535), 1002), (encodeCode(1000) + Array("bye".utf8), 1000),
            (encodeCode(1000) + [0xC3], 1007),
        ] as [([UInt8], Int)]
    )
    func `A close frame is answered with its code, or with 1002 or 1007 if the frame is invalid`(
        payload: [UInt8],
        answer: Int
    ) async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(8, payload)
            #expect(try await socket.receiveCloseCode() == answer)
            #expect(try await socket.http.connection.receiveRest() == [])
        }
    }

    private static func encodeCode(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(code & 0xFF)] }

    @Test
    func `The fragments of a message are joined, even with a ping between the fragments`() async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(1, Array(#"{"corrId":"#.utf8), fin: false)
            try await socket.send(9, [])
            try await socket.send(0, Array(#""5","cmd":"/u"}"#.utf8))
            #expect(try await socket.receiveJSON()["corrId"] == "5")
        }
    }

    @Test(arguments: [
        (WebSocketClient.makeFrame(1, [0xFF, 0xFE]), 1007),
        (WebSocketClient.makeFrame(1, [65], masked: false), 1002),
        (WebSocketClient.makeFrame(0, [65]), 1002),
        (WebSocketClient.makeFrame(2, [65]), 1003),
        (WebSocketClient.makeFrame(3, [65]), 1002),
        (WebSocketClient.makeFrame(9, [], fin: false), 1002),
        (WebSocketClient.makeFrame(9, [UInt8](repeating: 0, count: 126)), 1002),
        // The lengths of the next two frames use more bytes than necessary, which RFC 6455 forbids.
        ([0x81, 0xFE, 0, 125, 0, 0, 0, 0], 1002),
        ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], 1002),
        ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], 1002),
        ([0xC1, 0x80, 0, 0, 0, 0], 1002),
        ([0x81, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0], 1009),
    ])
    func `A violation of the WebSocket protocol closes the socket with the code for this violation`(
        frame: [UInt8],
        code: Int
    ) async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.http.connection.send(frame)
            #expect(try await socket.receiveCloseCode() == code)
        }
    }

    @Test
    func `Fragments that together exceed the size limit of a message close the WebSocket with 1009`() async throws {
        try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            let part = [UInt8](repeating: 65, count: 600_000)
            try await socket.send(1, part, fin: false)
            try await socket.send(0, part)
            #expect(try await socket.receiveCloseCode() == 1009)
        }
    }

    @Test
    func `A stop of the gateway closes WebSockets with the code 1001`() async throws {
        let socket = try await ServedGateway.run { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
            _ = try await socket.receiveJSON()
            return socket
        }
        #expect(try await socket.receiveCloseCode() == 1001)
    }
}
