import Synchronization

/// The error for a member of an object that the decoded type did not request.
public struct UnknownMember: Error, Hashable, Sendable {
    /// The path of the member, such as `profile.displayNam` or `messages[0].txt`.
    public let path: String
    /// The requested member of the same object whose name is most similar; nil when no name is similar enough.
    public let nearest: String?
}

extension JSONDecoder {
    /// Decodes a value, and refuses members that the type does not request.
    /// - Throws: `DecodingError` when the value does not fit the type, and ``UnknownMember`` for a member, at any
    ///   depth, that the type does not request. Values that call ``Swift/Decoder/takesUnknownMembers()`` may have any
    ///   members.
    public func decodeAll<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
        let asked = AskedMembers()
        let decoded = try ValueDecoder(value: value, path: .root(userInfo), asked: asked).decode(type)
        if let unknown = asked.unasked() { throw unknown }
        return decoded
    }
}

extension Decoder {
    /// Allows this value to have members, at any depth, that its type does not request.
    public func takesUnknownMembers() { (self as? ValueDecoder)?.asked?.takeAll() }
}

/// A record of the members that are requested while a value is decoded. The record also covers the values inside of the
/// value.
final class AskedMembers: Sendable {
    private struct State {
        /// The names of the object's members; empty for another value.
        var names: [String] = []
        var asked: Set<String> = []
        var takesAll = false
        var parts: [String: AskedMembers] = [:]
        /// The names of the members or elements, in the order in which they were decoded.
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// Records that the value is decoded as an object, and the names of its members.
    func open(_ object: JSONObject) { state.withLock { $0.names = Array(object.keys) } }

    /// Accepts all members of the value, requested or not.
    func takeAll() { state.withLock { $0.takesAll = true } }

    func ask(_ name: String) { state.withLock { _ = $0.asked.insert(name) } }

    func member(_ name: String) -> AskedMembers { part("." + name) }

    func element(_ index: Int) -> AskedMembers { part("[\(index)]") }

    private func part(_ step: String) -> AskedMembers {
        state.withLock { state in
            if let known = state.parts[step] { return known }
            let part = AskedMembers()
            state.parts[step] = part
            state.order.append(step)
            return part
        }
    }

    /// Returns the first member that the type did not request; nil when there is none.
    func unasked(_ path: String = "") -> UnknownMember? {
        let state = state.withLock { $0 }
        guard !state.takesAll else { return nil }
        if let name = state.names.first(where: { !state.asked.contains($0) }) {
            return UnknownMember(path: path.isEmpty ? name : "\(path).\(name)", nearest: state.asked.nearest(to: name))
        }
        for step in state.order {
            let place = path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : path + step
            if let found = state.parts[step]?.unasked(place) { return found }
        }
        return nil
    }
}
