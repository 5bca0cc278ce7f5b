internal import ChatAPI

extension MsgContent {
    /// Whether this is another content than `old`, or the same words in other characters: Swift takes "é" in its two Unicode forms for equal, and an edit
    /// from one to the other is an edit.
    func differs(from old: MsgContent) -> Bool { self != old || !text.utf8.elementsEqual(old.text.utf8) }
}
