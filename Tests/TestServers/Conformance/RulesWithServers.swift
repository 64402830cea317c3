package import FaradayCore
package import FaradayTesting

extension AdapterConformance {
  /// The rules that need TLS, HTTP/2 or a proxy: their servers are programs that must be installed. To add a group, add a file and a
  /// line here.
  package static let withServers: [Case] = [
    .http2, .http2Settings, .tls, .tlsOptions, .clientCertificates, .certificates, .tlsReports, .tlsEnds, .httpVersions,
    .dnsOverHTTPS, .secureStatusLines, .secureHeadlessResponses, .earlyHTTP2Responses, .cutStreams, .cleanConnections(over: .tls),
    .resets(over: .tls),
  ].flatMap(\ConformanceGroup.rules)

  /// All rules for an adapter with these capabilities: the rules of the product and ``withServers``.
  package static func casesWithServers(for capabilities: Capabilities) -> [Case] {
    cases(for: capabilities) + withServers.filter { capabilities.contains($0.needs) }
  }
}
