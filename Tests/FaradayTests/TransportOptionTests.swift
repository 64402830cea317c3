import Faraday
import FaradayTesting
import Foundation
import TestServers
import Testing

@_spi(Adapters) @testable import FaradayCore

/// What belongs to a transport option besides its row in the list: the property, the capability, the application in libcurl, a
/// conformance rule that fails if it is ignored, a line of the documentation. A forgotten part fails here.
@Suite struct TransportOptionTests {
  /// The options that need no adapter.
  static let others: [(name: String, set: @Sendable (inout Options) -> Void)] = [
    ("maximumBodySize", { $0.maximumBodySize = 1 }), ("onChunk", { $0.onChunk = { _ in .continue } }),
    ("onHead", { $0.onHead = { _ in } }), ("onDownloadProgress", { $0.onDownloadProgress = { _ in } }),
    ("jsonEncoder", { $0.jsonEncoder = JSONEncoder() }), ("jsonDecoder", { $0.jsonDecoder = JSONDecoder() }),
    ("rates.minimumFor", { $0.rates.minimumFor = .seconds(1) }),
  ]

  @Test func `every property of the options has a row`() throws {
    let rows = TransportOption.all.compactMap(\.property) + Self.others.map(\.name)
    // Values with properties of their own.
    #expect(try Set(Part.properties.get()) == Set(rows + ["timeouts", "tls", "network", "rates"]))
  }

  @Test(arguments: TransportOption.all) func `a row has all its parts`(row: TransportOption) throws {
    let missing = try Part.missing(of: row).map(\.rawValue)
    #expect(missing.isEmpty, "\(row) lacks: \(missing.joined(separator: ", "))")
  }

  @Test func `a fictitious option lacks all parts`() throws {
    let row = TransportOption.uncommon(
      "tls.teleports", Capabilities("teleport"), curl: .flag("--teleport", help: "Teleport"), when: { _ in false },
      example: { _ in })
    #expect(try Set(Part.missing(of: row)) == Set(Part.allCases))
  }

  @Test(arguments: others.indices) func `an option above the adapters needs no capability`(index: Int) throws {
    var request = try Request("http://host/")
    Self.others[index].set(&request.options)
    #expect(Capabilities(neededBy: request).isEmpty)
  }

  @Test func `a request without options needs no capability`() throws {
    for method in [HTTPRequest.Method.get, .post, .head] {
      #expect(try Capabilities(neededBy: Request(method, "http://host/")) == [])
    }
  }
}

/// A part of a transport option.
private enum Part: String, CaseIterable {
  /// The property in Sources/FaradayCore/Options.
  case property
  /// The static member of `Capabilities` with the same name.
  case capability
  /// Requests that set the option need its capability and no other.
  case need
  /// The property is read in Sources/FaradayCurl. Whether it is applied too is shown by the rule.
  case application
  /// A rule of the conformance list that needs the capability.
  case rule
  /// The rule that an adapter without the capability refuses the option.
  case refusal
  /// The capability's line in the article on transport options, with the option's name.
  case documentation

  static func missing(of row: TransportOption) throws -> [Part] { try allCases.filter { try !$0.exists(for: row) } }

  private func exists(for row: TransportOption) throws -> Bool {
    let name = row.capability.names[0]
    switch self {
    case .property:
      guard let property = row.property else { return true }
      return try Self.properties.get().contains(property)
    case .capability:
      return try Self.transport.get().contains("public static let \(name) = Capabilities(\"\(name)\")")
    case .need:
      guard row.isRequestable else { return true }
      var request = try Request("http://host/")
      try row.prepare(&request)
      let before = row.property == nil ? [] : Capabilities(neededBy: request)
      try row.ask(of: &request)
      let needed = Capabilities(neededBy: request).subtracting(before)
      // A streamed body is a need of its own.
      return row.capability == .duplex ? needed == [.duplex, .streamedUpload] : needed == row.capability
    case .application:
      guard let property = row.property, !Self.appliedAbove.contains(property) else { return true }
      return try Self.curlWords.get().contains(property.split(separator: ".").last ?? "")
    case .rule: return (AdapterConformance.all + AdapterConformance.withServers).contains { $0.needs.contains(row.capability) }
    case .refusal:
      guard row.isRequestable else { return true }
      let rules = AdapterConformance.cases(for: Capabilities.all.subtracting(row.capability))
      return rules.contains { $0.description == "refusals: \(row.name.map { "options.\($0)" } ?? name) is refused by name" }
    case .documentation:
      guard let line = try Self.article.get().first(where: { $0.hasPrefix("| `\(name)` |") }) else { return false }
      return row.property.map { line.contains($0.split(separator: ".").last ?? "") } ?? true
    }
  }

  /// The first two are done above the adapters; the third is computed from two others.
  private static let appliedAbove = ["decompression", "delivery", "tls.verifiesServer"]

  // MARK: files, which are read once

  /// The public properties of `Options` and of its parts: `tls.caFile`.
  static let properties = Result {
    let parts = [
      ("Options", ""), ("Timeouts", "timeouts."), ("TLS", "tls."), ("Network", "network."), ("TransferRates", "rates."),
    ]
    let text = try Self.text(of: "FaradayCore/Options")
    return try parts.flatMap { type, prefix in
      let start = try #require(text.range(of: "public struct \(type):"))
      let end = try #require(text.range(of: "\n}\n", range: start.upperBound..<text.endIndex))
      return text[start.upperBound..<end.lowerBound].matches(of: /\n  public var (\w+)/).map { prefix + $0.output.1 }
    }
  }

  private static let transport = Result { try text(of: "FaradayCore/Transport") }
  private static let article = Result {
    try Pages.text(of: "Sources/Faraday/Faraday.docc/TransportOptions.md").split(separator: "\n")
  }

  /// The words of the code of FaradayCurl, without comments, and without the file that compares the options of connections.
  private static let curlWords = Result {
    let lines = try text(of: "FaradayCurl", except: "ConnectionOptions.swift").split(separator: "\n").filter {
      !$0.drop { $0 == " " }.hasPrefix("//")
    }
    return Set(lines.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } })
  }

  /// The text of all sources in a folder.
  private static func text(of folder: String, except left: String? = nil) throws -> String {
    let folder = "Sources/" + folder
    let files = try FileManager.default.subpathsOfDirectory(atPath: Pages.root.appendingPathComponent(folder).path)
    let chosen = files.filter { path in path.hasSuffix(".swift") && left.map(path.hasSuffix) != true }
    return try chosen.map { try Pages.text(of: "\(folder)/\($0)") }.joined(separator: "\n")
  }
}
