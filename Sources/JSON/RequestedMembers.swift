import Synchronization

/// The error for a member of an object that the decoded type did not request.
package struct UnknownMember: Error, Hashable, Sendable {
    /// The path of the member, such as `profile.displayNam` or `messages[0].txt`.
    package let path: String
    /// The pointer to the member.
    package let pointer: JSONPointer
    /// The requested member of the same object whose name is most similar; nil when no name is similar enough.
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
    /// Allows this value to have members, at any depth, that its type does not request.
    package func allowUnknownMembers() { (self as? ValueDecoder)?.requestedMembers?.acceptAllMembers() }
}

/// A record of the members that are requested while a value is decoded. The record also covers the values inside of the
/// value.
final class RequestedMembers: Sendable {
    private struct State {
        /// The names of the object's members; empty for another value.
        var names: [String] = []
        var requestedNames: Set<String> = []
        var acceptsAllMembers = false
        var partsByStep: [String: RequestedMembers] = [:]
        /// The names of the members or elements, in the order in which they were decoded.
        var partOrder: [String] = []
    }

    private let state = Mutex(State())

    /// Records that the value is decoded as an object, and the names of its members.
    func recordMembers(_ object: JSONObject) { state.withLock { $0.names = Array(object.keys) } }

    /// Accepts all members of the value, requested or not.
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

    /// Returns the first member that the type did not request; nil when there is none.
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
