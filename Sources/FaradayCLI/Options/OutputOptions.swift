import ArgumentParser

/// The options about what is shown, and where.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")], parsing: .unconditional,
    help: ArgumentHelp("Writes the body to this file.", valueName: "file"))
  var output: String?

  @Flag(name: [.customShort("O"), .customLong("remote-name")], help: "Writes the body to a file named as in the URL.")
  var remoteName = false

  @Flag(name: [.customShort("i"), .customLong("include")], help: "Writes the response's head before its body.")
  var include = false

  @Flag(name: [.customShort("s"), .customLong("silent")], help: "Shows neither progress nor errors.")
  var silent = false

  @Flag(name: [.customShort("S"), .customLong("show-error")], help: "Shows errors even with --silent.")
  var showError = false

  @Flag(name: [.customShort("f"), .customLong("fail")], help: "Ends with 22, and without the body, on a status from 400 up.")
  var fail = false

  @Option(
    name: [.customShort("w"), .customLong("write-out")], parsing: .unconditional,
    help: ArgumentHelp("Writes this after the transfer, e.g. '%{http_code}\\n'; @file is read.", valueName: "format"))
  var writeOut: String?

  @Flag(help: "Shows on standard error how long each phase took.")
  var timing = false

  @Flag(
    name: [.customShort("N"), .customLong("no-buffer")], help: "Writes each piece as it arrives, which is always done.")
  var noBuffer = false

  @Flag(name: [.customShort("#"), .customLong("progress-bar")], help: "Shows progress as a bar, its only form.")
  var progressBar = false

  /// Whether an error may be said.
  var saysErrors: Bool { !silent || showError }

  func validate() throws {
    if output != nil, remoteName { throw ValidationError("-o and -O exclude each other") }
  }

  /// Where the body goes.
  func sink(for target: Target) throws -> OutputSink {
    if remoteName {
      guard let name = target.remoteName else {
        throw CommandFailure(ExitStatus.writeError, "the URL has no file name for -O")
      }
      return OutputSink(path: name)
    }
    return OutputSink(path: output == "-" ? nil : output, sparesTerminal: output == nil)
  }

  /// The text of `-w`, read if it is in a file.
  func writeOutFormat() throws -> String? {
    guard let writeOut, writeOut.hasPrefix("@") else { return writeOut }
    return String(decoding: try InputFile(name: String(writeOut.dropFirst())).contents(), as: UTF8.self)
  }
}
