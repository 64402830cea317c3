import Configuration
import Faraday
import FaradayHosting

/// The configuration of a process, from environment variables: `ARCHIVE_URL`, `REDIS_URL`, `HTTP_TIMEOUT_TOTAL`.
public struct Settings: Sendable {
  /// The address on which the service listens. `PORT`; 8080 by default, 0 takes a free port.
  public var port: Int
  /// `redis://HOST:PORT` or `unix:/PATH`. `REDIS_URL`.
  public var redisURL: String
  /// The time limit of a command of Redis. `REDIS_TIMEOUT` in seconds; 1 by default.
  public var redisTimeout: Duration
  /// The upstream that finds the label of a text. `CLASSIFIER_URL`, with a slash at the end.
  public var classifierURL: String
  /// The upstream that keeps the results. `ARCHIVE_URL`, with a slash at the end.
  public var archiveURL: String
  /// The bearer token of the archive. `ARCHIVE_TOKEN`; a secret.
  public var archiveToken: String
  /// The number of pages that a tenant may fetch in ``tenantInterval``. `TENANT_PAGES`; 60 by default.
  public var tenantPages: Int
  /// `TENANT_INTERVAL` in seconds; 60 by default.
  public var tenantInterval: Duration
  /// The number of jobs that this process runs at the same time. `SLOTS`; 8 by default.
  public var slots: Int
  /// The time after which a job that was claimed by a dead process is claimed again. `LEASE` in seconds; 120 by default.
  public var lease: Duration
  /// The time limit of one call to an upstream, with its retries. `CALL_LIMIT` in seconds; a quarter of the lease by default, so
  /// that the three calls of a job end before the lease does.
  public var callLimit: Duration
  /// Whether a tenant's URL may lead to this machine and to private networks. `ALLOW_PRIVATE_ADDRESSES`; false by default, and
  /// true in tests only.
  public var allowsPrivateAddresses: Bool
  /// The timeouts of each attempt, and other options of HTTP: `HTTP_TIMEOUT_CONNECT` and others (`Options(config:)`).
  public var http: Options

  /// Reads the settings. Throws for a missing URL, and for a value that is not a number.
  public init(_ config: ConfigReader) async throws {
    func seconds(_ key: ConfigKey, default value: Double) async throws -> Duration {
      .seconds(try await config.fetchDouble(forKey: key, default: value))
    }
    port = try await config.fetchInt(forKey: "port", default: 8080)
    redisURL = try await config.fetchString(forKey: "redis.url", default: "redis://127.0.0.1:6379")
    redisTimeout = try await seconds("redis.timeout", default: 1)
    classifierURL = try await config.fetchRequiredString(forKey: "classifier.url")
    archiveURL = try await config.fetchRequiredString(forKey: "archive.url")
    archiveToken = try await config.fetchRequiredString(forKey: "archive.token", isSecret: true)
    tenantPages = try await config.fetchInt(forKey: "tenant.pages", default: 60)
    tenantInterval = try await seconds("tenant.interval", default: 60)
    slots = try await config.fetchInt(forKey: "slots", default: 8)
    lease = try await seconds("lease", default: 120)
    callLimit = try await seconds("call.limit", default: lease / .seconds(4))
    allowsPrivateAddresses = try await config.fetchBool(forKey: "allow.private.addresses", default: false)
    http = try await Options(config: config.scoped(to: "http"))
  }
}
