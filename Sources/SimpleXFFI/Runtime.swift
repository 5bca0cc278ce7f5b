/// Does nothing. The original's library has a runtime that callers start first; this library has none.
@_cdecl("hs_init")
public func hsInit(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_init_with_rtsopts")
public func hsInitWithOptions(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) {}

@_cdecl("hs_exit")
public func hsExit() {}
