import FoundationEssentials
import Hummingbird
import Logging

/// The HTTP interface of the service.
struct Routes: Sendable {
  let queue: JobQueue
  /// The metrics as text.
  let metrics: @Sendable () -> String
  let logger: Logger

  private struct Order: Decodable {
    let tenant: String
    let url: String

    var isValid: Bool {
      guard let url = URL(string: url), let scheme = url.scheme?.lowercased() else { return false }
      return ["http", "https"].contains(scheme) && url.host()?.isEmpty == false && url.user == nil && url.password == nil
        && self.url.utf8.count <= 2048 && !tenant.isEmpty && tenant.utf8.count <= 64
    }
  }

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.post("jobs") { request, context -> EditedResponse<Job> in
      let order = try await request.decode(as: Order.self, context: context)
      guard order.isValid else { throw HTTPError(.badRequest, message: "`tenant` or `url` is not valid") }
      // With its own key a client can send a request again, to another process too, and gets the same job.
      let key = request.headers[.idempotencyKey].flatMap { UUID(uuidString: $0) } ?? UUID()
      let job = try await available { try await queue.submit(id: key.uuidString, tenant: order.tenant, url: order.url) }
      return EditedResponse(status: .accepted, headers: [.location: "/jobs/\(job.id)"], response: job)
    }
    router.get("jobs/:id") { _, context -> Job in
      let id = try context.parameters.require("id", as: UUID.self)
      guard let job = try await available({ try await queue.job(id.uuidString) }) else { throw HTTPError(.notFound) }
      return job
    }
    router.get("metrics") { _, _ -> Response in
      let body = ResponseBody(byteBuffer: ByteBuffer(string: metrics()))
      return Response(status: .ok, headers: [.contentType: "text/plain; version=0.0.4"], body: body)
    }
    // The process is alive. Without Redis it takes no jobs, but a restart would not help.
    router.get("health") { _, _ -> HTTPResponse.Status in .ok }
    return router
  }

  /// Without Redis the service promises nothing: a job that it kept in memory would be lost with the process.
  private func available<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      logger.warning("the queue is not available: \(error)")
      throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "try again later")
    }
  }
}

extension Job: ResponseEncodable {}
