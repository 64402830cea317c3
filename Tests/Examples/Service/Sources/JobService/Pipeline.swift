import Faraday

/// The work of a job: three calls. It may run twice for one job, so each call is idempotent.
struct Pipeline: Sendable {
  let upstreams: Upstreams

  private struct Question: Encodable { let text: String }
  private struct Answer: Decodable { let label: String }
  private struct Result: Encodable {
    let tenant: String
    let url: String
    let label: String
  }

  /// Returns the label of the page.
  func run(_ job: Job) async throws -> String {
    let page = try await upstreams.pages.get(job.url) { $0.options.tenant = job.tenant }.text()
    let answer = try await upstreams.classifier.post(
      "classify", json: Question(text: String(page.prefix(10_000))), as: Answer.self
    ) {
      // A POST is not repeated by default. This one changes nothing, and gets an `Idempotency-Key`.
      $0.options.isRetryable = true
    }
    _ = try await upstreams.archive.put(
      "results/{id}", variables: ["id": job.id], json: Result(tenant: job.tenant, url: job.url, label: answer.label))
    return answer.label
  }
}
