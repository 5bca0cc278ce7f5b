/// A pointer of the HTTP library inside a mutex.
///
/// `@unchecked Sendable`: the library functions that are called with it from other threads (resume, close of an upgraded socket, stop) lock by
/// themselves. Each owner of a pointer documents why it is still valid.
struct LibraryPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
