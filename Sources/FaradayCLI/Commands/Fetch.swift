import ArgumentParser
import Faraday
import FaradayCurl

/// `faraday [options] URL`: sends one request and writes the response.
struct Fetch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Sends an HTTP request and writes the response body.",
    usage: "faraday [options] <url>",
    discussion: "Other commands: 'faraday serve' (a local test server), 'faraday demo' and 'faraday adapters'.")

  @Argument(help: "The URL; without a scheme, http is used.")
  var url: String?

  @OptionGroup(title: "Request") var request: RequestOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Transport") var transport: TransportOptions

  @Flag(name: [.customShort("V"), .customLong("version")], help: "Prints the versions of faraday and libcurl.")
  var version = false

  /// Parses arguments, groups of short options included.
  static func reading(_ arguments: [String]) throws -> Fetch {
    try parse(ShortForms.expanded(arguments))
  }

  static var help: String { helpMessage(columns: 100) }

  func validate() throws {
    if url == nil, !version { throw ValidationError("no URL given; see faraday --help") }
  }

  func run() async throws {
    guard let url, !version else {
      Descriptor.output.say("faraday \(FaradayCommand.version) \(CurlAdapter.libraryVersion)")
      return
    }
    do {
      try await fetch(url)
    } catch {
      let failure = CommandFailure(error)
      // A command line that is wrong is said even then: it is no part of the transfer.
      if output.saysErrors || failure.status == 2 { Descriptor.error.say(failure.line) }
      throw ExitCode(failure.status)
    }
  }

  /// Throws a ``CommandFailure`` for every exit status other than 0.
  private func fetch(_ url: String) async throws {
    let target = try self.target(url)
    let format = try output.writeOutFormat()
    let request = try self.request.request(to: target, transport: transport)
    let meter = ProgressMeter(on: .error, shown: showsProgress)
    var exchange = Exchange(
      request: request, sink: try output.sink(for: target), head: output.include || self.request.head,
      failsOnStatus: output.fail, meter: meter)
    await exchange.run(over: Stack(self.request.middleware, adapter: transport.transport.adapter()))
    meter.finish()
    if output.timing { Descriptor.error.say(TimingTable(exchange.report.metrics).text) }
    if let format {
      let written = WriteOut(format).text(about: exchange.report)
      for name in written.unknown { Descriptor.error.say("faraday: unknown --write-out variable: '\(name)'") }
      do {
        try Descriptor.output.write(written.text)
      } catch {
        throw exchange.report.failure ?? CommandFailure(ExitStatus.writeError, "cannot write the output: \(error)")
      }
    }
    if let failure = exchange.report.failure { throw failure }
  }

  /// The URL of the request: that of an upload may get the file's name.
  func target(_ url: String) throws -> Target {
    let target = try Target(url)
    return try request.upload.map { try target.naming(upload: $0) } ?? target
  }

  private var showsProgress: Bool {
    let toFile = output.remoteName || output.output != nil && output.output != "-"
    return !output.silent && (toFile || request.upload != nil) && Descriptor.error.isTerminal
  }
}
