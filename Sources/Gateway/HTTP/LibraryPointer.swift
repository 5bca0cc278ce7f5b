/// A pointer of the HTTP library inside a mutex.
///
/// `@unchecked Sendable`: the library's functions that are called with it from other threads (resume, close of an upgraded
/// socket, stop) lock for themselves; who keeps one says why it is still alive.
struct LibraryPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
