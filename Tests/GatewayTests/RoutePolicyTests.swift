import ChatAPI
import Testing

@testable import Gateway

@Suite("Policies of routes")
struct RoutePolicyTests {
    /// Returns the operations of routes whose policy has this decision.
    private static func findOperations<Decision: Equatable>(
        _ field: KeyPath<RoutePolicy, Decision>,
        _ decision: Decision
    ) -> Set<String> {
        Set(RouteTable.all.filter { $0.policy[keyPath: field] == decision }.map(\.operationID))
    }

    @Test
    func `Answers of routes that show keys, addresses, links, passwords or codes are marked as secret`() {
        let shown: Set<CommandName> = [
            .showMyAddress, .createGroupLink, .getGroupLink, .groupLinkMemberRole, .addGroupShortLink, .getUserServers,
            .getNtfToken, .getContactCode, .getGroupMemberCode,
        ]
        let own: Set = [
            "createKey", "rotateKey", "createStore", "createWebhook", "getAddressQrCode", "getGroupLinkQrCode",
        ]
        #expect(Self.findOperations(\.answers, .secret).isSuperset(of: own))
        let commands = RouteTable.all.filter { $0.policy.answers == .secret }.compactMap(\.command)
        #expect(shown.isSubset(of: commands))
    }

    @Test
    func `A large answer is compressed unless the policy of its route marks answers as secret`() async {
        let request = HTTPRequest(method: "GET", path: "/", headers: [("accept-encoding", "gzip")])
        let body = Array(String(repeating: "the same again ", count: 200).utf8)
        let expected: [(RoutePolicy, Bool)] = [
            (.storeData, true), (.secretData, false), (.keys, false), (.storeManagement, false),
        ]
        for (policy, isPacked) in expected {
            let reply = HTTPReply.later { HTTPResponse(json: body) }.compressedIfAccepted(for: request, policy.answers)
            guard case .later(let work) = reply else {
                Issue.record("The work is not suspended")
                continue
            }
            let names = await work().headers.map(\.name)
            #expect(names.contains("Content-Encoding") == isPacked && names.contains("Vary") == isPacked)
        }
    }

    @Test
    func `Each route that admits keys only for the chat in its path has exactly one chat in the path`() {
        for route in RouteTable.all where route.policy.chatKeys == .chatInPath {
            var parameters = Dictionary(uniqueKeysWithValues: route.parameterNames.map { ($0, "1") })
            if parameters["chatType"] != nil { parameters["chatType"] = "group" }
            #expect(KeyChat(of: parameters) != nil, "\(route.operationID)")
        }
    }

    @Test
    func `A route that does not use the store of the key is not served for phones`() {
        for route in RouteTable.all where route.policy.storeUse != .storeOfKey {
            #expect(route.policy.phones != .served, "\(route.operationID)")
        }
    }

    @Test
    func `An unclaimed key is accepted only at two routes, for its own description and for its rotation`() {
        #expect(Self.findOperations(\.unclaimedKeys, .admitted) == ["getCurrentKey"])
        #expect(Self.findOperations(\.unclaimedKeys, .keyInPath) == ["rotateKey"])
        #expect(Self.findOperations(\.phones, .keys) == ["getCurrentKey", "followDocuments", "openDocumentSocket"])
    }

    @Test
    func `Only routes for Gotify accept the header 'X-Gotify-Key', and the log has no names of archives`() {
        #expect(
            Self.findOperations(\.keyFields, .authorizationOrGotify) == ["sendGotifyNotice", "sendGotifyMessage"]
        )
        #expect(
            Self.findOperations(\.loggedPath, .withoutParameters)
                == ["downloadArchive", "uploadArchive", "deleteArchive"]
        )
        #expect(RouteTable.privatePathParts == ["/database/archives/"])
    }

    @Test
    func `Routes for probes need no key, and routes for monitoring need a key`() {
        for route in RouteTable.all {
            switch route.policy.callers {
            case .clients: break
            case .monitors: #expect(route.access != .noKey, "\(route.operationID)")
            case .probes: #expect(route.access == .noKey, "\(route.operationID)")
            }
        }
    }
}
