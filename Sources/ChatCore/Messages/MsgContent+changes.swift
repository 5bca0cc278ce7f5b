internal import ChatAPI

extension MsgContent {
    /// Whether this content differs from `old`. Two Unicode forms of "é" count as different, although Swift considers
    /// them equal, since a change of the form is an edit.
    func differs(from old: MsgContent) -> Bool { self != old || !text.utf8.elementsEqual(old.text.utf8) }
}
