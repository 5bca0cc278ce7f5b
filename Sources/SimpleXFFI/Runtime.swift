/// Does nothing. Callers start the Haskell runtime of the original's library with this function, but this library has
/// no runtime.
@_cdecl("hs_init")
public func hsInit(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_init_with_rtsopts")
public func hsInitWithOptions(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_exit")
public func hsExit() {}
