import JSON
import NIOCore

/// A read request that the benchmark sends to the small and to the large store.
struct GrowthRead {
    var name: String
    var smallPath: String
    var largePath: String
    /// Whether the answers of the two stores have the same size.
    var hasEqualAnswerSizes = true

    static func makeAll(_ small: GrownGateway, _ large: GrownGateway) async throws -> [GrowthRead] {
        let chat = "/v1/users/1/chats/direct/1", list = "/v1/users/1/chats", items = "/v1/users/1/messages"
        func samePathRead(_ name: String, _ path: String) -> GrowthRead {
            GrowthRead(name: name, smallPath: path, largePath: path)
        }
        func ownPathsRead<Place>(_ name: String, _ path: String, _ place: (GrownGateway) -> Place) -> GrowthRead {
            GrowthRead(name: name, smallPath: path + "\(place(small))", largePath: path + "\(place(large))")
        }
        // The first word is frequent. The second word does not occur: it is made of two fragments of frequent words.
        let frequent = GrownStore.SentenceMaker.makeWord(3),
            rare = GrownStore.rareWord.lowercased(),
            never = GrownStore.SentenceMaker.makeWord(120) + GrownStore.SentenceMaker.makeWord(140)
        return [
            samePathRead("GET users", "/v1/users"),
            samePathRead("chat list, 8 chats", list + "?limit=8"),
            GrowthRead(
                name: "chat list, 8 chats from the middle",
                smallPath: list + "?limit=8&cursor=\(small.middleChatCursor)",
                largePath: list + "?limit=8&cursor=\(large.middleChatCursor)"
            ),
            samePathRead("chat list, a chat that is searched for", list + "?search=alice"),
            GrowthRead(
                name: "chat list, all 10 and 1000",
                smallPath: list,
                largePath: list,
                hasEqualAnswerSizes: false
            ),
            GrowthRead(
                name: "model, 10 and 1000 chats",
                smallPath: "/v1/users/1/model",
                largePath: "/v1/users/1/model",
                hasEqualAnswerSizes: false
            ),
            samePathRead("chat, newest 50", chat + "?limit=50"),
            ownPathsRead("chat, 50 before one in the middle", chat + "?limit=50&cursor=", \.middleCursors.next),
            ownPathsRead("chat, 50 after one in the middle", chat + "?limit=50&cursor=", \.middleCursors.prev),
            ownPathsRead("chat, 25 around one in the middle", chat + "?limit=25&around=", \.middleItemID),
            ownPathsRead("chat, 25 around a late one", chat + "?limit=25&around=", \.lateItemID),
            samePathRead("chat, initial 50, nothing unread", chat + "?initial=true&limit=50"),
            samePathRead("chat with unread, initial 25", "/v1/users/1/chats/direct/2?initial=true&limit=25"),
            samePathRead("kinds of content of a chat", chat + "/content-types"),
            samePathRead("items of all chats, newest 50", items + "?limit=50"),
            ownPathsRead(
                "items of all chats, 50 before one in the middle",
                items + "?limit=50&cursor=",
                \.middleCursorOfAllItems
            ),
            // The two stores find the same number of items in these searches, so their answers have the same size.
            samePathRead("search in a chat, frequent word", chat + "?limit=20&search=\(frequent)"),
            samePathRead("search in a chat, rare word", chat + "?limit=50&search=\(rare)"),
            samePathRead("search in a chat, nothing found", chat + "?limit=50&search=\(never)"),
            samePathRead("search in all chats, frequent word", items + "?limit=50&search=\(frequent)"),
            samePathRead("search in all chats, rare word", items + "?limit=50&search=\(rare)"),
            samePathRead("search in all chats, nothing found", items + "?limit=50&search=\(never)"),
            samePathRead("search in all chats, two characters, nothing found", items + "?limit=50&search=qx"),
        ]
    }
}

/// A gateway that serves a grown store (with the data of years).
struct GrownGateway {
    let gateway: BenchedGateway
    /// The id of an item in the middle of the first chat.
    let middleItemID: Int64
    let lateItemID: Int64
    /// Cursors of the pages before and after the item in the middle of the first chat.
    let middleCursors: (next: String, prev: String)
    let middleCursorOfAllItems: String
    let middleChatCursor: String

    init(_ gateway: BenchedGateway) async throws {
        self.gateway = gateway
        func readIDs(_ path: String) async throws -> [Int64] {
            try await gateway.sendRequest("GET", path)["chat"]?["chatItems"]?.arrayValue?.compactMap {
                $0["meta"]?["itemId"]?.integerValue
            } ?? []
        }
        let last = try await readIDs("/v1/users/1/chats/direct/1?limit=100")
        lateItemID = last.first ?? 0
        // The ids of items are in the order of time over all chats. So the search for an item of this chat begins in
        // the middle of all ids.
        var middle: Int64 = 0, guess = lateItemID / 2
        while middle == 0, guess < lateItemID {
            middle = (try? await readIDs("/v1/users/1/chats/direct/1?limit=1&around=\(guess)"))?.first ?? 0
            guess += 1
        }
        middleItemID = middle
        func readCursors(_ path: String) async throws -> (next: String, prev: String) {
            let page = try await gateway.sendRequest("GET", path)
            return (page["next"]?.stringValue ?? "", page["prev"]?.stringValue ?? "")
        }
        self.middleCursors = try await readCursors("/v1/users/1/chats/direct/1?limit=1&around=\(middle)")
        middleCursorOfAllItems = try await readCursors("/v1/users/1/messages?limit=1&around=\(middle)").next
        let chats =
            try await gateway.sendRequest("GET", "/v1/users/1/chats?limit=5000")["chats"]?.arrayValue?.count ?? 0
        middleChatCursor = try await readCursors("/v1/users/1/chats?limit=\(chats / 10 + 1)").next
    }

    /// Marks a chat of user 2 as unread and as read again, so that no cached answer is used. Then measures one read.
    /// - Returns: the time in milliseconds, and the size of the answer in bytes.
    func measureRead(_ path: String) async throws -> (milliseconds: Double, bytes: Int) {
        _ = try await gateway.sendRequest("PATCH", "/v1/users/2/chats/direct/1", #"{"unread":true}"#)
        _ = try await gateway.sendRequest("PATCH", "/v1/users/2/chats/direct/1", #"{"unread":false}"#)
        let start = NIODeadline.now()
        let answer = try await gateway.connection.sendRequest("GET", path, key: gateway.key)
        guard answer.status == 200 else {
            throw BenchedGateway.UnexpectedAnswer(
                request: path,
                status: answer.status,
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
        return (millisecondsPassed(since: start), answer.body.count)
    }
}
