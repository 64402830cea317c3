import ArgumentParser
import Faraday

/// The options about how the bytes travel.
struct TransportOptions: ParsableArguments {
  /// Which version of HTTP to ask for; the last one given counts.
  enum Version: EnumerableFlag {
    case http1, http2

    static func name(for value: Version) -> NameSpecification {
      value == .http1 ? .customLong("http1.1") : .customLong("http2")
    }

    static func help(for value: Version) -> ArgumentHelp? {
      value == .http1 ? "HTTP/1.1 and nothing else." : "HTTP/2 if the server offers it over TLS."
    }
  }

  @Option(
    name: [.customShort("m"), .customLong("max-time")], parsing: .unconditional,
    help: ArgumentHelp("The most that the whole transfer may take.", valueName: "seconds"),
    transform: TransportOptions.seconds)
  var maxTime: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most that name lookup, TCP and TLS may take.", valueName: "seconds"),
    transform: TransportOptions.seconds)
  var connectTimeout: Duration?

  @Option(
    name: .customLong("cacert"), parsing: .unconditional,
    help: ArgumentHelp("A PEM file of authorities to trust instead of the system's.", valueName: "file"))
  var authorities: String?

  @Flag(name: [.customShort("k"), .customLong("insecure")], help: "Does not check who the server is.")
  var insecure = false

  @Flag(help: "Asks for a compressed response and decodes it.")
  var compressed = false

  @Flag(exclusivity: .chooseLast)
  var version: Version?

  @Option(help: ArgumentHelp("The adapter: curl or urlsession.", valueName: "name"))
  var transport = Transport.curl

  /// Decimal seconds; 0 is no limit, as with curl.
  static func seconds(_ text: String) throws -> Duration {
    let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard digits, let seconds = Double(text), seconds <= 1e9 else {
      throw ValidationError("'\(text)' is no number of seconds")
    }
    return .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  /// Sets what the options say. Where they say nothing, curl's defaults hold, not the library's. Throws if an option was given
  /// that the transport cannot follow.
  func apply(to options: inout Options) throws {
    try check()
    options.timeouts = Timeouts(connect: limit(connectTimeout) ?? defaultConnectTimeout, idle: nil, total: limit(maxTime))
    options.tls = TLS(caFile: authorities, verifiesServer: !insecure)
    options.decompression = compressed ? .standard : nil
    options.httpVersion =
      switch version {
      case nil: .automatic
      case .http1: .http1
      case .http2: .http2
      }
  }

  /// The library would refuse these too, but for a timeout that happens to be its default; and it does not know what the
  /// options are called here.
  private func check() throws {
    let demands: [(option: String, isGiven: Bool, capability: Capabilities)] = [
      ("--insecure", insecure, .unverifiedTLS),
      ("--cacert", authorities != nil, .customCA),
      ("--http1.1", version == .http1, .http1Only),
      ("--http2", version == .http2, .http2),
      ("--compressed", compressed, .encodedBodies),
      ("--connect-timeout", limit(connectTimeout) != nil, .connectTimeout),
      ("--max-time", limit(maxTime) != nil, .totalTimeout),
    ]
    let capabilities = transport.capabilities
    for demand in demands where demand.isGiven && !capabilities.contains(demand.capability) {
      let name = demand.capability.names.joined(separator: ", ")
      throw CommandFailure(ExitStatus.unsupported, "\(demand.option): \(transport.adapterName) cannot do this, it has no \(name)")
    }
  }

  /// Curl's. An adapter that cannot limit it would refuse the request, though nobody has asked for a limit.
  private var defaultConnectTimeout: Duration? {
    transport.capabilities.contains(.connectTimeout) ? .seconds(300) : Timeouts().connect
  }

  private func limit(_ duration: Duration?) -> Duration? {
    duration == .zero ? nil : duration
  }
}
