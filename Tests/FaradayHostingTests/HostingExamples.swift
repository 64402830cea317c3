#if Hosting
import Configuration
import Faraday
import FaradayCurl
import FaradayHosting
import Logging
import ServiceLifecycle
import UnixSignals

// The blocks of Swift in the section "Shutting down" of the article Observability; ReadmeTests compares them.

enum HostingExamples {
  static func group(of curl: CurlAdapter, _ server: any Service, _ logger: Logger) async throws {
    let group = ServiceGroup(
      services: [AdapterService(within: .seconds(20)) { await curl.shutdown(deadline: $0) }, server],
      gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
  }

  static func configured(_ connection: inout Connection) async throws {
    let config = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "http")
    connection.defaults = try await Options(config: config)
  }
}
#endif
