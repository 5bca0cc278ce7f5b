import Testing

@testable import ChatText

@Suite struct FileNameTests {
    @Test(arguments: [
        ("photo.jpg", "photo.jpg"), ("/etc/passwd", "passwd"), ("../../x", "x"), ("..", "_"), (".", "_"), ("", "_"),
        ("a/", "_"), ("  ", "_"),
        ("a\0b", "a_b"), ("a\nb\u{7f}", "a_b_"), ("CON", "_CON"), ("nul.txt", "_nul.txt"),
        ("6|5>4<3\"2?1*x:y\\z", "6_5_4_3_2_1_x_y_z"),
        ("~root", "_~root"), ("gnp\u{202e}.exe", "gnp_.exe"), ("...", "_"), (".bashrc", ".bashrc"),
        (".returning-a", "_.returning-a"), ("фото.png", "фото.png"),
    ])
    func `A file name from a peer is changed if it contains a path or is a reserved name`(name: String, shown: String) {
        #expect(FileName.safeName(name) == shown)
    }

    @Test
    func `A long file name is shortened and keeps its extension`() {
        #expect(FileName.safeName(String(repeating: "я", count: 10_000) + ".jpeg").utf8.count <= 240)
        #expect(FileName.safeName(String(repeating: "я", count: 10_000) + ".jpeg").hasSuffix(".jpeg"))
        #expect(FileName.safeName(String(repeating: "a", count: 10_000)).utf8.count == 240)
        #expect(FileName.safeName("a." + String(repeating: "b", count: 10_000)).utf8.count == 240)
    }
}
