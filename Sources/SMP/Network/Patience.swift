/// Whether somebody waits for what a task does with the network. Who asked something wants an answer soon, what goes on by itself has time.
public enum Patience {
    @TaskLocal public static var isInteractive = false
}
