import ArgumentParser
@_spi(Adapters) import Faraday

/// `faraday events URL`: shows server-sent events as they arrive.
struct Events: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the server-sent events of a URL as they arrive, and reconnects, until it is interrupted.")

  @Argument(help: ArgumentHelp("The URL of the event stream.", valueName: "url"))
  var url: String

  @Option(
    name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A header field to send: 'Name: value', or @file with one on each line.", valueName: "header"))
  var headers: [String] = []

  @Flag(help: "Writes each event as a line of JSON.")
  var json = false

  @Option(help: ArgumentHelp("Ends after this number of events.", valueName: "number"))
  var maxEvents: Int?

  @Flag(help: "Ends where the stream ends.")
  var noReconnect = false

  @Option(help: ArgumentHelp("The maximum number of failed reconnections in a row.", valueName: "number"))
  var retry = 3

  @Flag(name: [.customShort("s"), .customLong("silent")], help: "Does not report reconnections.")
  var silent = false

  @Option(help: ArgumentHelp("The adapter: curl or urlsession.", valueName: "name"))
  var transport = Transport.curl

  func validate() throws {
    guard maxEvents ?? 1 > 0 else { throw ValidationError("--max-events must be at least 1") }
    guard retry >= 0 else { throw ValidationError("--retry must be at least 0") }
  }

  func run() async throws {
    do {
      try await show()
    } catch {
      throw CommandFailure(error)
    }
  }

  private func show() async throws {
    var left = maxEvents ?? .max
    for try await event in try events() {
      do {
        try Descriptor.output.write(json ? Self.json(event) : Self.text(event))
      } catch {
        throw CommandFailure(ExitStatus.writeError, "Failure writing output to destination")
      }
      left -= 1
      if left == 0 { return }
    }
  }

  private func events() throws -> EventStream {
    try ArgumentBytes.requireUTF8([url] + headers)
    let target = try Target(url)
    let fields = try HeaderArgument.all(headers)
    let connection = target.connection(over: transport, [ContentDecoding(), Redirects()])
    return connection.events(reconnects: reconnection) { request in
      request.headers = try request.headers.overridden(by: fields)
      if transport == .curl, let target = target.rawTarget { request.options.requestTarget = .verbatim(target) }
    }
  }

  private var reconnection: EventStream.Reconnection {
    guard !noReconnect else { return .never }
    return .automatic(limit: retry) { [silent] interruption in
      guard !silent else { return }
      let reason = interruption.error.map { CommandFailure($0).message } ?? "the server has ended the stream"
      Descriptor.error.say("faraday: \(reason); reconnecting in \(Figures.fixed(interruption.delay.inSeconds, places: 1)) s")
    }
  }

  /// Formats the event as fields and an empty line, like a server. Escapes the control characters of terminals.
  static func text(_ event: ServerSentEvent) -> String {
    var lines = ["event: " + event.type]
    if !event.id.isEmpty { lines.append("id: " + event.id) }
    lines += event.data.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { "data: " + $0 }
    return lines.map { $0.escapingControls() + "\n" }.joined() + "\n"
  }

  /// The event as a line of JSON.
  static func json(_ event: ServerSentEvent) -> String {
    let value: JSONValue = ["type": event.type, "id": event.id, "data": event.data]
    return value.description + "\n"
  }
}
