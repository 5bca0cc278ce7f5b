internal import ChatAPI

extension MsgContent {
    /// Whether this content differs from `old`, also in the Unicode form alone: Swift considers the two Unicode forms
    /// of "é" equal, but a change of the form is an edit.
    func differs(from old: MsgContent) -> Bool { self != old || !text.utf8.elementsEqual(old.text.utf8) }
}
