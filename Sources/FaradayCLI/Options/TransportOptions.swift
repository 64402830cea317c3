import ArgumentParser
import Faraday

/// The options of the transport.
struct TransportOptions: ParsableArguments {
  /// The HTTP version to use; the last one given wins.
  enum Version: EnumerableFlag {
    case http1, http2

    static func name(for value: Version) -> NameSpecification {
      value == .http1 ? .customLong("http1.1") : .customLong("http2")
    }

    static func help(for value: Version) -> ArgumentHelp? {
      value == .http1 ? "Uses HTTP/1.1 only." : "Uses HTTP/2 if the server supports it over TLS."
    }
  }

  @Option(
    name: [.customShort("m"), .customLong("max-time")], parsing: .unconditional,
    help: ArgumentHelp("The maximum time of the whole transfer.", valueName: "seconds"),
    transform: TransportOptions.seconds)
  var maxTime: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum time of DNS lookup, TCP connect and TLS handshake.", valueName: "seconds"),
    transform: TransportOptions.seconds)
  var connectTimeout: Duration?

  @Option(
    name: .customLong("cacert"), parsing: .unconditional,
    help: ArgumentHelp("A PEM file of CA certificates to trust instead of the system's.", valueName: "file"))
  var authorities: String?

  @Flag(name: [.customShort("k"), .customLong("insecure")], help: "Does not verify the server's TLS certificate.")
  var insecure = false

  @Flag(help: "Requests a compressed response and decompresses it.")
  var compressed = false

  @Flag(exclusivity: .chooseLast)
  var version: Version?

  @Option(help: ArgumentHelp("The adapter: curl or urlsession.", valueName: "name"))
  var transport = Transport.curl

  /// Parses decimal seconds; 0 is no limit, as with curl.
  static func seconds(_ text: String) throws -> Duration {
    let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard digits, let seconds = Double(text), seconds <= 1e9 else {
      throw ValidationError("'\(text)' is not a number of seconds")
    }
    return .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  /// Applies the options. Without options curl's defaults apply, not the library's. Throws if the transport does not support
  /// one that was given.
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

  /// Throws with the name of the command-line option. The library would throw too, except for a timeout that equals its
  /// default.
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
      throw CommandFailure(
        ExitStatus.unsupported, "\(demand.option) is not supported by \(transport.adapterName): it has no \(name)")
    }
  }

  /// curl's default, for adapters that support a connect timeout: others would refuse the request.
  private var defaultConnectTimeout: Duration? {
    transport.capabilities.contains(.connectTimeout) ? .seconds(300) : Timeouts().connect
  }

  private func limit(_ duration: Duration?) -> Duration? {
    duration == .zero ? nil : duration
  }
}
