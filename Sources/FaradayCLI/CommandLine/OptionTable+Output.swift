extension OptionTable {
  /// The options for the output.
  static let output: [CommandOption] = [
    .value("output", "o", "file", "Write the body to this file; - is standard output") {
      guard !$1.isEmpty else { throw OptionProblem.badUse }
      $0.add(output: .file($1))
    },
    .flag("remote-name", "O", "Write the body to a file named as in the URL") { $0.add(output: $1 ? .remoteName : .standard) },
    .flag("remote-name-all", nil, "--remote-name for all URLs") { $0.allRemoteNames = $1 },
    .flag("remote-header-name", "J", "With --remote-name: the file's name is that of Content-Disposition") {
      guard !$0.include || !$1 else {
        throw UsageFailure("showing headers and --remote-header-name cannot be combined")
      }
      $0.usesHeaderName = $1
    },
    .value("output-dir", nil, "dir", "Write files in this folder") { $0.outputFolder = $1 },
    .flag("create-dirs", nil, "Create the folders of the files") { $0.createsFolders = $1 },
    .flag("clobber", nil, "Overwrite files that exist; --no-clobber takes another name") {
      $0.clobber = $1 ? .always : .never
    },
    .flag("remove-on-error", nil, "Remove the file of a transfer that failed") { $0.removesOnError = $1 },
    .flag("remote-time", "R", "Give the file the time of Last-Modified") { $0.setsRemoteTime = $1 },
    .flag("include", "i", "Write the header before the body") {
      guard !$0.usesHeaderName || !$1 else {
        throw UsageFailure("showing headers and --remote-header-name cannot be combined")
      }
      $0.include = $1
    },
    .value("dump-header", "D", "file", "Write the headers to this file; - is standard output") { $0.dumpHeader = $1 },
    .flag("fail", "f", "Fail with exit status 22, without the body, on a status of 400 or more") {
      if $1, $0.failsWithBody { throw UsageFailure("You must select either --fail or --fail-with-body, not both.") }
      $0.fails = $1
    },
    .flag("fail-with-body", nil, "Fail with exit status 22, but write the body") {
      if $1, $0.fails { throw UsageFailure("You must select either --fail or --fail-with-body, not both.") }
      $0.failsWithBody = $1
    },
    .value("write-out", "w", "format", "Print this after each transfer, e.g. '%{http_code}\\n'; @file reads it") {
      // As in curl, the contents of the file are joined to one line.
      $0.writeOut = $1.hasPrefix("@") ? try InputFile(name: String($1.dropFirst())).line() : $1
    },
    .value("max-filesize", nil, "bytes", "The maximum size of a body") {
      let size = try NumberArgument.size($1)
      $0.maxFileSize = size == 0 ? nil : size
    },
    .globalFlag("silent", "s", "Show neither progress nor errors") { $0.silent = $1 },
    .globalFlag("show-error", "S", "Show errors even with --silent") { $0.showError = $1 },
    .globalFlag("progress-meter", nil, "Show the progress; --no-progress-meter does not") { $0.progressMeter = $1 },
    .globalFlag("progress-bar", "#", "For compatibility: progress is always a bar") { _, _ in },
    .flag("buffer", "N", "For compatibility: output is never buffered") { _, _ in },
    .globalFlag("styled-output", nil, "For compatibility: headers are never styled") { _, _ in },
    .globalFlag("verbose", "v", "Show what is sent and received, without credentials") {
      $0.trace = $1 ? (.verbose, "%") : nil
    },
    .globalValue("trace", "file", "Write all that is sent and received, in hexadecimal too; - is standard output") {
      $0.trace = (.hexadecimal, $1)
    },
    .globalValue("trace-ascii", "file", "Write all that is sent and received") { $0.trace = (.ascii, $1) },
    .globalFlag("trace-time", nil, "Show times in --verbose and --trace") { $0.tracesTime = $1 },
    CommandOption.globalFlag("show-secrets", nil, "Show credentials in --verbose and --trace") { $0.showsSecrets = $1 }.own,
    CommandOption.globalFlag("timing", nil, "Print the duration of each phase to standard error") { $0.timing = $1 }.own,
  ]

  /// The options for the command itself.
  static let command: [CommandOption] = [
    CommandOption(
      name: "next", letter: ":", help: "The options that follow are those of other URLs",
      action: .flag { state, _ in
        // As in curl, the settings are kept if no URL precedes.
        guard state.operation.targets.contains(where: { $0.url != nil }) else { return }
        state.finished.append(state.operation)
        state.operation = Operation()
      }, isNegatable: false),
    CommandOption(
      name: "config", letter: "K", help: "Read options from this file; - is standard input",
      action: .value(placeholder: "file") { try ConfigFile.read($1, into: &$0) }),
    CommandOption(
      name: "disable", letter: "q", help: "As the first argument: do not read .curlrc", action: .flag { _, _ in }),
    .globalFlag("parallel", "Z", "Transfer all URLs at the same time") { $0.parallel = $1 },
    .globalValue("parallel-max", "number", "The maximum number of transfers at a time: 50") {
      let number = try NumberArgument.integer($1)
      $0.parallelLimit = (1...300).contains(number) ? number : 50
    },
    .globalFlag("parallel-immediate", nil, "For compatibility: transfers never wait for multiplexing") { _, _ in },
    .globalFlag("fail-early", nil, "End with the first transfer that fails") { $0.failsEarly = $1 },
    CommandOption.value("transport", nil, "name", "The adapter: curl or urlsession") {
      guard let transport = Transport(rawValue: $1) else { throw OptionProblem(description: "is neither curl nor urlsession") }
      $0.transport = transport
    }.own,
    CommandOption(
      name: "help", letter: "h", help: "Show this", action: .flag { state, _ in state.information = .help }),
    CommandOption(
      name: "version", letter: "V", help: "Show the versions of faraday and libcurl",
      action: .flag { state, _ in state.information = .version }),
  ]
}
