import ArgumentParser

/// The options of the output.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")], parsing: .unconditional,
    help: ArgumentHelp("Writes the body to this file; - is standard output.", valueName: "file"))
  var output: String?

  @Flag(name: [.customShort("O"), .customLong("remote-name")], help: "Writes the body to a file named as in the URL's path.")
  var remoteName = false

  @Flag(name: [.customShort("i"), .customLong("include")], help: "Writes the response header before the body.")
  var include = false

  @Flag(name: [.customShort("s"), .customLong("silent")], help: "Prints neither progress nor errors.")
  var silent = false

  @Flag(name: [.customShort("S"), .customLong("show-error")], help: "Prints errors even with --silent.")
  var showError = false

  @Flag(
    name: [.customShort("f"), .customLong("fail")],
    help: "Fails with exit status 22, without the body, on a status of 400 or more.")
  var fail = false

  @Option(
    name: [.customShort("w"), .customLong("write-out")], parsing: .unconditional,
    help: ArgumentHelp(
      "Prints this format after the transfer, e.g. '%{http_code}\\n'; @file reads it from a file.", valueName: "format"))
  var writeOut: String?

  @Flag(help: "Prints the duration of each phase to standard error.")
  var timing = false

  @Flag(
    name: [.customShort("N"), .customLong("no-buffer")], help: "For compatibility with curl; output is never buffered.")
  var noBuffer = false

  @Flag(
    name: [.customShort("#"), .customLong("progress-bar")],
    help: "For compatibility with curl; progress is always shown as a bar.")
  var progressBar = false

  /// Whether errors are printed.
  var saysErrors: Bool { !silent || showError }

  func validate() throws {
    if output != nil, remoteName { throw ValidationError("-o and -O cannot be combined") }
  }

  /// The output of the body.
  func sink(for target: Target) throws -> OutputSink {
    if remoteName {
      guard let name = target.remoteName else {
        throw CommandFailure(ExitStatus.writeError, "-O: the URL's path does not end in a file name; use -o")
      }
      return OutputSink(path: name)
    }
    return OutputSink(path: output == "-" ? nil : output, sparesTerminal: output == nil)
  }

  /// The format of `-w`, read from its file if it is in one.
  func writeOutFormat() throws -> String? {
    guard let writeOut, writeOut.hasPrefix("@") else { return writeOut }
    return String(decoding: try InputFile(name: String(writeOut.dropFirst())).contents(), as: UTF8.self)
  }
}
