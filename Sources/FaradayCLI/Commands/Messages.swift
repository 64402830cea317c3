#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the command says on standard error.
struct Messages: Sendable {
  let settings: GlobalSettings
  /// The progress of parallel transfers, which a message interrupts.
  let progress: ParallelMeter

  /// Opens the file of `--stderr`, which takes the place of standard error.
  ///
  /// - Parameter writesToOutput: whether a body goes to standard output.
  init(_ settings: GlobalSettings, writesToOutput: Bool = true) {
    self.settings = settings
    let isShown = settings.parallel && !settings.silent && settings.progressMeter && Descriptor.error.isTerminal
    // What goes to the terminal itself needs no lines between.
    progress = ParallelMeter(on: .error, shown: isShown && !(writesToOutput && Descriptor.output.isTerminal))
    guard let file = settings.errorFile else { return }
    guard file != "-" else {
      dup2(Descriptor.output.number, Descriptor.error.number)
      return
    }
    let number = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if number < 0 {
      warn("Failed to open \(file)!")
    } else {
      dup2(number, Descriptor.error.number)
      close(number)
    }
  }

  /// Writes a warning, unless `-s` is given.
  func warn(_ text: String) {
    guard !settings.silent else { return }
    progress.clear()
    for line in Self.wrapped(text) { Descriptor.error.say("Warning: " + line) }
  }

  /// Writes a note, unless `-s` is given.
  func note(_ text: String) {
    guard !settings.silent else { return }
    progress.clear()
    Descriptor.error.say("Note: " + text)
  }

  /// Writes the error of a transfer, unless `-s` is given without `-S`.
  func report(_ failure: CommandFailure) {
    guard settings.saysErrors else { return }
    progress.clear()
    Descriptor.error.say(failure.line)
  }

  /// The lines of a text, each of at most 70 characters, broken behind a space.
  static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var rest = Array(text)[...]
    while rest.count > 70 {
      let end = rest.prefix(70).lastIndex { $0 == " " || $0 == "\t" } ?? rest.startIndex + 69
      lines.append(String(rest[...end]))
      rest = rest[(end + 1)...]
    }
    return lines + [String(rest)]
  }
}
