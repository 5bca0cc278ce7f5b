import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Positions of clients of the terminal protocol", .overSockets)
struct TerminalPlacesTests {
    @Test(
        "The first terminal client of a key gets events from the start position, the next one from the previous end"
    )
    func next() {
        let places = TerminalPlaces(epoch: "one", start: 4)
        #expect(places.open("bot", epoch: "one", kept: 0...9) == 4)
        places.close("bot", epoch: "one", at: 12)
        #expect(places.open("bot", epoch: "one", kept: 0...20) == 12)
        #expect(places.open("other", epoch: "one", kept: 0...20) == 4)
    }

    @Test("If a terminal client of a key is connected, a second client of the key gets only new events")
    func beside() {
        let places = TerminalPlaces(epoch: "one", start: 0)
        #expect(places.open("bot", epoch: "one", kept: 0...5) == 0)
        #expect(places.open("bot", epoch: "one", kept: 0...7) == 7)
        places.close("bot", epoch: "one", at: 8)
        #expect(places.open("bot", epoch: "one", kept: 0...9) == 9)
        for position: UInt64 in [9, 3] { places.close("bot", epoch: "one", at: position) }
        #expect(places.open("bot", epoch: "one", kept: 0...12) == 9)
    }

    @Test("A terminal client gets at most a limited number of past events, and only events that still exist")
    func limits() {
        let places = TerminalPlaces(epoch: "one", start: 0)
        let latest = TerminalPlaces.limit * 3
        #expect(places.open("bot", epoch: "one", kept: 0...latest) == latest - TerminalPlaces.limit)
        #expect(places.open("other", epoch: "one", kept: (latest - 2)...latest) == latest - 2)
    }

    @Test("A position in another journal is ignored")
    func replaced() {
        let places = TerminalPlaces(epoch: "one", start: 0)
        _ = places.open("bot", epoch: "one", kept: 0...5)
        #expect(places.open("bot", epoch: "two", kept: 0...3) == 3)
        places.close("bot", epoch: "one", at: 5)
        places.close("bot", epoch: "two", at: 3)
        #expect(places.open("bot", epoch: "two", kept: 0...6) == 3)
    }

    @Test("Positions of keys without clients are forgotten if there are too many")
    func keys() {
        let places = TerminalPlaces(epoch: "one", start: 1)
        for key in 0...TerminalPlaces.maxKeys {
            _ = places.open("\(key)", epoch: "one", kept: 0...5)
            places.close("\(key)", epoch: "one", at: 5)
        }
        #expect(places.open("0", epoch: "one", kept: 0...5) == 1)
    }

    @Test(
        "The first terminal client gets the events since the gateway's start, and the next one all later events"
    )
    func socket() async throws {
        try await Served.run { served in
            func types(_ socket: WebSocketClient, _ count: Int) async throws -> [JSONValue?] {
                var types: [JSONValue?] = []
                for _ in 0..<count { types.append(try await socket.json()["resp"]?["type"]) }
                return types
            }
            served.core.journal.publish(["one", "two"])
            let first = try await WebSocketClient.open(served.client(), "/")
            #expect(try await types(first, 2) == ["one", "two"])
            try await first.send(8, [3, 232])
            let metrics = try await served.client()
            try await eventually("the first client is disconnected") {
                try await metrics.call("GET", "/metrics").text.contains("sxgw_event_streams 0\n")
            }
            served.core.journal.publish(["three"])
            let next = try await WebSocketClient.open(served.client(), "/")
            #expect(try await types(next, 1) == ["three"])
            served.core.journal.publish(["more"])
            #expect(try await types(next, 1) == ["more"])
        }
    }
}
