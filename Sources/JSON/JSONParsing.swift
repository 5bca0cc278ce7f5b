import CJansson

/// Limits for parsing untrusted JSON.
package struct JSONLimits: Sendable {
    /// Maximal number of bytes of the text.
    package var maxBytes: Int
    /// Maximal number of nested arrays and objects.
    package var maxDepth: Int
    /// Whether string values may contain `\u0000`. Names must never contain it.
    package var allowsNUL: Bool

    package init(size: Int, depth: Int, allowsNUL: Bool = false) {
        self.maxBytes = size
        self.maxDepth = depth
        self.allowsNUL = allowsNUL
    }

    /// The limits for JSON that this program has written.
    package static let forOwnText = JSONLimits(size: .max, depth: 1024, allowsNUL: true)

    /// The limits for messages of peers, whose programs may send any character.
    package static let forPeerText = JSONLimits(size: 16 << 20, depth: 128, allowsNUL: true)

    /// The default limits, which are larger than any command, response or event: 16 MiB and 128 levels.
    package static let `default` = JSONLimits(size: 16 << 20, depth: 128)
}

/// The reason why a text is refused as JSON, and the position of the fault.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case syntax(String)
        case duplicateKey
        /// U+0000 is in a name, or in a string that must not contain it.
        case nulCharacter
        case invalidUTF8
        /// An integer needs more than 64 bits, or a real number is too large for a double.
        case numberOutOfRange
        case tooDeep(limit: Int)
        case tooLarge(limit: Int)
    }

    package var reason: Reason
    /// The number of the line that contains the fault, counted from 1; 0 for an error without a position.
    package var line: Int
    /// The number of the column of the fault in characters, counted from 1.
    package var column: Int

    package var description: String {
        let what =
            switch reason {
            // The parser's message ends with a part of the text, which may be private. So this part is left out.
            case .syntax(let message):
                message.firstRange(of: " near ").map { String(message[..<$0.lowerBound]) } ?? message
            case .duplicateKey: "duplicate member name"
            case .nulCharacter: "NUL character"
            case .invalidUTF8: "invalid UTF-8"
            case .numberOutOfRange: "number out of range"
            case .tooDeep(let limit): "more than \(limit) levels"
            case .tooLarge(let limit): "more than \(limit) bytes"
            }
        return line == 0 ? what : "\(what) at line \(line), column \(column)"
    }
}

extension JSONValue {
    /// Parses a text that consists of one JSON value.
    package init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Parses a UTF-8 text that consists of one JSON value.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        self = try bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
        }.get()
    }

    /// Parses a UTF-8 text without copying its bytes.
    /// - Parameter take: gets the name and the UTF-8 value of each string that is a member of the outermost object, and
    ///   may store the value. If it returns `true`, the string is left out of the parsed value, and no copy of it stays
    ///   in memory.
    package init(
        parsing bytes: UnsafeRawBufferPointer,
        limits: JSONLimits = .default,
        taking take: ((String, UnsafeRawBufferPointer) -> Bool)? = nil
    ) throws(JSONError) {
        guard bytes.count <= limits.maxBytes else {
            throw JSONError(reason: .tooLarge(limit: limits.maxBytes), line: 0, column: 0)
        }
        try checkBracketDepth(bytes, limit: limits.maxDepth)
        _ = Self.installWipingAllocator
        var failure = json_error_t()
        let flags = size_t(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | (limits.allowsNUL ? JSON_ALLOW_NUL : 0))
        let root = json_loadb(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, flags, &failure)
        guard let root else { throw JSONError(failure, bytes) }
        defer { json_decref(root) }
        self = JSONValue(root, take)
    }

    /// Installs an allocator for the C library jansson once, before jansson allocates memory. The allocator overwrites
    /// memory before it is freed.
    private static let installWipingAllocator: Void = sxgw_json_wipes_memory()

    /// Copies a tree of values that the C library jansson has parsed. The depth was checked before, so this recursion
    /// is limited.
    private init(_ json: UnsafeMutablePointer<json_t>, _ take: ((String, UnsafeRawBufferPointer) -> Bool)? = nil) {
        switch json.pointee.type {
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        case JSON_INTEGER: self = .integer(Int64(json_integer_value(json)))
        case JSON_REAL: self = .real(json_real_value(json))
        case JSON_STRING: self = .string(Self.makeString(json_string_value(json), json_string_length(json)))
        case JSON_ARRAY:
            let count = json_array_size(json)
            var elements = [JSONValue]()
            elements.reserveCapacity(count)
            for index in 0..<count {
                if let element = json_array_get(json, index) { elements.append(JSONValue(element)) }
            }
            self = .array(elements)
        case JSON_OBJECT:
            var object = JSONObject()
            object.reserveCapacity(json_object_size(json))
            var iterator = json_object_iter(json)
            while let current = iterator {
                if let key = json_object_iter_key(current), let value = json_object_iter_value(current) {
                    let name = Self.makeString(key, json_object_iter_key_len(current))
                    if !Self.passStringToHandler(name, value, take) { object.append(name, JSONValue(value)) }
                }
                iterator = json_object_iter_next(json, current)
            }
            self = .object(object)
        default: self = .null
        }
    }

    private static func passStringToHandler(
        _ name: String,
        _ json: UnsafeMutablePointer<json_t>,
        _ take: ((String, UnsafeRawBufferPointer) -> Bool)?
    ) -> Bool {
        guard let take, json.pointee.type == JSON_STRING else { return false }
        return take(name, UnsafeRawBufferPointer(start: json_string_value(json), count: json_string_length(json)))
    }

    private static func makeString(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }
}

/// Checks the depth of brackets outside of strings, before recursive code parses the text.
private func checkBracketDepth(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(JSONError) {
    var depth = 0
    var isInString = false, isEscaped = false
    for (index, byte) in bytes.enumerated() {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            guard depth <= limit else {
                let (line, column) = lineAndColumn(of: index, in: bytes)
                throw JSONError(reason: .tooDeep(limit: limit), line: line, column: column)
            }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
    }
}

/// Returns the line and the column of a byte in a text, both counted from 1.
private func lineAndColumn(of index: Int, in bytes: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
    var line = 1, column = 1
    for byte in bytes.prefix(index) {
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xc0 != 0x80 {
            column += 1
        }
    }
    return (line, column)
}

extension JSONError {
    fileprivate init(_ failure: json_error_t, _ bytes: UnsafeRawBufferPointer) {
        let text = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix(while: { $0 != 0 }), as: UTF8.self) }
        // jansson stores its error code in the last byte of the text (`json_error_code`).
        let code = withUnsafeBytes(of: failure.text) { json_error_code(rawValue: UInt32($0.last ?? 0)) }
        reason =
            switch code {
            case json_error_duplicate_key: .duplicateKey
            case json_error_null_character, json_error_null_byte_in_key: .nulCharacter
            case json_error_invalid_utf8: .invalidUTF8
            case json_error_numeric_overflow: .numberOutOfRange
            default: bytes.contains(0) ? .nulCharacter : .syntax(text)
            }
        line = max(0, Int(failure.line))
        column = max(0, Int(failure.column))
    }
}
