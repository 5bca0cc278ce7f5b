import Foundation
import Glibc
import JSON
import NIOPosix
import SMPRelay
import TestSupport
import Testing

@testable import SimpleXFFI

@Suite(.socketTimeLimit)
struct EventTests {
    @Test
    func `Two cores in one process exchange a message, and a wait without events returns an empty text`() async throws {
        try await Library.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/relay", withIntermediateDirectories: false)
            let relay = try runAndWait {
                await Result {
                    try await Relay.start(
                        configuration: RelayConfiguration(directory: folder + "/relay", host: "127.0.0.1", port: 0),
                        group: MultiThreadedEventLoopGroup.singleton
                    )
                }
            }.get()
            setenv("SXGW_SMP_SERVER", relay.address.str, 1)
            defer { runAndWait { await relay.stop() } }
            try Self.talk(folder)
        }
    }

    private static func talk(_ folder: String) throws {
        let people = try ["alice", "bob"].map { name in
            let controller = try Library.open("\(folder)/\(name)").controller
            _ = try Library.send(
                controller,
                #"/_create user {"profile":{"displayName":"\#(name)","fullName":""},"pastTimestamp":false}"#
            )
            #expect(try Library.send(controller, "/_start")["result"]?["type"] == "chatStarted")
            return controller
        }
        let (alice, bob) = (people[0], people[1])
        _ = try event("connectionsDiff", of: alice)
        #expect(Library.take(chatReceiveMessageWait(alice, 1000)) == "")
        let invitation = try Library.send(alice, "/_connect 1 incognito=off")
        let link = try #require(invitation["result"]?["connLinkInvitation"]?["connFullLink"]?.stringValue)
        #expect(try Library.send(bob, "/_connect 1 incognito=off \(link)")["result"]?["type"] == "sentConfirmation")
        _ = try event("contactConnected", of: alice)
        let connected = try event("contactConnected", of: bob)
        let contact = try #require(connected["contact"]?["contactId"]?.integerValue)
        let sent = try Library.send(
            bob,
            #"/_send @\#(contact) live=off ttl=default json [{"msgContent":{"type":"text","text":"hello"},"mentions":{}}]"#
        )
        #expect(sent["result"]?["type"] == "newChatItems")
        while true {
            let items = try event("newChatItems", of: alice)["chatItems"]?.arrayValue ?? []
            if items.contains(where: { $0["chatItem"]?["content"]?["msgContent"]?["text"] == "hello" }) { break }
        }
        for controller in people { #expect(Library.take(chatCloseStore(controller)) == "") }
    }

    private static func event(_ type: String, of controller: UnsafeMutableRawPointer?) throws -> JSONValue {
        while true {
            let frame = try Library.json(chatReceiveMessage(controller))
            if let event = frame["result"], event["type"]?.stringValue == type { return event }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
