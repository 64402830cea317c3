/// A job: fetch a page, find its label, and archive the result.
public struct Job: Codable, Sendable, Equatable {
  /// The state of a job. A queued or running job continues after the death of any process.
  public enum State: String, Codable, Sendable {
    case queued
    case running
    case done
    case failed
  }

  public let id: String
  /// Who has ordered the job, and whose limit counts.
  public let tenant: String
  /// The page to fetch. A tenant gives it, so it is not trusted.
  public let url: String
  public var state: State
  /// The label of the page, when the job is done.
  public var label: String?
  /// Why the job failed or waits.
  public var reason: String?
  /// How often a process has claimed the job. A process may change the job only while its claim is the last one.
  public var claims: Int
  /// The number of attempts that count: not those that a limit has refused.
  public var attempts: Int
}
