import ChatAPI
import ChatCore
import Glibc
import SMP

/// Opens the databases `{path}_chat.db` and `{path}_agent.db`, and creates them if they do not exist.
/// - Parameters:
///   - key: the passphrase of the two databases; empty when they are not encrypted.
///   - confirm: `yesUp` or `yesUpDown` migrates databases of an earlier version to the present schema. `console` or
///     `error` refuses such databases. No value opens databases of a later version, because migrations are not undone.
///   - controller: the address at which the `chat_ctrl` is stored when the answer is `{"type":"ok"}`.
/// - Returns: a `DBMigrationResult` as JSON, which the caller frees:
///   - `ok`;
///   - `invalidConfirmation` for another `confirm`;
///   - `errorNotADatabase` if the key does not open a database;
///   - `errorMigration` with `upgrade` for databases of an earlier version that `confirm` refuses, and with `noDown`
///     for databases of a later version;
///   - `errorSQL` for all other errors, with the reason.
@_cdecl("chat_migrate_init")
public func chatMigrateInit(
    _ path: UnsafePointer<CChar>?,
    _ key: UnsafePointer<CChar>?,
    _ confirm: UnsafePointer<CChar>?,
    _ controller: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> UnsafeMutablePointer<CChar>? {
    chatMigrateInitKey(path, key, 0, confirm, 0, controller)
}

/// Opens databases like `chat_migrate_init`. With `keepKey`, the key stays in memory for `chat_reopen_store`.
/// `background` has no effect, because a core does nothing before it is started.
@_cdecl("chat_migrate_init_key")
public func chatMigrateInitKey(
    _ path: UnsafePointer<CChar>?,
    _ key: UnsafePointer<CChar>?,
    _ keepKey: CInt,
    _ confirm: UnsafePointer<CChar>?,
    _ background: CInt,
    _ controller: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> UnsafeMutablePointer<CChar>? {
    let (prefix, key, confirmation) = (CText.readText(path), CText.readText(key), CText.readText(confirm))
    guard ["yesUp", "yesUpDown", "console", "error"].contains(confirmation) else {
        return CText.copyJSON(json: DBMigrationResult.invalidConfirmation)
    }
    guard let controller else {
        return CText.copyJSON(
            json: DBMigrationResult.errorSQL(
                dbFile: prefix,
                migrationSQLError: "the pointer for the controller is null"
            )
        )
    }
    ignoreBrokenPipes()
    let opened = runAndWait {
        await openCore(prefix: prefix, key: key, keepsKey: keepKey != 0, upgrades: confirmation.hasPrefix("yes"))
    }
    switch opened {
    case .success(let handle):
        controller.pointee = ChatHandles.addHandle(handle)
        return CText.copyJSON(json: DBMigrationResult.ok)
    case .failure(let error):
        return CText.copyJSON(json: error.makeMigrationResult(prefix: prefix))
    }
}

/// Stops the core and closes its databases. Returns an empty text, or an error message.
@_cdecl("chat_close_store")
public func chatCloseStore(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyText("no such controller") }
    return CText.copyText(runAndWait { await handle.closeCore() })
}

/// Opens the databases of a closed core again. The caller has to start the core afterwards. Returns an empty text, or
/// an error message.
@_cdecl("chat_reopen_store")
public func chatReopenStore(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyText("no such controller") }
    return CText.copyText(runAndWait { await handle.reopenCore() })
}

private func openCore(
    prefix: String,
    key: String,
    keepsKey: Bool,
    upgrades: Bool
) async -> Result<ChatHandle, ChatOpenError> {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? "."
    let relays = ConfiguredRelays.readServersFromEnvironment()
    var configuration = ChatConfiguration(
        dataDirectory: folder.isEmpty ? "/" : folder,
        databaseKey: key.isEmpty ? .none : .passphrase(key),
        servers: relays
    )
    configuration.databasePrefix = prefix
    // Without configured relays, a profile begins with the relays of the public network's operators, as in the
    // original.
    configuration.serverPresets = relays.isEmpty ? .network : .relay
    configuration.upgradesSchema = upgrades
    // The library reports the hosts of sessions as events, like the original's library. The original's terminal omits
    // them.
    configuration.emitsHostSessionEvents = true
    do throws(ChatOpenError) {
        return .success(try await ChatHandle.openHandle(configuration, keepsKey: keepsKey))
    } catch {
        return .failure(error)
    }
}

/// Makes the process ignore SIGPIPE, if the caller has no handler for it. Then a write to a closed connection returns
/// an error, and does not end the caller's process.
private func ignoreBrokenPipes() {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
}

extension ChatOpenError {
    func makeMigrationResult(prefix: String) -> DBMigrationResult {
        let file = prefix + "_chat.db"
        return switch self {
        case .wrongKey(let database): .errorNotADatabase(dbFile: database)
        case .database(.newerSchema(let migration)):
            .errorMigration(dbFile: file, migrationError: .migrationError(mtrError: .noDown(dbMigrations: [migration])))
        case .database(.olderSchema(let migrations)):
            .errorMigration(
                dbFile: file,
                migrationError: .upgrade(upMigrations: migrations.map { UpMigration(upName: $0, withDown: false) })
            )
        case .database(let error): .errorSQL(dbFile: file, migrationSQLError: "\(error)")
        case .databaseLost(let path): .errorSQL(dbFile: path, migrationSQLError: "it is missing")
        case .unusableCopy(let reason), .otherError(let reason): .errorSQL(dbFile: file, migrationSQLError: reason)
        }
    }
}
