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
    func `Two cores in one process exchange a message, and waiting without an event returns an empty text`()
        async throws
    {
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
            defer { runAndWait { await relay.stopAndWait() } }
            try Self.exchangeMessage(folder)
        }
    }

    private static func exchangeMessage(_ folder: String) throws {
        let people = try ["alice", "bob"].map { name in
            let controller = try Library.openStore("\(folder)/\(name)").controller
            _ = try Library.sendCommand(
                controller,
                #"/_create user {"profile":{"displayName":"\#(name)","fullName":""},"pastTimestamp":false}"#
            )
            #expect(try Library.sendCommand(controller, "/_start")["result"]?["type"] == "chatStarted")
            return controller
        }
        let (alice, bob) = (people[0], people[1])
        _ = try waitForEvent("connectionsDiff", of: alice)
        #expect(Library.takeText(chatReceiveMessageWait(alice, 1000)) == "")
        let invitation = try Library.sendCommand(alice, "/_connect 1 incognito=off")
        let link = try #require(invitation["result"]?["connLinkInvitation"]?["connFullLink"]?.stringValue)
        #expect(
            try Library.sendCommand(bob, "/_connect 1 incognito=off \(link)")["result"]?["type"] == "sentConfirmation"
        )
        _ = try waitForEvent("contactConnected", of: alice)
        let connected = try waitForEvent("contactConnected", of: bob)
        let contact = try #require(connected["contact"]?["contactId"]?.integerValue)
        let sent = try Library.sendCommand(
            bob,
            #"/_send @\#(contact) live=off ttl=default json [{"msgContent":{"type":"text","text":"hello"},"mentions":{}}]"#
        )
        #expect(sent["result"]?["type"] == "newChatItems")
        while true {
            let items = try waitForEvent("newChatItems", of: alice)["chatItems"]?.arrayValue ?? []
            if items.contains(where: { $0["chatItem"]?["content"]?["msgContent"]?["text"] == "hello" }) { break }
        }
        for controller in people { #expect(Library.takeText(chatCloseStore(controller)) == "") }
    }

    private static func waitForEvent(_ type: String, of controller: UnsafeMutableRawPointer?) throws -> JSONValue {
        while true {
            let frame = try Library.takeJSON(chatReceiveMessage(controller))
            if let event = frame["result"], event["type"]?.stringValue == type { return event }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
