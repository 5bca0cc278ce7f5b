import Synchronization

/// The error for a member of an object that the decoded type did not request.
package struct UnknownMember: Error, Hashable, Sendable {
    /// The path of the member, such as `profile.displayNam` or `messages[0].txt`.
    package let path: String
    /// The JSON pointer to the member, such as `/messages/0/txt`.
    package let pointer: JSONPointer
    /// The requested member of the same object whose name is most similar to the unknown name; nil when no name is
    /// similar enough.
    package let nearestName: String?
}

extension JSONDecoder {
    /// Decodes a value, and refuses members that the type does not request.
    /// - Throws: `DecodingError` when the value does not fit the type, and ``UnknownMember`` for a member, at any
    ///   depth, that the type does not request. Values that call ``Swift/Decoder/allowUnknownMembers()`` may have any
    ///   members.
    package func decodeAll<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
        let requested = RequestedMembers()
        let decoded = try ValueDecoder(value: value, path: .root(userInfo), requestedMembers: requested).decode(type)
        if let unknown = requested.findUnrequestedMember() { throw unknown }
        return decoded
    }
}

extension Decoder {
    /// Allows the value that is being decoded to have members, at any depth, that its type does not request.
    package func allowUnknownMembers() { (self as? ValueDecoder)?.requestedMembers?.acceptAllMembers() }
}

/// A record of the members that a type requests while a value is decoded. The record also covers the values inside of
/// the value.
final class RequestedMembers: Sendable {
    private struct State {
        /// The names of the members that the object contains; empty for a value that is not an object.
        var names: [String] = []
        var requestedNames: Set<String> = []
        var acceptsAllMembers = false
        var partsByStep: [String: RequestedMembers] = [:]
        /// The keys of ``partsByStep``, in the order in which they were added.
        var partOrder: [String] = []
    }

    private let state = Mutex(State())

    /// Records the names of the members of a value that is decoded as an object.
    func recordMembers(_ object: JSONObject) { state.withLock { $0.names = Array(object.keys) } }

    /// Allows all members of the value, also members that are not requested.
    func acceptAllMembers() { state.withLock { $0.acceptsAllMembers = true } }

    func recordRequest(_ name: String) { state.withLock { _ = $0.requestedNames.insert(name) } }

    func findOrMakeMember(_ name: String) -> RequestedMembers { findOrMakePart("." + name) }

    func findOrMakeElement(_ index: Int) -> RequestedMembers { findOrMakePart("[\(index)]") }

    private func findOrMakePart(_ step: String) -> RequestedMembers {
        state.withLock { state in
            if let known = state.partsByStep[step] { return known }
            let part = RequestedMembers()
            state.partsByStep[step] = part
            state.partOrder.append(step)
            return part
        }
    }

    /// Returns the first member, at any depth, that the type did not request; nil when there is none.
    func findUnrequestedMember(_ path: String = "", _ pointer: JSONPointer = JSONPointer([])) -> UnknownMember? {
        let state = state.withLock { $0 }
        guard !state.acceptsAllMembers else { return nil }
        if let name = state.names.first(where: { !state.requestedNames.contains($0) }) {
            return UnknownMember(
                path: path.isEmpty ? name : "\(path).\(name)",
                pointer: pointer.appending(name),
                nearestName: state.requestedNames.findNearestName(to: name)
            )
        }
        for step in state.partOrder {
            let isMember = step.hasPrefix(".")
            let place = path.isEmpty && isMember ? String(step.dropFirst()) : path + step
            let inner = pointer.appending(String(isMember ? step.dropFirst() : step.dropFirst().dropLast()))
            if let found = state.partsByStep[step]?.findUnrequestedMember(place, inner) { return found }
        }
        return nil
    }
}
