// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error in a list of servers.
package indirect enum UserServersError: TaggedUnion {
    case noServers(`protocol`: ServerProtocol, user: User?)
    case storageMissing(`protocol`: ServerProtocol, user: User?)
    case proxyMissing(`protocol`: ServerProtocol, user: User?)
    case duplicateServer(`protocol`: ServerProtocol, duplicateServer: String, duplicateHost: String)
    case duplicateChatRelayName(duplicateChatRelay: String)
    case duplicateChatRelayAddress(duplicateChatRelay: String, duplicateAddress: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension UserServersError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noServers": self = try .noServers(protocol: fields("protocol"), user: fields.optional("user"))
        case "storageMissing": self = try .storageMissing(protocol: fields("protocol"), user: fields.optional("user"))
        case "proxyMissing": self = try .proxyMissing(protocol: fields("protocol"), user: fields.optional("user"))
        case "duplicateServer":
            self = try .duplicateServer(
                protocol: fields("protocol"), duplicateServer: fields("duplicateServer"),
                duplicateHost: fields("duplicateHost"))
        case "duplicateChatRelayName":
            self = try .duplicateChatRelayName(duplicateChatRelay: fields("duplicateChatRelay"))
        case "duplicateChatRelayAddress":
            self = try .duplicateChatRelayAddress(
                duplicateChatRelay: fields("duplicateChatRelay"), duplicateAddress: fields("duplicateAddress"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noServers(let `protocol`, let user):
            try encoder.tagged("noServers")("protocol", `protocol`).optional("user", user)
        case .storageMissing(let `protocol`, let user):
            try encoder.tagged("storageMissing")("protocol", `protocol`).optional("user", user)
        case .proxyMissing(let `protocol`, let user):
            try encoder.tagged("proxyMissing")("protocol", `protocol`).optional("user", user)
        case .duplicateServer(let `protocol`, let duplicateServer, let duplicateHost):
            try encoder.tagged("duplicateServer")("protocol", `protocol`)("duplicateServer", duplicateServer)(
                "duplicateHost", duplicateHost)
        case .duplicateChatRelayName(let duplicateChatRelay):
            try encoder.tagged("duplicateChatRelayName")("duplicateChatRelay", duplicateChatRelay)
        case .duplicateChatRelayAddress(let duplicateChatRelay, let duplicateAddress):
            try encoder.tagged("duplicateChatRelayAddress")("duplicateChatRelay", duplicateChatRelay)(
                "duplicateAddress", duplicateAddress)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
