import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What belongs to an option of a transport, besides its property: a capability if an adapter may lack it, a refusal by those that do,
/// and a rule that fails where it is ignored. Whoever adds an option and forgets one of them is told here.
@Suite struct TransportOptionTests {
  /// An option, set to what is not its default.
  struct Option: Sendable, CustomTestStringConvertible {
    let name: String
    /// What it takes of an adapter; nil if it is done above all adapters.
    let capability: Capabilities?
    let set: @Sendable (inout Options) -> Void

    init(_ name: String, _ capability: Capabilities?, set: @escaping @Sendable (inout Options) -> Void) {
      (self.name, self.capability, self.set) = (name, capability, set)
    }

    var testDescription: String { name }
  }

  static let options = [
    Option("delivery", .streamedDownload) { $0.delivery = .streamed },
    Option("maximumBodySize", nil) { $0.maximumBodySize = 1 },
    Option("httpVersion", .http2) { $0.httpVersion = .http2 },
    Option("requestTarget", .asteriskTarget) { $0.requestTarget = .asterisk },
    Option("decompression", .encodedBodies) { $0.decompression = .standard },
    Option("onChunk", nil) { $0.onChunk = { _ in .continue } },
    Option("onHead", nil) { $0.onHead = { _ in } },
    Option("onInformational", .informational) { $0.onInformational = { _ in } },
    Option("onUploadProgress", .uploadProgress) { $0.onUploadProgress = { _ in } },
    Option("onDownloadProgress", nil) { $0.onDownloadProgress = { _ in } },
    Option("timeouts.queue", .queueTimeout) { $0.timeouts.queue = .seconds(1) },
    Option("timeouts.connect", .connectTimeout) { $0.timeouts.connect = .seconds(1) },
    Option("timeouts.idle", .idleTimeout) { $0.timeouts.idle = .seconds(1) },
    Option("timeouts.total", .totalTimeout) { $0.timeouts.total = .seconds(1) },
    Option("tls.caFile", .customCA) { $0.tls.caFile = "/ca.pem" },
    Option("tls.verifiesServer", .unverifiedTLS) { $0.tls.verifiesServer = false },
  ]

  @Test func `every property of the options is in the list above`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/FaradayCore/Options").standardized
    func properties(_ file: String, _ prefix: String = "") throws -> [String] {
      let text = try String(contentsOf: folder.appendingPathComponent(file + ".swift"), encoding: .utf8)
      return text.matches(of: /\n  public var (\w+)/).map { prefix + $0.output.1 }
    }
    let declared = try properties("Options") + properties("Timeouts", "timeouts.") + properties("TLS", "tls.")
    // Those that have properties of their own, and one that is computed from the others.
    #expect(Set(declared) == Set(Self.options.map(\.name) + ["timeouts", "tls", "deliversWhole"]))
  }

  @Test(arguments: options.filter { $0.capability != nil }) func `an option has its capability, a refusal and a rule`(
    option: Option
  )
    throws
  {
    let capability = try #require(option.capability)
    var request = try Request("http://host/")
    if option.name == "requestTarget" { request.method = .options }
    option.set(&request.options)
    #expect(Capabilities(neededBy: request) == capability)
    let name = try #require(capability.names.first)
    #expect(capability.names.count == 1)
    let lacking = AdapterConformance.cases(for: Capabilities.all.subtracting(capability))
    #expect(lacking.contains { $0.description == "refusals: \(name) is refused by name" })
  }

  @Test(arguments: options.filter { $0.capability == nil }) func `what is done above the adapters takes nothing of them`(
    option: Option
  )
    throws
  {
    var request = try Request("http://host/")
    option.set(&request.options)
    #expect(Capabilities(neededBy: request).isEmpty)
  }

  @Test func `every capability has a rule that only those who claim it are held to`() {
    for entry in Capabilities.entries {
      #expect(AdapterConformance.all.contains { $0.needs.contains(entry.capability) }, "no rule for \(entry.name)")
    }
  }
}
